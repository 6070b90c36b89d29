"""What is shown of a reranked search: what came in, what fell out, and both orders side by side."""

from __future__ import annotations

from typing import Any

from core.cards.groups import card_of, rows
from core.cards.kind import Scene
from core.cards.parts import Aid, Card, Drawing, Fold, Heading, Note
from core.cards.reranking import changes, count_newcomers, rerank_sentence, searches_reranked
from core.cards.status import gist
from core.runs.record import record
from core.trace.artefacts import Ranking, SubQuestions
from tests import examples
from tests.cases import cases

PLAIN = Scene(record(examples.plain_reranked()), "#123456", "run")


def judged(*before: int, k: int = 2) -> Ranking:
    """Hits in a new order, told by their former ranks."""
    made = examples.reranked(0)
    hits = [
        hit.model_copy(update={"before": was, "passage": examples.PASSAGES[was]})
        for hit, was in zip(made.hits, before, strict=False)
    ]
    return made.model_copy(update={"hits": tuple(hits), "k": k})


@cases(
    ("ranking", "text"),
    [
        (judged(4, 1, 2, 3), "Reranking brought in 1 passage and dropped 1; the first was at rank 4 before."),
        (judged(1, 4, 3, 2), "Reranking brought in 1 passage and dropped 1; the first stayed first."),
        (
            judged(2, 1, 4, 3),
            "Reranking kept the same 2 passages, in another order; the first was at rank 2 before.",
        ),
        (judged(1, 2, 4, 3), "Reranking left the first 2 as they were."),
        (judged(k=2), "Reranking left the first 0 as they were."),
    ],
)
def test_what_changed_is_said_in_a_sentence(ranking: Ranking, text: str) -> None:
    assert rerank_sentence(ranking) == text


def test_both_orders_stand_side_by_side() -> None:
    found = changes(judged(4, 1, 2, 3))
    titles = [examples.PASSAGES[place].title for place in (1, 2, 3, 4)]
    assert [one.card.title for one in found.left] == titles
    assert [(one.card.rank, one.card.score) for one in found.left] == [
        (str(rank), "") for rank in (1, 2, 3, 4)
    ]
    assert [one.card.title for one in found.right] == [titles[place] for place in (3, 0, 1, 2)]
    assert [one.remark for one in found.right] == ["came in, was rank 4", "", "", ""]
    assert [one.remark for one in found.left] == ["", "dropped out, now rank 3", "", ""]
    assert [one.aside for one in found.left] == [False, False, True, False]
    assert found.before == "by dense search"


def flow_of(card: Card) -> tuple[Fold, dict[str, Any]]:
    (fold,) = [part for part in card.parts if isinstance(part, Fold) and part.slot == "reranked"]
    drawing = next(part for part in fold.parts if isinstance(part, Drawing))
    assert any(isinstance(part, Aid) for part in fold.parts)
    return fold, dict(drawing.data)


def test_a_card_of_one_search_shows_the_flow_and_the_ranks_before() -> None:
    made = PLAIN.record.find(Ranking)[0]
    card = card_of(made, PLAIN)
    assert card.subtitle.startswith("Dense, reranked: ")
    assert card.parts[0] == Note(rerank_sentence(made), "compare_arrows")
    used = next(part for part in card.parts if isinstance(part, Drawing))
    cards: Any = used.data["cards"]
    assert [(one["rank"], one["was"]) for one in cards] == [("1", "4"), ("2", "1")]
    fold, flow = flow_of(card)
    assert fold.open
    assert flow["titles"] == ("Before", "After")
    assert len(flow["left"]) == len(flow["right"]) == len(made.hits)


def test_several_searches_keep_their_flows_folded() -> None:
    events = examples.rag_fusion()
    for place, event in enumerate(events):
        if event.type == "artefact" and isinstance(event.artefact, Ranking):
            index = examples.QUERIES.index(event.artefact.query)
            events[place] = event.model_copy(update={"artefact": examples.reranked(index)})
    scene = Scene(record(events), "#123456", "run")
    cards = [shown.card for row in rows(scene) for shown in row.shown if shown.card.kind == "ranking"]
    assert len(cards) == len(examples.QUERIES)
    assert not any(flow_of(card)[0].open for card in cards)
    assert gist(scene.record) == "5 queries, fused by reciprocal ranks, hits reranked"


def test_searches_in_the_card_of_another_kind_are_one_fold() -> None:
    script = examples.Script()
    script.start("decomposition-sequential")
    script.step("s-split", "split", 0)
    script.make("s-split", SubQuestions(questions=examples.QUERIES[:2]))
    script.done("s-split")
    for index in (0, 1):
        script.step(f"s-{index}", "answer_sub", index + 1, "s-split", examples.QUERIES[index])
        script.make(f"s-{index}", examples.reranked(index))
        script.done(f"s-{index}")
    scene = Scene(record(script.events), "#123456", "run")
    (row,) = rows(scene)
    (fold,) = [part for part in row.shown[0].card.parts if isinstance(part, Fold)]
    came = sum(count_newcomers(examples.reranked(index)) for index in (0, 1))
    assert fold.title == f"Reranked: 2 searches, {came} passages brought in"
    assert [part.text for part in fold.parts if isinstance(part, Heading)] == list(examples.QUERIES[:2])
    slots = [part.slot for part in fold.parts if isinstance(part, Drawing)]
    assert slots == ["1", "2"]


def test_where_the_judge_failed_the_search_is_shown_with_the_reason() -> None:
    failed = examples.ranking(0).model_copy(
        update={"skill": "rerank", "method": "model", "note": "It failed."}
    )
    card = card_of(failed, PLAIN)
    assert not any(isinstance(part, Fold) and part.slot == "reranked" for part in card.parts)
    assert card.subtitle.startswith("Dense: ")
    assert card.parts[-1] == Note("It failed.", "info")
    (fold,) = searches_reranked([failed], PLAIN)
    assert isinstance(fold, Fold)
    assert not any(isinstance(part, Drawing) for part in fold.parts)
    assert searches_reranked([examples.ranking(0)], PLAIN) == ()
