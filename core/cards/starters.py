"""Starter cards: demo questions, and what a strategy was seen to make of them; and the table of recorded questions.

`python -m tools.starters` finds them by running and writes the file that is read here. What a card says is
computed from what happened, so that it cannot promise what was not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from core.corpora.demo import DEMOS, STARTERS, WORLD
from core.models.recordings.covers import recorded_for_all
from core.models.recordings.items import BUILDING, KeptRun
from core.models.recordings.items import Judged as Verdict
from core.retrieval.defaults import Default
from core.runs.recordings import recorded_default
from core.strategies import strategies
from core.trace.passages import Frozen
from core.wording import counted, number_word

FILE = WORLD / "cards.jsonl"
MOST = 4
"""Cards of a strategy: few enough to be read at a glance."""
LEAST = 3
"""Cards of a strategy, where as many questions were tried."""

Who = Literal["recording", "builtin"]
"""The model that answered: the recording that comes with the app, or the built-in one."""
Judged = Literal["right", "wrong", "refusal"]
Shows = Literal["more", "enough", "right", "not_told", "made_up", "none", "lacks", "misread"]
"""The point of a card, see `shows`."""


class Starter(Frozen):
    """A question through a strategy, as it came out with default settings."""

    who: Who
    strategy: str
    """Its key."""
    question: str
    """Id of a question of the demo documents."""
    found: Annotated[int, Field(ge=0)]
    """Pieces of evidence that were given to the answer."""
    of: Annotated[int, Field(ge=0)]
    """Pieces of evidence in all; 0: there is none, or it is not searched for in documents."""
    plain: Annotated[int, Field(ge=0)] | None
    """Pieces that as many passages of plain retrieval hold; None: it is plain retrieval, or nothing was searched."""
    verdict: Judged
    told: bool
    """True if the documents tell the answer."""
    calls: Annotated[int, Field(ge=0)]
    """Model calls."""
    retriever: str
    """With which it was searched; empty: no documents were."""

    @property
    def shows(self) -> Shows:
        """Its point: `more` evidence than plain retrieval and a right answer; that one search is `enough`; a
        `right` answer and no more; that what is `not_told` is not answered, or `made_up`; that there is `none` though
        it is told; a wrong answer since a piece of evidence `lacks`, or `misread` ones."""
        if not self.told:
            return "not_told" if self.verdict == "refusal" else "made_up"
        if self.verdict == "refusal":
            return "none"
        if self.verdict == "wrong":
            return "lacks" if self.found < self.of else "misread"
        if self.of and self.plain is not None and self.found > self.plain:
            return "more"
        beside = self.found if self.plain is None else self.plain
        return "enough" if self.of and self.found == self.of == beside else "right"

    @property
    def sentence(self) -> str:
        """The point of the card, in words."""
        pieces = (
            "the one piece of evidence" if self.of == 1 else f"{self.found} of {self.of} pieces of evidence"
        )
        pieces = pieces if self.found else "none of the evidence"
        more = self.found - (self.plain or 0)
        sentences: dict[Shows, str] = {
            "more": f"Finds {number_word(more)} more {'piece' if more == 1 else 'pieces'} of evidence than plain "
            "retrieval with as many passages",
            "enough": "One search is enough: plain retrieval with as many passages finds all, too"
            if self.plain is not None
            else "One search is enough",
            "right": f"Got the answer right, with {pieces}" if self.of else "Got the answer right",
            "not_told": "Not in the documents, and it says so",
            "made_up": "Not in the documents, and answered all the same",
            "none": f"Ends without an answer: {pieces} found" if self.of else "Ends without an answer",
            "lacks": f"Gets it wrong: {pieces} found",
            "misread": "Gets it wrong, with all the evidence at hand" if self.of else "Gets it wrong",
        }
        return sentences[self.shows]


def starters(strategy: str, who: Who) -> tuple[Starter, ...]:
    """Return the cards of a strategy (by its key) in their order; none where nothing was tried. Blocks while
    reading, once."""
    return tuple(starter for starter in every() if (starter.strategy, starter.who) == (strategy, who))


@cache
def every() -> tuple[Starter, ...]:
    """All cards."""
    if not FILE.exists():
        return ()
    return tuple(Starter.model_validate_json(line) for line in FILE.read_text(encoding="utf-8").splitlines())


class StarterQuestion(NamedTuple):
    """A question of the demo documents."""

    text: str
    kind: str
    """Kind of reasoning that it takes."""
    shows: str
    """The point that it was written to show."""


@cache
def starter_questions() -> dict[str, StarterQuestion]:
    """Id -> question, as the demo's own files have them: they are known before the documents are indexed."""
    questions = {}
    for name in (DEMOS[0].questions, STARTERS):
        for line in (WORLD / name).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            questions[record["id"]] = StarterQuestion(record["text"], record["kind"], record["shows"])
    return questions


