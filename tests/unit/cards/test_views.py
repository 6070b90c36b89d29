"""Views are pure: what is shown of each artefact and of a run."""

import re
from dataclasses import replace
from typing import Any, Literal, get_args

import pytest

from core.cards.grid import list_columns, strength
from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.kinds.evidence import answer_card, answer_view, context_view, score_name
from core.cards.kinds.fusion import fusion_grid, order_changes
from core.cards.kinds.union import union_grid
from core.cards.models import methods_chosen
from core.cards.parts import Drawing, Fold, Lines, Note, Part
from core.cards.status import costs_line, status_line
from core.charts.timeline import timeline
from core.models.timing import Speed
from core.retrieval.caches import announce
from core.retrieval.fusion import fuse_again
from core.runs.record import record
from core.skills import SKILLS
from core.skills.answer import cite
from core.skills.copying import TRY
from core.trace.artefacts import Answer, AnyArtefact, Citation
from core.trace.events import Event, Message, ModelFinished, ModelStarted, StepStarted, Token
from tests import examples
from tests.cases import cases
from tests.examples.chains import self_rag

EVERY = {kind.model_fields["kind"].default for kind in get_args(get_args(AnyArtefact)[0])}


def parts_of(artefact: AnyArtefact) -> list[Part]:
    return list(card_of(artefact, Scene(record([]), "#0072B2", "run")).parts)


def drawn(part: Part) -> Any:
    assert isinstance(part, Drawing)
    return part.data["cards"]


def test_every_kind_has_one_card_one_icon_and_one_title() -> None:
    assert set(KINDS) == EVERY
    for artefact in examples.artefacts():
        card = card_of(artefact, Scene(record([]), "#0072B2", "run"))
        assert card.parts
        assert (card.kind, card.title) == (artefact.kind, KINDS[artefact.kind].title)
    assert {artefact.kind for artefact in examples.artefacts()} == EVERY
    for told in ("title", "icon"):
        assert len({getattr(kind, told) for kind in KINDS.values()}) == len(KINDS)


def test_queries_name_their_origin_and_why_some_were_dropped() -> None:
    used, fold, *_ = parts_of(examples.VARIANTS)
    assert isinstance(used, Lines)
    assert used.lines[0].remark == "the question itself"
    assert isinstance(fold, Fold)
    assert isinstance(fold.parts[0], Lines)
    assert fold.parts[0].lines[1].remark == "a copy of query 5"


def test_a_ranking_keeps_what_is_used_apart_from_the_rest() -> None:
    used, fold, *_ = parts_of(examples.ranking(0))
    assert isinstance(fold, Fold)
    first, rest = drawn(used), drawn(fold.parts[0])
    assert [card["rank"] for card in first] == ["1", "2", "3"]
    assert [card["rank"] for card in rest] == ["4"]
    assert first[0]["score"] == "0.770"


def test_the_matrix_holds_the_rank_of_each_passage_in_each_query() -> None:
    view = union_grid(examples.UNION)
    assert [column.name for column in view.lists] == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    first = view.rows[0]
    assert first.card.title == "Full Moon High"
    assert [cell.text for cell in first.cells] == ["1", "1", "", "4", "1"]
    assert first.leads[0].text == "4 of 5"


def test_better_ranks_are_stronger_in_colour() -> None:
    assert 1 > strength(1) > strength(2) > strength(5) > strength(None) == 0
    assert strength(40) > 0


def test_lists_of_several_retrievers_are_told_apart() -> None:
    dense = examples.LISTS[0]
    columns = list_columns([dense, dense.model_copy(update={"retriever": "keyword"})])
    assert [column.name for column in columns] == ["Q1 dense", "Q1 keyword"]


