"""Which passages that hold the evidence each of several runs found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.runs.gold import Gold


@dataclass(frozen=True)
class GoldRow:
    """One of them, and who found it."""

    title: str
    found: dict[str, bool | None]
    """Name of a run -> whether it did; None: it has not searched yet."""


def gold_rows(gold: Sequence[Gold], runs: Mapping[str, Collection[str] | None]) -> tuple[GoldRow, ...]:
    """A row per document with evidence.

    Args:
        gold: Those documents.
        runs: Name of a run -> ids of the documents it gave to its answer; None: not known yet.
    """
    return tuple(
        GoldRow(
            one.title,
            {name: None if found is None else one.document in found for name, found in runs.items()},
        )
        for one in gold
    )
