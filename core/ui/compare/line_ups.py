"""Line-ups of Compare: what can be filled in with a click, and which of it the recording that plays knows."""

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
    """True if a column was recorded.

    Args:
        runs: How its question was asked while the recording was made.
    """
    return any(
        run.strategy == choice.strategy
        and choice.retriever in ("", run.retriever)
        and all(run.params.get(name) == value for name, value in choice.params.items())
        for run in runs
    )


def question_of(name: str, runs: Sequence[KeptRun]) -> str:
    """The question for which a line-up is offered: among those that the recording holds through every strategy, the
    first whose answers differ in these columns; else the one that is listed; else any that is recorded with them.

    Args:
        name: Of the line-up.
        runs: All that the recording knows; empty: none plays.
    """
    listed, columns = QUESTIONS.get(name, ""), LINEUPS[name]
    whole = recorded_for_all(runs)
    found = {
        one.text: verdicts
        for one in starter_questions().values()
        if one.text in whole and (verdicts := _verdicts(columns, _of(runs, one.text))) is not None
    }
    differing = (text for text, verdicts in found.items() if len(verdicts) > 1)
    if listed in found and len(found[listed]) > 1:
        return listed
    if text := next(differing, ""):
        return text
    known = bool(listed) and all(recorded(one, _of(runs, listed)) for one in columns)
    return listed if known or not found else next(iter(found))


def _verdicts(columns: Sequence[SettingDraft], asked: Sequence[KeptRun]) -> set[str] | None:
    """The results of the columns of a line-up; None: not all of them were recorded."""
    made = [[run.verdict or "" for run in asked if recorded(one, [run])] for one in columns]
    return {verdicts[0] for verdicts in made} if all(made) else None


def offered(runs: Sequence[KeptRun], question: str) -> dict[str, bool]:
    """All line-ups, those first that were recorded: name -> whether it was, for this question or for its own.

    Args:
        runs: All that the recording knows; empty: none plays, and nothing is to be said of it.
    """
    known = {
        name: any(
            all(recorded(one, _of(runs, text)) for one in columns)
            for text in (question, question_of(name, runs))
            if text
        )
        for name, columns in LINEUPS.items()
    }
    return dict(sorted(known.items(), key=lambda item: not item[1]))


def usual_columns(runs: Sequence[KeptRun], question: str) -> tuple[SettingDraft, ...]:
    """The columns that are filled in until somebody chooses others: the first line-up, or where the recording knows the
    question otherwise, the first that it knows whole, or the strategies that it knows."""
    asked = _of(runs, question)
    for columns in LINEUPS.values() if asked else ():
        if all(recorded(one, asked) for one in columns):
            return columns
    known = [key for key in strategies() if any(run.strategy == key for run in asked)]
    known.sort(key=lambda key: key != BASELINE)
    return tuple(map(SettingDraft, known[:USUAL])) if len(known) > 1 else LINEUPS[FIRST]


def _of(runs: Sequence[KeptRun], question: str) -> list[KeptRun]:
    return [run for run in runs if run.question == question]