@pytest.mark.parametrize(("first_rank", "shown"), [(1, ("1", ".01639")), (0, ("0", ".01667"))])
def test_a_cell_holds_the_rank_and_one_over_k_plus_rank(
    first_rank: Literal[0, 1], shown: tuple[str, str]
) -> None:
    rows = fusion_grid(fuse_again(examples.FUSION, k=60, first_rank=first_rank)).rows
    firsts = {(cell.text, cell.small) for row in rows for cell in row.cells if cell.text == str(first_rank)}
    assert firsts == {shown}
    assert any(cell.text == "" and cell.small == "" for row in rows for cell in row.cells)


def test_the_bar_of_the_best_row_is_full_and_made_of_its_cells() -> None:
    rows = fusion_grid(examples.FUSION).rows
    assert sum(rows[0].parts) == pytest.approx(1)
    assert [part > 0 for part in rows[0].parts] == [cell.text != "" for cell in rows[0].cells]
    assert all(sum(row.parts) <= 1 + 1e-9 for row in rows)


def test_another_k_says_what_would_change() -> None:
    assert order_changes(examples.FUSION, examples.FUSION) == []
    assert [column.name for column in fusion_grid(examples.FUSION).leads] == ["Sum"]
    other = fuse_again(examples.FUSION, k=1, first_rank=1)
    assert order_changes(other, examples.FUSION)
    assert any("▲" in row.leads[1].text for row in fusion_grid(other, examples.FUSION).rows)


def test_citations_are_numbered_as_the_passages_were_given() -> None:
    _, chips = answer_view(examples.answer(), examples.CONTEXT)
    assert [chip.number for chip in chips] == sorted(chip.number for chip in chips)
    assert {chip.title for chip in chips} >= {"Full Moon High", "Larry Cohen"}
    assert next(chip for chip in chips if chip.title == "Full Moon High").uses == 2


def test_an_answer_without_marks_gets_them() -> None:
    chunk = examples.CONTEXT.passages[1].passage.chunk
    plain = Answer(
        text="A. B.", sentences=("A.", "B."), citations=(Citation(sentence=1, chunk=chunk, quote="x"),)
    )
    assert answer_view(plain, examples.CONTEXT)[0] == "A. B. [2]"


def test_the_evidence_marks_what_the_answer_used() -> None:
    given, _ = context_view(examples.CONTEXT, examples.answer())
    assert len(given) == 6
    cited = next(card for card in given if card.title == "Full Moon High")
    assert any(piece.marked for piece in cited.pieces)
    assert cited.badge == "cited"


def test_scores_are_named_after_what_made_them() -> None:
    assert score_name(record(examples.rag_fusion())) == "RRF"
    assert score_name(record(examples.plain())) == "cosine similarity"


def test_the_status_line_tells_of_retries_as_they_happen() -> None:
    waiting = [event for event in examples.failed() if event.seq <= 4]
    line = status_line(record(waiting), {"queries": "Write queries"}, attempts=4)
    assert line == "Write queries: waiting 2 s: rate limit, try 2 of 4"


def test_the_status_line_tells_what_a_first_search_waits_for() -> None:
    events = examples.plain()
    run = record(events[:2])
    assert run.started is not None
    assert run.started.corpus
    with announce("another", "counting"):
        assert status_line(run, {"retrieve": "Retrieve"}, attempts=4) == "Retrieve"
    with announce(run.started.corpus, "reading all passages, once"):
        assert (
            status_line(run, {"retrieve": "Retrieve"}, attempts=4) == "Retrieve: reading all passages, once"
        )


def test_the_status_line_tells_what_a_model_of_this_machine_is_at() -> None:
    """A call of 1,200 bytes, at two tokens a second."""
    started, *_ = examples.plain()
    step = StepStarted(seq=1, at=1, step="a", node="answer")
    call = ModelStarted(
        seq=2,
        at=2,
        step="a",
        call="c",
        skill="answer",
        method="model",
        model="m",
        messages=(Message(role="user", content="word " * 240),),
    )
    speed = Speed(reading=2, writing=1, calls=3)
    names = {"answer": "Answer"}

    def line(now: float, *later: Event) -> str:
        return status_line(record([started, step, call, *later], now), names, 4, speed)

    assert line(50) == "Answer: reading about 300 tokens takes about 2 min, 49 s so far"
    assert line(160) == "Answer: probably writing, 159 s so far"
    assert line(50, Token(seq=3, at=40, step="a", call="c", text="It")) == "Answer: writing, 49 s so far"
    ended = ModelFinished(seq=3, at=40, step="a", call="c", output="It", seconds=38)
    assert line(50, ended) == "Answer, 49 s"


