"""A comparison for a projector: the question, a prediction, one strategy after another, and what came out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.cards.gist import gist, unformatted
from core.cards.kinds.evidence import answer_view
from core.cards.passages import names
from core.cards.recorded import origin
from core.charts.budgets import with_as_many
from core.charts.columns import Column
from core.charts.shared_evidence import gold_found
from core.runs.budget import chunks_given
from core.runs.gold import Gold, holds_evidence
from core.runs.record import Record
from core.skills.replies import CITED, cited
from core.strategies import strategies
from core.wording import counted

SHOWN = 6
"""Passages listed per strategy."""
ENDS = {"running": "Still running", "failed": "Failed", "stopped": "Stopped"}
_MARK = re.compile(rf"({CITED})")


@dataclass(frozen=True)
class Slide:
    """One strategy; all text is raw and must not be interpreted."""

    mark: str
    """Its letter."""
    title: str
    detail: str
    colour: str
    idea: str
    state: str
    """How the run stands, in words; empty: it has finished."""
    error: str
    """Why it failed or was stopped; may be empty."""
    running: bool
    did: str
    """What it did, in one line; may be empty."""
    evidence: tuple[dict[str, Any], ...]
    """Passages given to the answer: number as the answer cites it, title, whether it is gold and whether cited."""
    more: int
    """Passages that were given as well, but are not listed."""
    answer: tuple[dict[str, Any], ...]
    """Parts of its text, and whether each is a citation mark such as “[2]”; empty: there is none (yet)."""
    costs: tuple[str, ...]
    """Calls, rounds, tokens, seconds; each with its unit."""
    origin: str
    """Where its replies come from, if a recording played or kept some; else empty."""
    found: int
    """How much of the evidence is among what was given."""
    given: int
    """Different passages in any prompt that asked for an answer."""
    plain: str
    """How much of the evidence plain retrieval finds with as many, in words; empty: unknown."""


@dataclass(frozen=True)
class Presentation:
    """All that the presenter view shows, except for the votes."""

    question: str
    ask: str
    """What is predicted."""
    gold: int
    """How much evidence there is to find; 0: nobody knows."""
    slides: tuple[Slide, ...]
    best: tuple[str, ...]
    """Letters of those that found the most evidence; empty: not known, not yet, or none found any."""
    outcome: str
    """Which those are, in a sentence that names a tie; empty where `best` is."""


def presentation(columns: Sequence[Column], gold: Sequence[Gold], question: str) -> Presentation:
    """The presenter view of these runs, each as far as it is.

    Args:
        columns: Of a comparison.
        gold: The evidence; empty: nobody knows.
        question: What all of them answer.
    """
    slides = tuple(_slide(column, gold) for column in columns)
    most = max((slide.found for slide in slides), default=0)
    judged = most and not any(slide.running for slide in slides)
    first = [slide for slide in slides if slide.found == most] if judged else []
    return Presentation(
        question=question,
        ask="Which strategy finds the evidence?" if gold else "Which answer will be best?",
        gold=len(gold),
        slides=slides,
        best=tuple(slide.mark for slide in first),
        outcome=_outcome(first, len(slides), most, len(gold)) if first else "",
    )


def _outcome(best: Sequence[Slide], columns: int, found: int, gold: int) -> str:
    """Who found the most evidence, and in how many passages; several that found as much are not each said to have
    found the most."""
    much = f"{found} of {gold}"
    if len(best) == 1:
        only = best[0]
        what = "all of the" if found == gold else "the most"
        beside = f" {only.plain}." if only.plain else ""
        return f"{only.mark} found {what} evidence: {much} in {counted(only.given, 'passage')}.{beside}"
    marks = [f"{one.mark} (in {counted(one.given, 'passage')})" for one in best]
    names = f"{', '.join(marks[:-1])} and {marks[-1]}"
    if len(best) == columns:
        return f"A tie: {names} each found {'all of the evidence, ' if found == gold else ''}{much}."
    if found == gold:
        return f"{names} each found all of the evidence: {much}."
    return f"{names} tie for the most evidence: {much} each."


def _slide(column: Column, gold: Sequence[Gold]) -> Slide:
    record = column.record
    strategy = strategies().get(record.started.strategy) if record.started else None
    lines = _evidence(record, gold)
    return Slide(
        mark=column.mark,
        title=column.title,
        detail=column.detail,
        colour=column.colour,
        idea=strategy.idea.split(". ")[0].rstrip(".") + "." if strategy else "",
        state=ENDS.get(record.state, ""),
        error=record.error,
        running=record.state == "running",
        did=gist(record),
        evidence=lines[:SHOWN],
        more=len(lines[SHOWN:]),
        answer=_answer(record),
        costs=_costs(record),
        origin=origin(record),
        found=gold_found(column, gold),
        given=chunks_given(record),
        plain=with_as_many(column, gold),
    )


def _evidence(record: Record, gold: Sequence[Gold]) -> tuple[dict[str, Any], ...]:
    answer, context = record.answer, record.context
    cited = {citation.chunk for citation in answer.citations} if answer else set()
    given = [item.passage for item in context.passages if item.given] if context else []
    called = names(given)
    return tuple(
        {
            "number": number,
            "title": called[passage.chunk],
            "gold": holds_evidence(gold, passage),
            "cited": passage.chunk in cited,
        }
        for number, passage in enumerate(given, 1)
    )


def _answer(record: Record) -> tuple[dict[str, Any], ...]:
    answer = record.answer
    if answer is None:
        return ()
    text, chips = answer_view(answer, record.context)
    known = {chip.number for chip in chips}
    return tuple(
        {"text": part, "mark": bool(place % 2) and any(number in known for number in cited(part))}
        for place, part in enumerate(_MARK.split(unformatted(text)))
        if part
    )


def _costs(record: Record) -> tuple[str, ...]:
    totals = record.totals
    tokens = totals.tokens_in + totals.tokens_out
    return (
        counted(totals.calls, "call"),
        counted(totals.rounds, "round"),
        f"{'' if totals.tokens_known else '≥ '}{counted(tokens, 'token')}",
        f"{totals.seconds:.1f} s{', played' if totals.played else ''}",
    )
