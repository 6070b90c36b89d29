"""What `ask --json` says of an answer in doubt, and of who did what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.runs.record import Record, record
from core.runs.summary import summary
from core.trace.artefacts import Answer, AnyArtefact, SubAnswer
from tests import examples

METHODS = {"sub_questions": "model", "resolve": "model", "answer_sub": "model", "answer": "model"}


def run(*steps: tuple[AnyArtefact, ...], asked: tuple[str, ...] = ()) -> Record:
    """A run of one step for each group of artefacts; in the first, skills in `asked` asked the model."""
    script = examples.Script()
    script.start("decomposition-sequential")
    for number, made in enumerate(steps):
        script.step(f"s-{number}", "answer_sub", number)
        for skill in asked if not number else ():
            script.call(f"s-{number}", f"c-{skill}", skill, "He.")
        for artefact in made:
            script.make(f"s-{number}", artefact)
        script.done(f"s-{number}")
    made_of = record(script.events)
    assert made_of.started
    return replace(made_of, started=made_of.started.model_copy(update={"methods": METHODS}))


def sub_answer(searched: str, **fields: Any) -> SubAnswer:
    return SubAnswer(index=1, question="When was #1 born?", searched=searched, text="In 1936.", **fields)


def test_doubt_stands_beside_the_answer() -> None:
    made = Answer(text="In 1936.", short="1936", suggested=True)
    said = summary(run((made,)))
    assert (said["short"], said["suggested"], said["abstained"]) == ("1936", True, False)
    silent = summary(run((Answer(text="Nobody says it.", abstained=True),)))
    assert (silent["short"], silent["suggested"], silent["abstained"]) == ("", False, True)
    none = summary(run())
    assert (none["short"], none["suggested"], none["abstained"]) == (None, None, None)


def test_a_method_is_the_one_that_did_it() -> None:
    filled = sub_answer("When was Seth born?", skill="answer_sub", method="model")
    assert summary(run((filled,)))["methods"] == METHODS | {"resolve": "rule"}
    assert summary(run((filled,), asked=("resolve",)))["methods"] == METHODS
    another = filled.model_copy(update={"index": 2})
    assert summary(run((filled,), (another,), asked=("resolve",)))["methods"]["resolve"] == "model, rule"
    assert summary(run((filled,), (filled,), asked=("resolve",)))["methods"]["resolve"] == "model", "again"
    as_it_was = sub_answer("When was #1 born?", skill="answer_sub", method="model")
    assert summary(run((as_it_was,)))["methods"] == METHODS