def test_the_status_line_tells_how_many_calls_a_busy_model_takes_before() -> None:
    events = examples.failed()[:3]
    names = {"queries": "Write queries"}

    def line(ahead: int | None, *later: Event) -> str:
        return status_line(record([*events[:2], *later], 5.0, ahead), names, attempts=4)

    assert line(2) == "Write queries: the model is busy, 2 calls before yours, 5 s so far"
    assert line(1) == "Write queries: the model is busy, 1 call before yours, 5 s so far"
    assert line(0) == "Write queries: the model is busy, yours is the next call, 5 s so far"
    assert line(None) == "Write queries, 5 s"
    assert line(2, events[2]) == "Write queries, 5 s"


@cases("name", list(examples.RUNS))
def test_the_timeline_has_a_lane_per_step_and_call(name: str) -> None:
    run = record(examples.RUNS[name]())
    figure = timeline(run)
    assert figure.layout.yaxis.type == "category"  # the legend's empty bars would make it numeric
    bars = {lane for bar in figure.data for lane in bar.y if lane is not None}
    assert len(bars) == len(run.steps) + len(run.calls)


def test_the_end_of_a_run_says_what_it_did_itself() -> None:
    asked = costs_line(record(examples.rag_fusion()))
    assert re.fullmatch(r"Done in \d\.\d s · 2 model calls · 2 rounds · \d+ tokens · gpt-example", asked)
    assert costs_line(record(examples.plain())).endswith(" s without a model call")
    assert " failed · " in costs_line(record(examples.failed()))
    assert " s from the change on · 1 model call · " in costs_line(record(examples.forked()))


@cases("times", [1, 3])
def test_more_passages_are_no_advice_where_all_were_given(times: int) -> None:
    found = examples.ranking(0)
    run = record(examples.plain(found=found.model_copy(update={"hits": found.hits * times})))
    answer = run.answer
    assert answer
    none = answer.model_copy(update={"abstained": True, "note": f"Too far. {TRY}"})
    text = next(
        part.text
        for part in answer_card(none, Scene(run)).parts
        if isinstance(part, Note) and "far" in part.text
    )
    assert ("more passages" in text, "(4 chunks)" in text) == (times > 1, times == 1)


def test_what_a_run_never_came_to_is_said() -> None:
    run = record(self_rag())
    assert run.started
    chosen = {"answer": "model", "recall": "model"}
    run = replace(run, started=run.started.model_copy(update={"methods": chosen}))
    assert [(one.skill, one.used) for one in methods_chosen(run)] == [
        (SKILLS["answer"].title, True),
        (SKILLS["recall"].title, False),
    ]


def test_the_answer_itself_stands_first_also_where_reasoning_was_written_before_it() -> None:
    made = cite("He was born in 1936 [1].\n\nFull Moon High [1]", [], skill="read", method="model", last=True)
    assert answer_view(made)[0] == "Full Moon High [1]\n\nHe was born in 1936 [1]."
    plain = cite("Full Moon High [1]\n\nHe was born in 1936 [1].", [], skill="answer", method="model")
    assert answer_view(plain)[0] == plain.text


@pytest.mark.parametrize(
    ("kind", "label"),
    [("thought", "Thought 1"), ("sub_answer", "Sub-answer 2"), ("grade", "IsRel, round 1: Full Moon High")],
)
def test_what_is_edited_is_told_from_others_of_its_card(kind: str, label: str) -> None:
    artefact = next(one for one in examples.artefacts() if one.kind == kind)
    edit = KINDS[kind].edit
    assert edit is not None
    assert edit.label is not None
    assert edit.label(artefact) == label
