"""Which demo questions the built-in model answers rightly, by strategy: `core.runs.gallery` reads it, so that a page
offers these first.

Plain retrieval is asked all that the demo documents answer. Every other strategy is asked those that were written for
it, and then those that it or a strategy before it was seen to answer, until it answers `ENOUGH`; all others would take
a small model an hour. What was not tried counts as not answered.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.entries import Question
from core.runs.gallery import ANSWERED, RIGHT, demo_request
from core.runs.record import record
from core.skills.refusals import abstains
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.trace.artefacts import Answer
from tools.examples.asking import Asking, Unfinished
from tools.verdicts import right

ENOUGH = 8
"""Right answers of a strategy after which it is asked no question that was not written for it."""


@dataclass(frozen=True)
class Tried:
    """A question through a strategy."""

    strategy: str
    question: str
    """Its id."""
    verdict: str
    """`right`, `wrong`, or `none`: it says that it has no answer."""
    text: str
    """The answer."""


def candidates(
    strategy: str, questions: Sequence[Question], seen: Mapping[str, Sequence[str]]
) -> list[Question]:
    """Questions that a strategy is asked, those that were written for it first.

    Args:
        strategy: Its key.
        questions: That have an answer.
        seen: Strategy that was asked before -> ids of the questions that it answered rightly.
    """
    known = {id_ for ids in seen.values() for id_ in ids}
    asked = [one for one in questions if strategy in one.strategies]
    return asked + [
        one
        for one in questions
        if strategy not in one.strategies and (strategy == BASELINE or one.id in known)
    ]


def tried(asking: Asking, strategy: str, question: Question, corpus: str = DEMO_CORPUS) -> Tried:
    """Ask, and judge.

    Raises:
        Unfinished: The run did not reach its end.
    """
    request = demo_request(question.text, strategy)
    run = record(asking.events(replace(request, corpus=corpus) if request.corpus else request))
    said = "none" if run.answer is None or _refuses(run.answer) else "wrong"
    verdict = RIGHT if right(run, question) else said
    return Tried(strategy, question.id, verdict, run.answer.text if run.answer else "")


def every(asking: Asking) -> Iterator[Tried]:
    """What each strategy that needs no other model made of the questions that it is asked; plain retrieval first, also
    of those of the demo corpora in other languages."""
    able = [key for key, one in strategies().items() if not one.lacking(True)]
    able.sort(key=lambda key: key != BASELINE)
    questions = [one for one in asking.questions if one.answers]
    seen: dict[str, list[str]] = {}
    for key in able:
        mine = seen[key] = []
        for question in candidates(key, questions, seen):
            if key not in (BASELINE, *question.strategies) and len(mine) >= ENOUGH:
                break
            try:
                found = tried(asking, key, question)
            except Unfinished as problem:
                print(f"  {question.id} {key}: {problem}", flush=True)
                continue
            if found.verdict == RIGHT:
                mine.append(question.id)
            yield found
    for corpus in DEMO_CORPORA[1:]:
        for question in asking.questions_of(corpus):
            if question.answers:
                yield tried(asking, BASELINE, question, corpus)


def write(found: Sequence[Tried]) -> None:
    """Keep the verdicts."""
    text = io.StringIO()
    lines = csv.writer(text, delimiter="\t", lineterminator="\n")
    lines.writerow(("strategy", "question", "verdict"))
    lines.writerows((one.strategy, one.question, one.verdict) for one in found)
    ANSWERED.write_text(text.getvalue(), encoding="utf-8")


def _refuses(answer: Answer) -> bool:
    return answer.abstained or abstains(answer.text)
