"""What can be chosen for an evaluation: data sets, and line-ups worth seeing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from core.evaluation import dataset_catalogue
from core.evaluation.datasets import DataSet
from core.runs.workbench import Workbench
from core.strategies.lineups import EVALUATED, lineups
from core.ui.forms.setting import choices
from core.ui.shell import session

_FOUND = lineups()
LINEUPS = {asked: choices(_FOUND[name]) for asked, name in EVALUATED.items() if name in _FOUND}
"""Name -> settings; the first is the baseline. All of them can be judged by their search alone."""
FIRST = next(iter(LINEUPS))


@dataclass(frozen=True)
class DataSetChoice:
    """A data set that can be chosen."""

    title: str
    """Raw text."""
    questions: int
    documents: int
    read: Callable[[], DataSet]
    """All of it; may block for a moment."""


def data_sets(bench: Workbench) -> dict[str, DataSetChoice]:
    """The data sets that a visitor may evaluate with, by a key that stays: those that come with the app, then their own
    and pinned ones. One without questions is left out.

    Raises:
        StoreError: The database cannot be read.
    """
    there = sorted(
        dataset_catalogue.data_sets(bench, session.owners(bench)), key=lambda one: one.origin != "shipped"
    )
    return {
        one.key: DataSetChoice(
            one.name, one.questions, one.documents, partial(dataset_catalogue.data_set, one.key, bench)
        )
        for one in there
        if one.questions
    }
