"""Runs side by side: names, evidence, overlap, answers, costs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.charts.answer_columns import answer_columns, differing, to_embed
from core.charts.columns import Column, columns
from core.charts.difference import plain_found
from core.charts.rank_flow import rank_flow
from core.charts.shared_evidence import (
    evidence,
    evidence_grid,
    first_gold,
    gold_found,
    gold_rows,
    sentences_about,
)
from core.charts.timeline import timelines
from core.drawings.presenter import presentation
from core.drawings.side_by_side import cost, live_columns
from core.runs.budget import given_passages
from core.runs.record import Record, record
from core.trace.artefacts import Citation, Context, ContextPassage
from core.trace.events import Event, RunStarted
from core.trace.gold import Gold, Known
from core.trace.passages import Passage, Repeat
from tests import examples
from tests.cases import cases


def changed(events: list[Event], **fields: object) -> Record:
    started = events[0]
    assert isinstance(started, RunStarted)
    return record([started.model_copy(update=fields), *events[1:]])


def column(mark: str, chunks: Sequence[str], given: int = 9, cites: str = "") -> Column:
    """A column whose evidence is one passage per letter."""
    run = record(examples.plain())
    step = next(s for s, artefact in run.artefacts if isinstance(artefact, Context))
    items = tuple(
        ContextPassage(
            rank=rank,
            score=0.0,
            given=rank <= given,
            passage=Passage(
                chunk=letter, document=f"d-{letter}", title=letter.upper(), text=f"About {letter}.", position=0,
                start=0, end=8,
            ),
        )
        for rank, letter in enumerate(chunks, 1)
    )  # fmt: skip
    for place, artefact in enumerate(step.artefacts):
        if isinstance(artefact, Context):
            step.artefacts[place] = Context(passages=items)
    for other in run.steps:
        for place, artefact in enumerate(other.artefacts):
            if artefact.kind == "answer":
                marks = tuple(Citation(sentence=0, chunk=letter, quote="About") for letter in cites)
                other.artefacts[place] = artefact.model_copy(update={"citations": marks})
    return Column(mark, "Plain", "", "#000000", f"run-{mark}", run)


def test_what_differs_names_columns_of_one_strategy() -> None:
    made = columns(
        [
            changed(examples.rag_fusion(), params={"rrf_k": 60}),
            changed(examples.rag_fusion(), params={"rrf_k": 1}, retriever="keyword"),
            record(examples.plain()),
        ]
    )
    assert [one.mark for one in made] == ["A", "B", "C"]
    assert "k: 1" in made[1].detail
    assert "keyword" in made[1].detail
    assert made[0].detail != made[1].detail
    assert made[0].colour == made[1].colour != made[2].colour
    assert len({one.name for one in made}) == 3


def test_a_deleted_run_and_two_models_are_named() -> None:
    made = columns([Record(state="failed", error="gone"), changed(examples.plain(), chat_model="m1"),
                    changed(examples.plain(), chat_model="m2")])  # fmt: skip
    assert [one.detail for one in made] == ["", "m1", "m2"]
    assert live_columns(made)["columns"][0]["status"] == "Failed. gone"


def test_evidence_overlap_and_what_only_one_found() -> None:
    gold = [Gold(document="d-b", title="B"), Gold(document="d-z", title="Zed")]
    found = evidence([column("A", "abc"), column("B", "cad", cites="c")], gold)
    assert [(row.passage.chunk, [one.rank if one else None for one in row.found]) for row in found.rows] == [
        ("a", [1, 2]),
        ("c", [3, 1]),
        ("b", [2, None]),
        ("d", [None, 3]),
    ]
    assert [row.only for row in found.rows] == [None, None, 0, 1]
    assert [row.gold for row in found.rows] == [False, False, True, False]
    assert (found.overlaps[0].shared, found.overlaps[0].either, found.overlaps[0].jaccard) == (2, 4, 0.5)
    assert [one.title for one in found.missed] == ["Zed"]
    assert evidence([column("A", ""), column("B", "")]).overlaps[0].jaccard is None


def test_evidence_that_was_lost_when_a_passage_was_refined_is_named() -> None:
    refined, whole = column("A", "a"), column("B", "ab")
    step = next(s for s, made in refined.record.artefacts if isinstance(made, Context))
    place, whole_of_it = next(
        (at, made) for at, made in enumerate(step.artefacts) if isinstance(made, Context)
    )
    item = whole_of_it.passages[0]
    strip = item.passage.text[: len(item.passage.text) // 2]
    cut = item.passage.model_copy(update={"text": item.passage.text[len(strip) :], "left_out": (strip,)})
    step.artefacts[place] = Context(passages=(item.model_copy(update={"passage": cut}),))
    gold = [Gold(document="d-a", title="Fact", quote=strip, chunks=("a",))]
    alone, both = evidence([refined], gold), evidence([refined, whole], gold)
    assert [(place, one.title) for place, one in alone.lost] == [(0, "Fact")]
    assert [one.title for one in alone.missed] == ["Fact"]
    assert not any(row.gold for row in alone.rows)
    assert [(place, one.title) for place, one in both.lost] == [(0, "Fact")]
    assert (both.missed, next(row.gold for row in both.rows)) == ((), True)
    said = sentences_about(both, [refined, whole], known=True)
    assert any("left it out when it refined its passages: Fact" in one for one in said)
    assert gold_found(refined, gold) == 0


def test_only_what_was_given_counts_where_it_is_asked() -> None:
    both = [column("A", "abc", given=1), column("B", "ba", given=1)]
    assert len(evidence(both).rows) == 3
    assert [row.passage.chunk for row in evidence(both, given=True).rows] == ["a", "b"]
    gold = [Gold(document="d-b", title="B")]
    assert [gold_found(one, gold) for one in both] == [0, 1]
    assert [first_gold(one, gold) for one in both] == [2, 1]
    assert first_gold(both[0], [Gold(document="d-z", title="Z")]) is None


def test_the_grid_and_the_sentences_say_the_same() -> None:
    both = [column("A", "ab", cites="a"), column("B", "ac", given=1)]
    gold = [Gold(document="d-b", title="B"), Gold(document="d-x", title="Missing")]
    found = evidence(both, gold)
    grid = evidence_grid(found, both, known=True)
    cells = {row.card.id: [(cell.text, cell.small) for cell in row.cells] for row in grid.rows}
    assert cells == {
        "a": [("1", "cited"), ("1", "")],
        "b": [("2", ""), ("", "")],
        "c": [("", ""), ("2", "not given")],
    }
    assert [row.leads[0].text for row in grid.rows] == ["2 of 2", "only A", "only B"]
    said = " ".join(sentences_about(found, both, known=True))
    assert "Only A · Plain found “B”. ★ 1 of these holds evidence." in said
    assert "1 of 3 passages were found by every column." in said
    assert "★ No column found this evidence: Missing." in said
    titled = [column("A", ["“Fog” on the sound"]), column("B", "a")]
    assert "Only A · Plain found “‘FOG’ ON THE SOUND”." in sentences_about(
        evidence(titled), titled, known=False
    )


def test_rank_flow_leaves_gaps_and_marks_gold() -> None:
    both = [column("A", "ab"), column("B", "ca")]
    figure = rank_flow(evidence(both, [Gold(document="d-b", title="B")]), both)
    lines = {line.name: list(line.y) for line in figure.data}
    assert lines == {"★ B": [2, None], "A": [1, 2], "C": [None, 1]}


def test_answers_differ_word_by_word_and_say_what_supports_them() -> None:
    assert [
        piece.text
        for piece in differing(["The film is from 1958."], "The film was from 1915.")[0]
        if piece.marked
    ] == [
        "is",
        "1958",
    ]
    assert all(not piece.marked for piece in differing(["Anything."], "")[0])
    made = columns([record(examples.rag_fusion()), record(examples.plain())])
    shown = answer_columns(made)
    for one, own in zip(shown, made, strict=True):
        assert own.record.answer is not None
        assert len(one.sentences) == len(own.record.answer.sentences)
        assert 0 <= one.supported <= len(one.sentences)
    assert len(shown) == 2
    texts = to_embed(made)
    assert texts
    same = {place: [[1.0] * len(pool)] * len(own) for place, (own, pool) in texts.items()}
    assert sum(one.supported for one in answer_columns(made, 0, same)) >= sum(one.supported for one in shown)


def test_costs_are_known_only_with_prices_and_counts() -> None:
    run = changed(examples.rag_fusion(), builtin=False)
    model = run.calls[0].model
    sent = sum(call.usage.input or 0 for call in run.calls)
    written = sum(call.usage.output or 0 for call in run.calls)
    assert cost(run, {}) is None
    expected = (sent * 1.0 + written * 2.0) / 1e6
    assert cost(run, {model: (1.0, 2.0)}) == pytest.approx(expected)
    assert cost(changed(examples.plain(), builtin=True), {}) == 0.0
    assert cost(Record(), {}) is None


@cases("name", list(examples.RUNS))
def test_every_run_is_drawn_at_every_moment(name: str) -> None:
    events, beside = examples.RUNS[name](), examples.plain()
    for count in examples.moments(events):
        made = columns([record(events[:count]), record(beside[: min(count, len(beside))])])
        data = live_columns(made, Known((Gold(document="d1", title="One"),)), {})
        assert len(data["columns"]) == 2
        found = evidence(made)
        assert len(evidence_grid(found, made, known=False).rows) == len(found.rows)
        answer_columns(made)
    assert timelines(made).data
    assert data["ended"]


def located(document: str) -> Passage:
    return Passage(chunk="", document=document, title="", text="", position=0, start=0, end=0)


def test_found_not_found_and_not_yet_known_are_told_apart() -> None:
    gold = (Gold(document="d1", title="First"), Gold(document="d2", title="Second"))
    assert gold_rows(gold, {"Plain": [located("d1"), located("d9")], "Other": None}) == [
        ("First", {"Plain": True, "Other": None}),
        ("Second", {"Plain": False, "Other": None}),
    ]


def in_one_document(name: str, chunks: str, given: int = 9) -> Column:
    """A column whose passages are all of the same document."""
    made = column(name, chunks, given)
    for step in made.record.steps:
        for place, artefact in enumerate(step.artefacts):
            if isinstance(artefact, Context):
                items = [
                    item.model_copy(
                        update={
                            "passage": item.passage.model_copy(update={"document": "d", "title": "Ferries"})
                        }
                    )
                    for item in artefact.passages
                ]
                step.artefacts[place] = Context(passages=tuple(items))
    return made


def test_the_right_document_is_not_enough_where_passages_are_labelled() -> None:
    gold = [
        Gold(document="d", title="Ferries", quote="founded in 1921", chunks=("b", "x")),
        Gold(document="d", title="Ferries", quote="two ships", chunks=("c",)),
        Gold(document="d", title="Ferries", quote="sold in 1980", chunks=("e", "f")),
    ]
    both = [in_one_document("A", "abcd", given=2), in_one_document("B", "ad")]
    assert [gold_found(one, gold) for one in both] == [1, 0]  # “two ships” was found, but not given
    assert [first_gold(one, gold) for one in both] == [2, None]
    found = evidence(both, gold)
    assert {row.passage.chunk for row in found.rows if row.gold} == {"b", "c"}
    assert found.missed == (gold[2],)
    assert sentences_about(found, both, known=True)[-1] == (
        "★ No column found this evidence: Ferries (“sold in 1980”)."
    )
    passages = {one.mark: given_passages(one.record) for one in both}
    assert gold_rows(gold, passages) == [
        ("Ferries (“founded in 1921”)", {"A": True, "B": False}),
        ("Ferries (“two ships”)", {"A": False, "B": False}),
        ("Ferries (“sold in 1980”)", {"A": False, "B": False}),
    ]
    drawn = live_columns(both, Known(tuple(gold)))["columns"]
    assert [(one["outcome"]["stars"], one["outcome"]["evidence"]) for one in drawn] == [
        ("★☆☆", "1 of 3 pieces of evidence"),
        ("☆☆☆", "0 of 3 pieces of evidence"),
    ]
    assert [card["gold"] for card in drawn[0]["cards"]] == ["", "Ferries (“founded in 1921”)"]
    shown = presentation(both, gold, "Q")
    lines = [line for search in shown.slides[0].searches for line in search["added"]]
    assert [line["gold"] for line in lines] == [False, True]
    assert (shown.slides[0].found, shown.gold, shown.best) == (1, 3, ("A",))


def test_plain_retrieval_is_held_against_by_passage_too() -> None:
    made = columns([record(one) for one in (
        examples.held_against(examples.rag_fusion()), examples.rag_fusion(), examples.held_against(examples.plain()),
    )])  # fmt: skip
    passages = [hit.passage for hit in examples.BASELINE.hits]
    gold = [Gold(document=p.document, title="", quote="x", chunks=(p.chunk,)) for p in passages[:3]]
    gold += [Gold(document=passages[0].document, title="", quote="y", chunks=("another",))]
    # The second was stored before that was kept, the third is plain retrieval itself.
    assert [plain_found(one, gold) for one in made] == [3, None, None]
    assert plain_found(made[0], ()) is None


def test_a_column_has_what_gave_way_to_its_passages() -> None:
    plain, other = column("A", "ab"), column("B", "c")
    context = plain.record.context
    assert context is not None
    first = context.passages[0].passage.model_copy(
        update={"stands_for": (Repeat(chunk="c", document="d-c"),)}
    )
    step = next(s for s, artefact in plain.record.artefacts if isinstance(artefact, Context))
    place = next(at for at, artefact in enumerate(step.artefacts) if isinstance(artefact, Context))
    items = (context.passages[0].model_copy(update={"passage": first}), *context.passages[1:])
    step.artefacts[place] = context.model_copy(update={"passages": items})
    found = evidence([plain, other], [Gold(document="d-c", title="C")])
    grid = evidence_grid(found, [plain, other], known=True)
    shown = [(row.card.id, row.leads[0].text, row.leads[1].text, row.card.badge) for row in grid.rows]
    assert shown == [
        ("c", "2 of 2", "★", "says the same as rank 2"), ("a", "only A", "★", ""), ("b", "only A", "", ""),
    ]  # fmt: skip
