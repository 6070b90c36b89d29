"""The table of recorded runs: a row for each question, a column for each strategy, and in each cell whether the answer
was right; raw text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.models.recordings.covers import recorded_for_all
from core.models.recordings.items import BUILDING, Judged, KeptRun
from core.retrieval.defaults import Default
from core.runs.recordings import recorded_default
from core.strategies import strategies
from core.wording import counted

SIGNS: Mapping[Judged | None, tuple[str, str]] = {
    "right": ("✓", "right"),
    "wrong": ("✗", "wrong"),
    "refusal": ("–", "no answer"),
    "unclear": ("?", "judge the answer yourself"),
    None: ("•", "recorded"),
}
"""Verdict on a run -> the sign in its cell, and the words that a screen reader says."""


@dataclass(frozen=True)
class Row:
    """One question."""

    question: str
    runs: Mapping[str, KeptRun]
    """Key of a strategy -> its run, with the usual settings where those were recorded."""
    whole: bool
    """True where each strategy that has a column has a recorded run of this question."""


@dataclass(frozen=True)
class Grid:
    """The table."""

    columns: tuple[str, ...]
    """Keys of the strategies, in the order of the app."""
    rows: tuple[Row, ...]
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


def recorded_grid(runs: Iterable[KeptRun], order: Sequence[str] = ()) -> Grid:
    """The table of what was asked while a recording was made.

    Args:
        runs: How questions were asked.
        order: Texts of questions, as they are to stand; others follow.
    """
    known = strategies()
    asked = [run for run in runs if run.strategy in known and run.strategy != BUILDING]
    whole = recorded_for_all(asked)
    searched = {key: recorded_default("", asked, key) for key in known}
    found: dict[str, dict[str, KeptRun]] = {}
    for run in sorted(asked, key=lambda run: _unusual(run, searched[run.strategy])):
        found.setdefault(run.question, {}).setdefault(run.strategy, run)
    place = {question: number for number, question in enumerate(order)}
    rows = [Row(question, each, question in whole) for question, each in found.items()]
    rows.sort(
        key=lambda row: (not row.whole, -len(row.runs), place.get(row.question, len(place)), row.question)
    )
    columns = tuple(key for key in known if any(key in row.runs for row in rows))
    return Grid(columns, tuple(rows))


def _unusual(run: KeptRun, searched: Default | None) -> int:
    """How many of its settings are not at their default.

    Args:
        run: A run of the recording.
        searched: How most runs of its strategy searched; None: they searched nothing.
    """
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
