"""What can be chosen for an evaluation: data sets, and line-ups worth seeing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from core.evaluation import library
from core.evaluation.datasets import DataSet
from core.runs.workbench import Workbench
from core.ui.forms.setting import Choice
from core.ui.shell import session

LINEUPS: Mapping[str, tuple[Choice, ...]] = {
    "Dense, keyword, hybrid": (Choice("plain"), Choice("plain", "keyword"), Choice("plain", "hybrid")),
    "Does rewording help?": (Choice("plain"), Choice("multi-query"), Choice("rag-fusion")),
    "Does searching with something else help?": (Choice("plain"), Choice("step-back"), Choice("hyde")),
    "Multi-hop: take the question apart": (
        Choice("plain"),
        Choice("decomposition-independent"),
        Choice("decomposition-sequential"),
        Choice("ircot"),
    ),
    "Does it help to check oneself?": (Choice("plain"), Choice("self-rag")),
    "Rank fusion: k = 60 or k = 1": (Choice("rag-fusion"), Choice("rag-fusion", params={"rrf_k": 1})),
}
"""Name -> settings; the first is the baseline. All of them can be judged by their search alone."""
FIRST = "Dense, keyword, hybrid"


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
    there = sorted(library.data_sets(bench, session.owners(bench)), key=lambda one: one.origin != "shipped")
    return {
        one.key: DataSetChoice(
            one.name, one.questions, one.documents, partial(library.data_set, one.key, bench)
        )
        for one in there
        if one.questions
    }
