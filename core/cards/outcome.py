"""The outcome of a run in one line: evidence found, the finds of plain retrieval, the verdict on the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.cards.passages import STAR
from core.runs.budget import chunks_given, given_passages, plain_with
from core.runs.record import Record
from core.strategies.base import BASELINE
from core.trace.artefacts import Answer
from core.trace.gold import pieces_held
from core.wording import counted

if TYPE_CHECKING:
    from core.evaluation.answers import Verdict

VERDICTS: dict[Verdict, tuple[str, str]] = {
    "right": ("check_circle", "Answer right"),
    "wrong": ("cancel", "Answer wrong"),
    "refusal": ("do_not_disturb_on", "No answer"),
    "unclear": ("balance", "Judge for yourself"),
}
"""Verdict -> its icon, and what it is called."""

FEW_WORDS = 4
"""Words up to which an answer that does not hold the right one is called wrong."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run; raw text."""

    stars: str
    """A star for each piece of evidence, filled where it was found; empty: there are many, or none is known."""
    found: int
    """Pieces of evidence that it gave to its answers."""
    of: int
    """Pieces of evidence in all; 0: nobody knows, or there is none."""
    plain: int | None
    """Pieces that as many passages of plain retrieval hold; None: it is plain retrieval, or searched no documents."""
    given: int
    """Passages that it gave to its answers; 0: none, or they are none of documents that were searched."""
    shared: int | None
    """How many of these plain retrieval finds, too; None as for `plain`."""
    verdict: Verdict | None
    """On its answer; None: nobody knows the right one, or there is no answer yet."""
    answers: tuple[str, ...]
    """Right answers."""

    @property
    def evidence(self) -> str:
        """How much of the evidence was found, in words; empty where nobody knows."""
        pieces = "piece" if self.of == 1 else "pieces"
        return f"{self.found} of {self.of} {pieces} of evidence found" if self.of else ""

    @property
    def beside(self) -> str:
        """How much of it plain retrieval finds, in words; empty where there is nothing to say."""
        return "" if self.plain is None or not self.of else f"{self.plain_named} finds {self.plain}"

    @property
    def plain_named(self) -> str:
        """Plain retrieval with its number of passages, in words."""
        return plain_with(self.given)

    @property
    def line(self) -> str:
        """All of it in one line of plain words."""
        finds = f"{self.stars} {self.evidence}".strip() if self.of else self.passages
        verdict = VERDICTS[self.verdict][1] if self.verdict else ""
        right = "" if self.verdict in (None, "right") else f"Right answer: {self.answers[0]}"
        return " · ".join(filter(None, (finds, self.beside, verdict, right)))

    @property
    def passages(self) -> str:
        """How many passages were given, and how many of them a plain search finds, in words; empty: none were."""
        if not self.given:
            return ""
        text = f"{counted(self.given, 'passage')} given"
        if self.shared is None:
            return text
        return f"{text}, {self.shared} of which {self.plain_named} finds, too"


def outcome(record: Record, *, judge: bool = True) -> Outcome | None:
    """The outcome of a run; None: it has not ended, or was not measured against anything.

    `judge`: False leaves the verdict on its answer out, whose word lists take a moment to compile when first used.
    """
    baseline, started = record.baseline, record.started
    if baseline is None or started is None:
        return None
    passages = given_passages(record)
    pieces = pieces_held(baseline.gold, passages)
    plain = baseline.passages
    chunks = {chunk for passage in plain for chunk in passage.ids}
    alone = not baseline.retriever or (started.strategy == BASELINE and not record.fork)
    answer = record.answer if judge else None
    return Outcome(
        stars=rating(pieces, len(baseline.gold)),
        found=pieces,
        of=len(baseline.gold),
        plain=None if alone else pieces_held(baseline.gold, plain),
        given=chunks_given(record) if baseline.retriever else 0,
        shared=None if alone else sum(bool(chunks & set(passage.ids)) for passage in passages),
        verdict=judged(answer, baseline.answers, started.question) if answer and baseline.answers else None,
        answers=baseline.answers,
    )


def judged(answer: Answer, gold: Sequence[str], question: str) -> Verdict:
    """The verdict on an answer, as in Evaluate; but where the right answer is long, that an answer lacks its words is
    no proof against it."""
    from core.evaluation.answers import verdict  # no other part of a card needs what judges answers
    from core.evaluation.words import tokens

    result = verdict(answer, gold, question)
    if result == "wrong" and all(len(tokens(right)) > FEW_WORDS for right in gold):
        return "unclear"
    return result


def rating(pieces: int, of: int, most: int = 8) -> str:
    """Found and missing pieces of evidence as stars, e.g. `★★☆`; empty above `most`, where nobody counts them."""
    return STAR * pieces + "☆" * (of - pieces) if of <= most else ""