def chosen(tried: Iterable[Starter]) -> list[Starter]:
    """Choose which of one strategy's starters become cards: one of each kind as far as there are, a right answer
    first. They are `tried` in the order in which one would show them."""
    order: tuple[Shows, ...] = (
        "more", "enough", "right", "not_told", "lacks", "misread", "none", "made_up",
    )  # fmt: skip
    ranked = sorted(tried, key=lambda starter: order.index(starter.shows))
    first: dict[Shows, Starter] = {}
    for starter in ranked:
        first.setdefault(starter.shows, starter)
    picks = list(first.values())
    if len(picks) > MOST:  # to see it go wrong teaches more than to see it be right twice
        picks = [starter for starter in picks if starter.shows != "right" or starter is ranked[0]][:MOST]
    others = [starter for starter in ranked if starter not in picks]
    picks += [starter for starter in others if starter.shows == "more"][: MOST - len(picks)]
    picks += [starter for starter in others if starter not in picks][: max(0, LEAST - len(picks))]
    return sorted(picks, key=ranked.index)


SIGNS: Mapping[Verdict | None, tuple[str, str]] = {
    "right": ("✓", "right"),
    "wrong": ("✗", "wrong"),
    "refusal": ("–", "no answer"),
    "unclear": ("?", "judge the answer yourself"),
    None: ("•", "recorded"),
}
"""Verdict on a run -> the sign in its cell, and the words that a screen reader says."""


@dataclass(frozen=True)
class RecordedQuestion:
    """One question."""

    question: str
    runs: Mapping[str, KeptRun]
    """Key of a strategy -> its run, with the usual settings where those were recorded."""
    whole: bool
    """True where each strategy that has a column has a recorded run of this question."""


@dataclass(frozen=True)
class RecordedGrid:
    """The table."""

    columns: tuple[str, ...]
    """Keys of the strategies, in the order of the app."""
    rows: tuple[RecordedQuestion, ...]
    """The rows in the order of the table: questions recorded with every strategy, then by the number of strategies, the
    most first; equal ones as they were given."""

    def run(self, row: int, strategy: str) -> KeptRun | None:
        """The run in a cell; None: there is none."""
        return self.rows[row].runs.get(strategy) if 0 <= row < len(self.rows) else None

    def data(self) -> dict[str, Any]:
        """The table as plain values, for its drawing."""
        known = strategies()
        titles = {key: known[key].title for key in self.columns}
        return {
            "columns": [
                {"key": key, "title": titles[key], "colour": known[key].colour} for key in self.columns
            ],
            "rows": [
                {
                    "question": row.question,
                    "whole": row.whole,
                    "cells": [_cell(row.runs.get(key), titles[key]) for key in self.columns],
                }
                for row in self.rows
            ],
            "legend": [
                {"sign": sign, "words": words, "tone": judged or "none"}
                for judged, (sign, words) in SIGNS.items()
                if any(run.verdict == judged for row in self.rows for run in row.runs.values())
            ],
        }


def recorded_grid(runs: Iterable[KeptRun], order: Sequence[str] = ()) -> RecordedGrid:
    """Return the table of the runs asked while a recording was made; texts of questions in `order` come first, as
    they stand there."""
    known = strategies()
    known_runs = [run for run in runs if run.strategy in known and run.strategy != BUILDING]
    whole = recorded_for_all(known_runs)
    searched = {key: recorded_default("", known_runs, key) for key in known}
    by_question: dict[str, dict[str, KeptRun]] = {}
    for run in sorted(known_runs, key=lambda run: _unusual(run, searched[run.strategy])):
        by_question.setdefault(run.question, {}).setdefault(run.strategy, run)
    place = {question: number for number, question in enumerate(order)}
    rows = [RecordedQuestion(question, each, question in whole) for question, each in by_question.items()]
    rows.sort(
        key=lambda row: (not row.whole, -len(row.runs), place.get(row.question, len(place)), row.question)
    )
    columns = tuple(key for key in known if any(key in row.runs for row in rows))
    return RecordedGrid(columns, tuple(rows))


def _unusual(run: KeptRun, searched: Default | None) -> int:
    """Count the settings of a run that are not at their default; `searched` is how most runs of its strategy
    searched."""
    usual = strategies()[run.strategy].params.model_fields
    changed = [name for name, value in run.params.items() if name in usual and usual[name].default != value]
    otherwise = searched is not None and run.retriever != searched.retriever
    return len(changed) + otherwise + bool(run.where) + bool(run.edited)


def _cell(run: KeptRun | None, strategy: str) -> dict[str, str] | None:
    if run is None:
        return None
    sign, words = SIGNS[run.verdict]
    calls = "" if run.calls is None else f", {counted(run.calls, 'model call')}"
    return {"sign": sign, "tone": run.verdict or "none", "label": f"{strategy}: {words}{calls}"}
