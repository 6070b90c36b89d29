"""Answers that people have read and labelled, against what the scores make of them.

`tests/data/judged_answers.json` is a list of objects:

    question   what was asked
    gold       the right answer, or a list of them
    answer     the whole text, with its citation marks
    short      the answer in few words, where the method gave one; else empty
    abstained  whether the method said as a fact that there is no answer
    label      "right", "wrong" or "refusal": what a reader says, who knows the question, the gold answer and the text

To add answers, add objects; labels on which two readers disagree do not belong here. What the scores leave out as
“cannot be judged” is no error, but must stay rare, and only where the question names the right answer itself.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.answers import Verdict, verdict
from core.evaluation.choices import options_of
from core.skills.answer import cite
from core.trace.artefacts import Answer
from tests.cases import cases

FILE = Path(__file__).parents[2] / "data" / "judged_answers.json"
READ = FILE.with_name("read_answers.json")
"""Answers of the same form that were not at hand when the rules were made, with where the questions come from."""
AGREEMENT = 0.95
UNCLEAR_AT_MOST = 0.1
"""Share of the answers to “A or B?” that may be left out."""

LEAST_RIGHT = 0.75
"""Share of the right answers in other words that no reader need look at."""


@dataclass(frozen=True)
class Judged:
    """An answer as it was labelled."""

    question: str
    gold: tuple[str, ...]
    answer: Answer
    label: Verdict


def judged(record: dict[str, Any]) -> Judged:
    """One object of the file; the text is cut into sentences as the skills cut it."""
    if record["label"] not in ("right", "wrong", "refusal"):
        raise ValueError(f"There is no label {record['label']!r}.")
    gold = record["gold"] if isinstance(record["gold"], list) else [record["gold"]]
    made = cite(record["answer"], (), skill="answer", method="model")
    facts = {"short": record["short"], "abstained": record["abstained"]}
    return Judged(record["question"], tuple(gold), made.model_copy(update=facts), record["label"])


LABELLED = [judged(record) for record in json.loads(FILE.read_text(encoding="utf-8"))]


@cases("one", LABELLED)
def test_scores_say_what_readers_say(one: Judged) -> None:
    found = verdict(one.answer, one.gold, one.question)
    left_out = found == "unclear" and options_of(one.question, one.gold) is not None
    assert found == one.label or left_out


def test_few_answers_are_left_out() -> None:
    offered = [one for one in LABELLED if options_of(one.question, one.gold)]
    unclear = [one for one in offered if verdict(one.answer, one.gold, one.question) == "unclear"]
    assert len(unclear) <= UNCLEAR_AT_MOST * len(offered)


def test_scores_agree_with_readers_on_answers_that_the_rules_were_not_made_on() -> None:
    """Two of the sixty differ: “Second” for “second-largest global producer”, and a Korean paraphrase of the gold."""
    read = [judged(record) for record in json.loads(READ.read_text(encoding="utf-8"))]
    found = [(one.label, verdict(one.answer, one.gold, one.question)) for one in read]
    assert len(found) == 60
    assert sum(label == scored for label, scored in found) >= AGREEMENT * len(found)
    assert not any(scored == "right" for label, scored in found if label == "refusal")
    assert not any(scored == "refusal" for label, scored in found if label == "right")


WORDED = json.loads(FILE.with_name("worded_answers.json").read_text(encoding="utf-8"))
"""Short answers in the words that people use; `half` says which took part in making the rules."""


@pytest.mark.parametrize("half", ["choosing", "judging"])
def test_an_answer_in_other_words_is_never_wrong_and_another_one_never_right(half: str) -> None:
    """A reader decides where the rules do not, but seldom."""
    found = Counter(
        (record["label"], verdict((one := judged(record)).answer, one.gold, one.question))
        for record in WORDED
        if record["half"] == half
    )
    assert found["right", "wrong"] == found["wrong", "right"] == 0
    assert found["right", "right"] >= LEAST_RIGHT * sum(
        n for (label, _), n in found.items() if label == "right"
    )
