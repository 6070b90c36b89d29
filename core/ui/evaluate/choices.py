"""What can be chosen for an evaluation: data sets, and line-ups worth seeing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from core.evaluation.datasets import DEMO, DataSet, read_folder
from core.runs.workbench import Workbench
from core.ui.setting import Choice

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
    """The data sets that a visitor may evaluate with, by a key that stays: the demo first, then their own."""
    demo = _demo()
    return {
        "demo": DataSetChoice("Wikipedia demo", len(demo.questions), len(demo.documents), _demo),
    }


@cache
def _demo() -> DataSet:
    return read_folder(DEMO)
