"""Self-RAG's decisions and what it tells the model, from states that nobody has run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.skills.rewrite_question import brings
from core.strategies import self_rag
from core.strategies import self_rag as nodes
from core.strategies.self_rag_state import Params, State, cause
from core.trace.artefacts import Answer, Context, Grade
from tests.cases import cases
from tests.unit.strategies.stored import passage, ranking, runtime

REASON = "“In 1890” is in no passage."


def grade(what: Any, verdict: object, **fields: Any) -> Grade:
    return Grade(what=what, verdict=str(verdict), passes=True, **fields)


def state(*drafts: tuple[int, str, int]) -> State:
    """Drafts with their rounds and their IsSup and IsUse."""
    return {
        "question": "When?",
        "ranking": ranking(),
        "context": Context(passages=()),
        "drafts": [
            (number, Answer(text=str(place)), Context(passages=()))
            for place, (number, _, _) in enumerate(drafts, 1)
        ],
        "grades": [
            one
            for place, (_, support, use) in enumerate(drafts)
            for one in (
                (place, grade("IsSup", support, reason=REASON if support == "partially" else "")),
                (place, grade("IsUse", use, reason="The year is missing.")),
            )
        ],
    }


@cases(
    ("drafts", "way"),
    [
        ([(1, "fully", 5)], "answer"),
        ([(1, "partially", 5)], "generate"),
        ([(1, "partially", 5), (1, "partially", 5)], "answer"),  # once
        ([(1, "partially", 5), (1, "no", 5)], "answer"),  # the first will do
        ([(1, "partially", 2)], "rewrite"),  # a search may find what is missing
        ([(1, "no", 5), (1, "no", 5), (1, "partially", 5)], "answer"),  # the cap is for both
        ([(1, "no", 5)], "generate"),
    ],
)
def test_what_a_good_draft_adds_is_put_right_once(drafts: list[tuple[int, str, int]], way: str) -> None:
    assert self_rag.worth(state(*drafts), Params()) == way
    assert self_rag.worth({**state(*drafts), "capped": "No calls."}, Params()) == "answer"


def test_without_regenerations_what_is_supported_in_part_passes() -> None:
    assert self_rag.worth(state((1, "partially", 5)), Params(max_regenerations=0)) == "answer"


@cases(
    ("drafts", "best"),
    [
        ([(1, "partially", 5), (1, "fully", 4)], 2),
        ([(1, "fully", 4), (1, "partially", 5)], 1),
        ([(1, "partially", 5), (1, "partially", 5)], 2),  # it was told what was wrong with the other
        ([(1, "partially", 4), (1, "no", 5)], 1),
        ([(1, "partially", 3), (2, "fully", 1)], 1),  # an answer in part, and none
    ],
)
def test_the_best_draft_is_that_of_the_papers_sum(drafts: list[tuple[int, str, int]], best: int) -> None:
    made = asyncio.run(self_rag.answer(state(*drafts), runtime(Params())))
    assert made["answer"].text == str(best)


def test_the_cause_names_what_is_missing_and_what_is_unsupported() -> None:
    assert cause(state((1, "partially", 2))) == (
        f"IsUse 2 of 5: the answer is not useful enough. The year is missing. IsSup partially: {REASON}"
    )
    assert cause(state((1, "fully", 2))).endswith("The year is missing.")


def test_a_search_grades_as_many_new_passages_as_the_first() -> None:
    params, known = Params(k=2), [(0, grade("IsRel", "no", passage=passage(one))) for one in "ab"]
    searched: State = {"question": "q", "grades": known, "searches": ["q"]}
    made = asyncio.run(nodes.retrieve(searched, runtime(params, *"abcdef")))
    assert [hit.passage.chunk for hit in made["ranking"].used] == [*"abcd"]
    assert made["searches"] == ["q"]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"reason": "It says who held it."}, "a: It says who held it."),
        ({"reason": "Cosine 0.6.", "score": 0.6}, "a"),
        ({"reason": "Changed.", "note": "Changed by you."}, "a"),
        ({}, "a"),
    ],
)
def test_what_is_known_is_told_by_whoever_judged_it(fields: dict[str, Any], line: str) -> None:
    assert brings(passage("a"), grade("IsRel", "yes", **fields)) == line
    assert brings(passage("a"), None) == "a"
