"""The pool of Multi-Query: a passage once, with a rank for each query that found it."""

from __future__ import annotations

from typing import Any

import pytest

from core.cards.kind import Scene
from core.cards.kinds.union import pool, pooled, reading_pool
from core.cards.stage import picture
from core.cards.texts import COLOURS, QUIET
from core.retrieval.fusion import unite
from core.runs.record import Record, State, Step
from core.trace.artefacts import AnyArtefact, Context, ContextPassage, PooledRanking, Queries, Query, StepBack
from core.trace.events import RunStarted
from tests.examples import multi_query, rag_fusion
from tests.unit.cards.kinds.test_fusion import A, B, C, D, ranking

ASKED = ("What?", "Why?", "How?")
FOUND = (ranking("What?", A, B), ranking("Why?", B, C), ranking("How?", D))
GIVEN = Context(
    passages=tuple(
        ContextPassage(passage=one, rank=rank, score=0, given=rank < 4)
        for rank, one in enumerate((A, B, D, C), 1)
    )
)


def run(*made: AnyArtefact, state: State = "running") -> Record:
    written = Queries(queries=tuple(Query(text=text, origin="model") for text in ASKED))
    started = next(event for event in multi_query() if isinstance(event, RunStarted))
    steps = [Step("s", "node", "", None, 0, 0.0, artefacts=[written, *made])]
    return Record(started=started, steps=steps, state=state)


def drawn(*made: AnyArtefact, state: State = "running") -> dict[str, Any]:
    return shown(run(*made, state=state))


def shown(record: Record) -> dict[str, Any]:
    found = pooled(record)
    assert found is not None
    return pool(found, Scene(record))


def test_a_passage_stands_once_with_its_rank_for_each_query() -> None:
    data = drawn(*FOUND, unite(FOUND), GIVEN, state="finished")
    found = [(one["card"]["id"], one["ranks"], one["alone"], one["given"]) for one in data["passages"]]
    assert found == [
        ("A", ["1", "", ""], 0, True),
        ("B", ["2", "1", ""], -1, True),
        ("D", ["", "", "1"], 2, True),
        ("C", ["", "2", ""], 1, False),
    ]
    assert [(one["name"], one["found"], one["alone"]) for one in data["lists"]] == [
        ("Q1", 2, 1),
        ("Q2", 2, 1),
        ("Q3", 1, 1),
    ]
    assert data["passages"][1]["told"] == (
        "found by Q1 at rank 2, Q2 at rank 1; its best rank, 1, decides its place in the pool; given to the answer"
    )
    assert data["summary"] == "5 hits of 3 queries are 4 passages: 1 found by several, 3 by one alone."


@pytest.mark.parametrize("state", ["running", "paused", "stopped"])
def test_before_its_step_nothing_of_it_is_shown(state: State) -> None:
    assert pooled(run(*FOUND, state=state)) is None
    assert pooled(run(*FOUND, unite(FOUND), state=state)) is not None
    assert pooled(stepped("Why?", *FOUND[:2])) is None


def test_one_query_alone_shares_nothing_that_could_be_told_apart() -> None:
    assert [one["alone"] for one in drawn(FOUND[0], unite(FOUND[:1]), GIVEN)["passages"]] == [-1, -1]


def test_queries_beyond_the_colours_are_grey() -> None:
    many = tuple(ranking(f"Query {number}?", A) for number in range(len(COLOURS) + 1))
    written = Queries(queries=tuple(Query(text=one.query, origin="model") for one in many))
    record = run(written, *many, unite(many), GIVEN)
    assert [one["colour"] for one in shown(record)["lists"]] == [*COLOURS, QUIET]


def test_rankings_of_another_strategy_are_no_pool() -> None:
    record = run(*FOUND)
    record.started = next(event for event in rag_fusion() if isinstance(event, RunStarted))
    assert pooled(record) is None
    drawing = picture(Scene(record, "#123456", "run"))
    assert drawing is not None
    assert drawing.kind == "fusion"


def test_the_union_that_the_run_made_is_what_is_shown() -> None:
    record = run(*FOUND, state="finished")
    record.steps[0].artefacts.append(PooledRanking(lists=(), rows=()))
    assert shown(record)["passages"] == []


def stepped(general: str, *made: AnyArtefact) -> Record:
    record = run(StepBack(question="What?", general=general), *made)
    del record.steps[0].artefacts[0]  # the queries
    return record


def test_a_step_back_is_a_pool_of_two_questions_in_which_the_first_comes_first() -> None:
    record = stepped("Why?", ranking("What?", A, B), ranking("Why?", C, A), GIVEN)
    data = shown(record)
    assert [one["card"]["id"] for one in data["passages"]] == ["A", "B", "C"]
    assert [one["query"] for one in data["lists"]] == ["What?", "Why?"]
    assert data["passages"][0]["told"] == "found by Q1 at rank 1, Q2 at rank 2; given to the answer"
    assert "those of the question first" in reading_pool(record)


def test_a_question_that_is_its_own_step_back_is_one_list() -> None:
    assert len(shown(stepped("What?", FOUND[0], GIVEN))["lists"]) == 1
