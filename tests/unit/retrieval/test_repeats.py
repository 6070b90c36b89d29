"""Near-duplicates: which passage gives way to which, and that it takes no place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from core.retrieval.fusion import fuse, fuse_again, unite
from core.retrieval.repeats import (
    deep_enough,
    holder_of,
    holders,
    mark_repeats,
    without_marks,
    without_repeats,
)
from core.strategies.step_back import BOTH, GENERAL, QUESTION, both_contexts
from core.trace.artefacts import Citation, Ranking, citing
from core.trace.artefacts.rankings import RankRow
from core.trace.passages import Hit, Passage, numbers_of
from tests.cases import cases

RULES = (
    "The ferry between Lanark and Port Ellen sails on every day of the week. It carries cars, bicycles and up to 90 "
    "people. Tickets are sold on board, and children of the islands travel free. In a storm of force 9 the line rests. "
    "The master of the ship decides whether it sails. Freight is booked at the office in Lanark a day ahead."
)
HEAD, TAIL = RULES.split(" Freight")
OTHER = (
    "Peat is cut by hand on the moor in May and dried until August. Whole families go out for it with their own tools. "
    "It is stacked beside the house, and burns through the winter with a smell that nobody forgets."
)
KOREAN = (
    "이 연락선은 라나크와 포트엘런 사이를 매일 오갑니다. 승객은 최대 90명까지 탈 수 있습니다. "
    "표는 배 위에서 살 수 있습니다."
)
JAPANESE = (
    "この船はラナークとポートエレンの間を毎日運航します。乗客は90人まで乗れます。切符は船内で買えます。"
)
CHINESE = "这艘渡轮每天往返于拉纳克和埃伦港之间。最多可载九十名乘客。船票在船上出售。岛上的儿童免费乘坐。"
ROWS = "\n".join(
    f"Ship: {ship} | Built: {built} | Port: Lanark" for ship, built in (("Dunlin", 1911), ("Curlew", 1934))
)


def passage(text: str, name: str = "a", title: str = "Ferry rules", heading: str = "") -> Passage:
    return Passage(
        chunk=f"{name}-0",
        document=name,
        title=title,
        text=text,
        position=0,
        start=0,
        end=len(text),
        heading=heading,
    )


def gives_way(one: str, other: str, title: str = "Ferry rules") -> bool:
    """Whether a text gives way to one of another document."""
    return holders([passage(other), passage(one, "b", title)]) == [None, 0]


@cases(
    ("one", "other"),
    [
        (RULES, RULES),
        (RULES, f"{RULES} {OTHER}"),
        (RULES, f"# Ferry rules\n\n{RULES.upper()}"),  # headings and case
        (
            f"Ferry rules\n{RULES}",
            RULES.replace(". ", ".\n\n").replace(",", " –"),
        ),  # the title line and punctuation
        (
            f"{RULES} The crew is happy to help.",
            f"{RULES} Dogs are led on a leash, as everywhere.",
        ),  # one sentence of seven
        (KOREAN, f"{KOREAN} 화물은 하루 전에 예약합니다."),
        (JAPANESE, f"{JAPANESE}貨物は前日に予約します。"),
        (CHINESE, f"{CHINESE}货物须提前一天预订。"),
        (ROWS, f"{ROWS}\nShip: Knot | Built: 1950 | Port: Oban"),
    ],
)
def test_what_another_passage_holds_gives_way(one: str, other: str) -> None:
    assert gives_way(one, other)


@cases(
    ("one", "other"),
    [
        (RULES, RULES.replace("90 people", "120 people")),  # two versions of a regulation
        (RULES, RULES.replace("force 9", "force 10")),
        (RULES, RULES.replace("every day", "no day")),
        (RULES, RULES.replace("whether it sails", "whether it does not sail")),
        (RULES, RULES.replace("office in Lanark", "office in Oban")),
        (f"{RULES} The fee is 20 pounds.", f"{RULES} The fee is 30 pounds."),
        (f"{RULES} The crew may help.", f"{RULES} The crew must help."),
        (f"{RULES} Anna owns it.", f"{RULES} Dogs are led on a leash."),  # a name
        (f"{RULES} It is owned by Anna.", f"{RULES} Dogs are led on a leash."),
        (f"{RULES} It costs 3.5 %.", f"{RULES} It costs 35 %."),
        (f"{RULES} It is -5 °C.", f"{RULES} It is 5 °C."),
        (
            HEAD,
            HEAD.replace("The master of the ship decides whether it sails.", OTHER),
        ),  # too much is missing
        (KOREAN, KOREAN.replace("90명", "120명")),
        (KOREAN, KOREAN.replace("살 수 있습니다", "살 수 없습니다")),
        (JAPANESE, JAPANESE.replace("買えます", "買えません")),
        (CHINESE, CHINESE.replace("免费", "不免费")),
        (ROWS, ROWS.replace("1934", "1935")),
        (RULES, OTHER),
    ],
)
def test_what_another_passage_lacks_keeps_its_place(one: str, other: str) -> None:
    assert holders([passage(other), passage(one, "b")]) == [None, None]


@cases(
    ("text", "title", "way"),
    [
        ("It opens at nine.", "Ferry rules", False),
        ("It opens at nine in the morning and closes at five in the afternoon.", "Ferry rules", True),
        (
            "It opens at nine in the morning and closes at five in the afternoon.",
            "Library",
            False,
        ),  # another one does
        ("1911 | 1934 | 1950 | 1961 | 1972\n1911 | 1934 | 1950 | 1961 | 1973", "Ferry rules", False),
        ("", "Ferry rules", False),
        (RULES, "Rules of 2024", True),
    ],
)
def test_a_short_passage_leans_on_its_title(text: str, title: str, way: bool) -> None:
    assert gives_way(text, f"{text} {OTHER}", title) is way


def test_the_one_that_holds_the_other_stays_whichever_is_better() -> None:
    whole = f"{RULES} {OTHER}"
    assert holders([passage(text, name) for text, name in ((RULES, "a"), (OTHER, "b"), (whole, "c"))]) == [
        2,
        2,
        None,
    ]
    assert holders([passage(RULES, name) for name in "abc"]) == [None, 0, 0]
    assert holder_of([passage(whole), passage(OTHER, "b")], passage(RULES, "c")) == 0
    assert holder_of([passage(RULES)], passage(whole, "c")) is None  # what was cited stays


def test_neighbours_that_overlap_are_no_repeats() -> None:
    first, second, third = RULES.split(". ")[:4], RULES.split(". ")[2:], OTHER.split(". ")
    chunks = [". ".join(part) for part in (first, [*second, *third])]
    assert holders([passage(chunk, heading="Rules") for chunk in chunks]) == [None, None]


def test_thousands_of_copies_give_way_to_the_first_and_a_footer_is_no_copy() -> None:
    footer = f" {OTHER}"
    pages = [
        passage(f"Page {n} is about bird {n} alone. {RULES[:90]} {n}.{footer}", f"p{n}") for n in range(200)
    ]
    assert holders(pages) == [None] * 200
    copies = [passage(RULES, f"c{n}") for n in range(3000)]
    assert holders(copies) == [None] + [0] * 2999


def ranking(*texts: str, k: int = 2, query: str = "q") -> Ranking:
    hits = tuple(
        Hit(rank=rank, score=1 / rank, passage=passage(text, f"{query}{rank}"))
        for rank, text in enumerate(texts, 1)
    )
    return Ranking(query=query, retriever="dense", score_name="s", k=k, hits=hits)


def chunks(found: Iterable[Hit | RankRow]) -> list[str]:
    return [one.passage.chunk for one in found]


def test_a_repeat_is_marked_and_costs_no_place() -> None:
    found = mark_repeats(ranking(RULES, RULES.lower(), OTHER, KOREAN))
    assert [hit.repeats for hit in found.hits] == [None, 1, None, None]
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4]
    assert chunks(found.used) == ["q1-0", "q3-0"]
    assert chunks(found.used_as_found) == ["q1-0", "q2-0", "q3-0"]
    assert found.used[0].passage.documents == ("q1", "q2")
    assert without_marks(found).used[1].passage.chunk == "q2-0"


def test_the_one_that_stays_takes_the_better_place() -> None:
    found = mark_repeats(ranking(OTHER, RULES, KOREAN, f"{RULES} {JAPANESE}", k=3))
    assert [hit.repeats for hit in found.hits] == [None, 4, None, None]
    assert [(hit.passage.chunk, hit.rank) for hit in found.used] == [("q1-0", 1), ("q4-0", 2), ("q3-0", 3)]


def test_a_ranking_without_repeats_is_stored_as_before() -> None:
    plain = ranking(RULES, OTHER)
    assert mark_repeats(plain) is plain
    assert "repeats" not in plain.model_dump_json()
    assert "stands_for" not in plain.model_dump_json()
    assert Ranking.model_validate_json(plain.model_dump_json()).used == plain.hits
    same = mark_repeats(ranking(RULES, RULES))
    assert Ranking.model_validate_json(same.model_dump_json()) == same
    cut = same.model_copy(update={"hits": same.hits[1:]})
    assert chunks(cut.used) == ["q2-0"]  # what it repeats is not there any more


@pytest.mark.parametrize(
    ("texts", "depths"),
    [
        ([RULES, OTHER, KOREAN, JAPANESE], [3]),
        ([RULES, RULES, RULES, OTHER, KOREAN, JAPANESE], [3, 6]),
        ([RULES] * 100, [3, 6, 12, 24]),  # it ends
        ([RULES, RULES], [3]),  # there is no more
    ],
)
def test_a_search_goes_deeper_where_repeats_cost_places(texts: list[str], depths: list[int]) -> None:
    asked = list[int]()

    async def search(depth: int) -> list[Ranking]:
        asked.append(depth)
        return [ranking(*texts[:depth])]

    asyncio.run(deep_enough(search, 2, 3))
    assert asked == depths


def test_pools_mark_what_another_search_found_in_a_copy() -> None:
    lists = [mark_repeats(ranking(RULES, OTHER)), mark_repeats(ranking(KOREAN, RULES.upper(), query="r"))]
    united, fused = unite(lists), fuse(lists)
    assert chunks(united.rows) == ["q1-0", "r1-0", "q2-0", "r2-0"]
    assert [row.repeats for row in united.rows] == [None, None, None, 1]
    assert chunks(united.places) == chunks(fused.places) == ["q1-0", "r1-0", "q2-0"]
    assert chunks(fuse_again(fused, 1, 1).places) == ["q1-0", "r1-0", "q2-0"]
    bare = tuple(row.model_copy(update={"repeats": None}) for row in fused.rows)
    again = fuse_again(fused.model_copy(update={"rows": bare}), 1, 1)
    assert len(again.places) == 4  # a run of an earlier version


def test_two_searches_in_sequence_give_each_text_once() -> None:
    found = both_contexts(ranking(RULES, OTHER), ranking(RULES.lower(), KOREAN, query="r"), 3)
    told = [(one.passage.chunk, one.given, one.source) for one in found.passages]
    assert told == [("q1-0", True, BOTH), ("q2-0", True, QUESTION), ("r2-0", True, GENERAL)]
    assert [one for one, _ in without_repeats([(passage(RULES), 1.0), (passage(RULES), 2.0)])] == [
        passage(RULES)
    ]


def test_evidence_of_sub_questions_cites_what_stays() -> None:
    found = [(passage(OTHER, "x"), 1.0), (passage(RULES), 1.0), (passage(RULES.lower(), "b"), 0.5)]
    given = [one for one, _ in without_repeats(found)]
    assert [one.chunk for one in given] == ["x-0", "a-0"]
    assert numbers_of(given) == {"x-0": 1, "a-0": 2, "b-0": 2}
    cited = citing(
        [Citation(sentence=0, chunk="b-0", quote="Tickets"), Citation(sentence=1, chunk="x-0", quote="")],
        given,
    )
    assert [one.chunk for one in cited] == ["a-0", "x-0"]
