"""Line-ups of Compare: columns that are filled in with a click, those first that the recording that plays holds."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.starters import starter_questions
from core.models.recordings.covers import recorded_for_all
from core.models.recordings.items import KeptRun
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.strategies.lineups import COMPARED, EVALUATED, QUESTIONS, lineups
from core.ui.forms.setting import SettingDraft, choices

_FOUND = lineups()
_OTHERS = [name for name in _FOUND if name not in COMPARED and name not in EVALUATED.values()]
LINEUPS = {name: choices(_FOUND[name]) for name in (*COMPARED, *_OTHERS) if name in _FOUND}
"""Comparisons worth seeing, ready to be filled in: name -> columns."""
FIRST = next(iter(LINEUPS))
USUAL = 3
"""Columns that are filled in where no line-up fits."""


def recorded(choice: SettingDraft, runs: Sequence[KeptRun]) -> bool:
    """Return True if a column was recorded, by the runs of its question in the recording."""
    return any(
        run.strategy == choice.strategy
        and choice.retriever in ("", run.retriever)
        and all(run.params.get(name) == value for name, value in choice.params.items())
        for run in runs
    )


def question_of(name: str, runs: Sequence[KeptRun]) -> str:
    """Return the question for which a line-up, by its name, is offered.

    Among those that the recording holds through every strategy, it is the first whose answers differ in these columns;
    else the one that is listed; else any that is recorded with them. `runs` are all of the recording, none where none
    plays.
    """
    listed, columns = QUESTIONS.get(name, ""), LINEUPS[name]
    whole = recorded_for_all(runs)
    results = {
        starter.text: verdicts
        for starter in starter_questions().values()
        if starter.text in whole and (verdicts := _verdicts(columns, _of(runs, starter.text))) is not None
    }
    differing = [text for text, verdicts in results.items() if len(verdicts) > 1]
    if differing:
        return listed if listed in differing else differing[0]
    known = bool(listed) and all(recorded(column, _of(runs, listed)) for column in columns)
    return listed if known or not results else next(iter(results))


def _verdicts(columns: Sequence[SettingDraft], matching: Sequence[KeptRun]) -> set[str] | None:
    """Return the results of the columns of a line-up; None: not all of them were recorded."""
    results = [[run.verdict or "" for run in matching if recorded(column, [run])] for column in columns]
    return {verdicts[0] for verdicts in results} if all(results) else None


def offered(runs: Sequence[KeptRun], question: str) -> dict[str, bool]:
    """Return all line-ups, those first that were recorded: name -> True if it was, for this question or for its own."""
    known = {
        name: any(
            all(recorded(column, _of(runs, text)) for column in columns)
            for text in (question, question_of(name, runs))
            if text
        )
        for name, columns in LINEUPS.items()
    }
    return dict(sorted(known.items(), key=lambda item: not item[1]))


def usual_columns(runs: Sequence[KeptRun], question: str) -> tuple[SettingDraft, ...]:
    """Return the columns that are filled in until somebody chooses others: the first line-up, or where the recording
    knows the question otherwise, the first that it knows whole, or the strategies that it knows."""
    matching = _of(runs, question)
    for columns in LINEUPS.values() if matching else ():
        if all(recorded(column, matching) for column in columns):
            return columns
    known = [key for key in strategies() if any(run.strategy == key for run in matching)]
    known.sort(key=lambda key: key != BASELINE)
    return tuple(map(SettingDraft, known[:USUAL])) if len(known) > 1 else LINEUPS[FIRST]


def _of(runs: Sequence[KeptRun], question: str) -> list[KeptRun]:
    return [run for run in runs if run.question == question]
