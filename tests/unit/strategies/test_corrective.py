"""Corrective RAG's strips: which are kept of one search, and how those found elsewhere join them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import corrective
from core.strategies import corrective as nodes
from core.strategies.base import RunContext
from core.strategies.corrective_state import Params, State, refined
from core.trace.artefacts import Grade, RefinedPassage, Refinement, Strip
from core.trace.events import ArtefactMade, ListTracer
from tests.cases import cases
from tests.skill_context import skill_context
from tests.unit.strategies.stored import Stored, passage, ranking, runtime

if TYPE_CHECKING:
    from core.retrieval.retriever import Retriever


def grade(name: str, verdict: str, number: int = 1, score: float | None = None) -> Grade:
    return Grade(
        what="Holds", verdict=verdict, passes=verdict != "no", passage=passage(name), round=number, score=score
    )  # fmt: skip


def scored(*scores: float) -> tuple[Strip, ...]:
    return tuple(Strip(text=f"s{place}", kept=False, score=score) for place, score in enumerate(scores))


def named(*kept: bool) -> tuple[Strip, ...]:
    return tuple(Strip(text=f"s{place}", kept=one) for place, one in enumerate(kept))


def search(verdict: str) -> tuple[int, Grade]:
    return 9, Grade(what="Search", verdict=verdict, passes=verdict != "incorrect")


def flags(refined: Any) -> dict[str, list[bool]]:
    return {one.passage.chunk: [strip.kept for strip in one.strips] for one in refined}


def judged(grades: list[Grade], strips: list[tuple[Strip, ...]], verdict: str = "correct") -> State:
    names = [one.passage.chunk for one in grades if one.passage]
    return {
        "question": "q",
        "ranking": ranking(*names, query="q"),
        "grades": [*enumerate(grades), search(verdict)],
        "strips": strips,
    }


def test_strips_with_scores_compete_over_all_passages_whatever_their_grade() -> None:
    state = judged(
        [grade("a", "yes", score=0.7), grade("b", "no", score=0.4)],
        [scored(0.7, 0.1, 0.4), scored(0.2, 0.4, 0.4)],
    )
    assert flags(refined(state, 1, 3)) == {"a": [True, False, True], "b": [False, True, False]}
    assert flags(refined(state, 1, 99)) == {"a": [True] * 3, "b": [True] * 3}


@cases(
    ("verdict", "strips", "kept"),
    [
        ("yes", named(False, True), [False, True]),
        ("partly", named(False, False), [True, True]),  # it named none
        ("no", named(False, False), [False, False]),
        ("no", scored(0.9, 0.8), [False, False]),  # somebody said so, and the score is gone
        ("yes", scored(0.9, 0.8), [True, True]),
    ],
)
def test_a_judge_names_what_is_needed(verdict: str, strips: tuple[Strip, ...], kept: list[bool]) -> None:
    assert flags(refined(judged([grade("a", verdict)], [strips]), 1, 1)) == {"a": kept}


def elsewhere(verdict: str = "ambiguous") -> State:
    """Two passages of the first search, one of which is found again with another one."""
    state = judged(
        [grade("a", "partly", score=0.5), grade("b", "no", score=0.3)],
        [scored(0.5, 0.2), scored(0.4, 0.1)],
        verdict,
    )
    state["elsewhere"] = ranking("b", "c", "d", k=3, query="other words")
    found = [grade("b", "no", 2, 0.3), grade("c", "yes", 2, 0.9), grade("d", "no", 2, 0.1)]
    state["grades"] = [*state["grades"], *enumerate(found)]
    state["strips_elsewhere"] = [scored(0.1, 0.3), scored(0.9, 0.2), scored(0.1, 0.0)]
    return state


def test_what_is_found_elsewhere_is_refined_too_and_joins_the_rest() -> None:
    state, run = elsewhere(), runtime(Params(strips=2))
    first: State = {**state}
    del first["elsewhere"]
    made = asyncio.run(nodes.refine(first, run))["refinement"]
    assert flags(made.passages) == {"a": [True, False], "b": [True, False]}
    state["refinement"] = made
    both = asyncio.run(nodes.refine(state, run))["refinement"]
    assert flags(both.passages) == {
        "a": [True, False], "b": [True, True], "c": [True, False], "d": [False, False],
    }  # fmt: skip
    state["refinement"] = both
    context = asyncio.run(nodes.evidence(state, run))["context"]
    assert [(one.passage.chunk, one.given, one.source) for one in context.passages] == [
        ("a", True, ""), ("b", True, ""), ("c", True, "dense search"), ("d", False, "dense search"),
    ]  # fmt: skip
    assert context.passages[2].passage.left_out == ("s1",)


def test_an_incorrect_search_gives_nothing_but_what_is_found_elsewhere() -> None:
    state, run = elsewhere("incorrect"), runtime(Params(strips=2))
    state["refinement"] = asyncio.run(nodes.refine(state, run))["refinement"]
    context = asyncio.run(nodes.evidence(state, run))["context"]
    given = [(one.passage.chunk, one.source) for one in context.passages if one.given]
    assert given == [("b", "dense search"), ("c", "dense search")]


def test_what_somebody_put_back_stays_when_more_is_found() -> None:
    state = elsewhere()
    yours = Refinement(passages=(RefinedPassage(passage=passage("a"), strips=named(False, True)),))
    state["refinement"] = yours
    made = asyncio.run(nodes.refine(state, runtime(Params(strips=1))))["refinement"]
    assert flags(made.passages)["a"] == [False, True]


JUDGED = ["retrieve", "grade", "judge"]
ELSEWHERE = ["elsewhere", "grade_elsewhere", "refine", "evidence", "answer"]


@pytest.mark.parametrize(
    ("lower", "upper", "nodes_run"),
    [
        (0.05, 0.1, [*JUDGED, "refine", "evidence", "answer"]),
        (0.1, 1, [*JUDGED, "elsewhere", "refine", "grade_elsewhere", "refine", "evidence", "answer"]),
        (1, 1, [*JUDGED, *ELSEWHERE]),
    ],
)
def test_each_way_through_the_graph_ends_in_one_list(
    lower: float, upper: float, nodes_run: list[str]
) -> None:
    texts = {"a": "A film. It is long.", "b": "Zebras run.", "c": "Ada made a film. It is known."}
    params = Params(rewrite=False, k=2, strips=2, lower=lower, upper=upper)
    tracer = ListTracer()
    methods = {"evaluate_passage": "embedding", "answer": "extractive"}
    skills = skill_context(tracer=tracer, builtin=True, methods=methods)
    run = RunContext(params, skills, tracer, cast("Retriever", Both(texts)))

    async def steps() -> list[str]:
        graph = corrective.build(params).compile()
        updates = graph.astream({"question": "Who made a film?"}, context=run, stream_mode="updates")
        return [node async for update in updates for node in update]

    assert asyncio.run(steps()) == nodes_run
    made = [event.artefact for event in tracer.events if isinstance(event, ArtefactMade)]
    *_, last = [one for one in made if isinstance(one, Refinement)]
    searches = 2 if nodes_run.count("refine") == 2 else 1
    assert sum(strip.kept for one in last.passages for strip in one.strips) <= 2 * searches


class Both(Stored):
    """Searches a few texts in their order, and elsewhere from behind."""

    def __init__(self, texts: dict[str, str], *, behind: bool = False) -> None:
        super().__init__([passage(name, text) for name, text in texts.items()][:: -1 if behind else 1])
        self.texts = texts

    def other(self) -> Both:
        return Both(self.texts, behind=True)


def test_runs_stored_before_are_read() -> None:
    assert Params.model_validate({"margin": 0.2, "k": 3, "context_size": 2}) == Params(k=2)


@pytest.mark.parametrize(("values", "calls", "rounds"), [({}, 14, 4), ({"elsewhere": "memory"}, 8, 3)])
def test_what_is_found_elsewhere_costs_a_call_for_each_passage(
    values: dict[str, Any], calls: int, rounds: int
) -> None:
    strategy = corrective.STRATEGY
    forecast = strategy.forecast(strategy.parse(values), methods_in_force(strategy.skills, CAPABLE, {}))
    assert (forecast.calls_expected, forecast.calls_most) == (7, calls)
    assert (forecast.rounds, forecast.rounds_most) == (2, rounds)
