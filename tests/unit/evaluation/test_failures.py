"""Where a run failed, step by step, on hand-made runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import pytest

from core.evaluation.datasets import LabelledQuestion
from core.evaluation.failures import STAGES, Outcome, Stage, outcome
from core.runs.record import Record, Step, record
from core.trace.artefacts import Answer, AnyArtefact, Citation, Context, ContextPassage, SubAnswer
from tests.examples.parts import PASSAGES
from tests.examples.runs import failed, plain, stopped

QUESTION = LabelledQuestion("q", "Who?", "", ("Larry Cohen",), {"doc0": 1, "doc1": 1})


def run(*artefacts: AnyArtefact) -> Record:
    return Record(
        steps=[Step("s", "answer", "", None, 0, 0.0, 1.0, "finished", artefacts=list(artefacts))],
        state="finished",
    )


def evidence(*given: int, left: Sequence[int] = ()) -> Context:
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=0.5, passage=PASSAGES[place], given=place in given)
            for rank, place in enumerate((*given, *left), 1)
        )
    )


def said(text: str, *cited: int) -> Answer:
    return Answer(
        text=text,
        citations=tuple(Citation(sentence=0, chunk=PASSAGES[place].chunk, quote="") for place in cited),
    )


@pytest.mark.parametrize(
    ("made", "stage"),
    [
        ((evidence(2, 3), said("George Marshall", 2)), "no gold passage retrieved"),
        ((evidence(2, left=[0]), said("George Marshall", 2)), "retrieved but not given"),
        ((evidence(0, 2), said("George Marshall", 2)), "given but not used"),
        ((evidence(0, 2), said("I don't know.")), "given but not used"),
        ((evidence(0, 2), said("George Marshall", 0)), "used but wrong"),
        ((evidence(0, 2), said("Larry Cohen", 0)), "right"),
        ((evidence(2), said("It is Larry Cohen.")), "right"),
        ((said("Larry Cohen"),), "right"),  # closed book
        ((said("Rome"),), "no gold passage retrieved"),
        ((evidence(2),), "no gold passage retrieved"),  # retrieval only
        ((evidence(2, left=[0]),), "retrieved but not given"),
        ((evidence(0),), "not judged"),
        ((), "no gold passage retrieved"),
    ],
)
def test_stages(made: tuple[AnyArtefact, ...], stage: Stage) -> None:
    assert outcome(run(*made), QUESTION).stage == stage


def test_counts() -> None:
    found = outcome(run(evidence(0, 2, left=[1]), said("Rome", 2, 0)), QUESTION)
    assert found == Outcome("used but wrong", gold=2, retrieved=2, given=1, cited=1)


def test_support_matters_for_right_answers_only() -> None:
    right, wrong = run(evidence(0), said("Larry Cohen", 0)), run(evidence(0), said("Rome", 0))
    assert outcome(right, QUESTION, supported=False).stage == "unsupported"
    assert outcome(right, QUESTION, supported=True).stage == "right"
    assert outcome(wrong, QUESTION, supported=False).stage == "used but wrong"


def test_what_sub_questions_read_counts() -> None:
    sub = SubAnswer(
        index=0,
        question="Who directed it?",
        searched="",
        passages=PASSAGES[:1],
        text="",
        citations=said("", 0).citations,
    )
    assert outcome(run(sub, said("Rome")), QUESTION).stage == "used but wrong"
    silent = sub.model_copy(update={"citations": ()})
    assert outcome(run(silent, said("Rome")), QUESTION).stage == "given but not used"


def test_without_labels() -> None:
    made = run(evidence(0), said("Rome"))
    assert outcome(made, replace(QUESTION, gold={})).stage == "wrong, gold passages not known"
    assert outcome(made, replace(QUESTION, gold={}, answers=())).stage == "not judged"
    assert outcome(made, replace(QUESTION, answers=())).stage == "not judged"


def test_documents_have_other_ids_in_a_corpus() -> None:
    made = run(evidence(0), said("Rome", 0))
    question = replace(QUESTION, gold={"tw1": 1})
    assert outcome(made, question).stage == "no gold passage retrieved"
    assert outcome(made, question, {"doc0": "tw1"}).stage == "used but wrong"


def test_whole_runs() -> None:
    assert outcome(record(failed()), QUESTION).stage == "run failed"
    assert outcome(record(stopped()), QUESTION).stage == "run failed"
    assert outcome(record(plain()), QUESTION).stage == "right"


def test_every_stage_is_explained() -> None:
    assert set(STAGES) == set(get_args(Stage))
