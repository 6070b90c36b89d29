"""What several runs found for the same question: who found what, at which rank, and how much they share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.charts.columns import Column
from core.runs.budget import given_passages
from core.runs.gold import Gold
from core.trace.passages import Passage


@dataclass(frozen=True)
class FoundPassage:
    """A passage in the evidence of one column."""

    rank: int
    """From 1."""
    given: bool
    """Whether it was given to the answer."""
    cited: bool


@dataclass(frozen=True)
class EvidenceRow:
    """A passage, and who found it."""

    passage: Passage
    found: tuple[FoundPassage | None, ...]
    """One per column; None: not in its evidence."""
    gold: bool
    """Whether its document holds evidence, as the data set says."""

    @property
    def only(self) -> int | None:
        """The column that alone found it."""
        finders = [place for place, one in enumerate(self.found) if one is not None]
        return finders[0] if len(finders) == 1 and len(self.found) > 1 else None


@dataclass(frozen=True)
class Overlap:
    """How much of what they found two columns share."""

    first: int
    second: int
    shared: int
    either: int

    @property
    def jaccard(self) -> float | None:
        """Shared passages over all passages of both, from 0 to 1; None: neither has any."""
        return self.shared / self.either if self.either else None


@dataclass(frozen=True)
class SharedEvidence:
    """The evidence of all columns."""

    rows: tuple[EvidenceRow, ...]
    """Passages that more columns found come first, then those of better rank."""
    overlaps: tuple[Overlap, ...]
    """One per pair of columns."""
    missed: tuple[Gold, ...]
    """Documents with evidence that no column found."""


def evidence(columns: Sequence[Column], gold: Sequence[Gold] = (), *, given: bool = False) -> SharedEvidence:
    """Passages × columns.

    Args:
        gold: Documents that hold the evidence; empty: unknown.
        given: Whether only passages that were given to the answer count; else all that were found.
    """
    passages: dict[str, Passage] = {}
    places: list[dict[str, FoundPassage]] = []
    for column in columns:
        answer, context = column.record.answer, column.record.context
        cited = {citation.chunk for citation in answer.citations} if answer else set()
        own: dict[str, FoundPassage] = {}
        for item in context.passages if context else ():
            if item.given or not given:
                passages.setdefault(item.passage.chunk, item.passage)
                own[item.passage.chunk] = FoundPassage(item.rank, item.given, item.passage.chunk in cited)
        places.append(own)
    holds = {one.document for one in gold}
    rows = [
        EvidenceRow(passage, tuple(own.get(chunk) for own in places), passage.document in holds)
        for chunk, passage in passages.items()
    ]
    found = {passage.document for passage in passages.values()}
    return SharedEvidence(
        tuple(sorted(rows, key=_order)),
        tuple(
            Overlap(a, b, len(places[a].keys() & places[b].keys()), len(places[a].keys() | places[b].keys()))
            for a, b in combinations(range(len(columns)), 2)
        ),
        tuple(one for one in gold if one.document not in found),
    )


def _order(row: EvidenceRow) -> tuple[int, int]:
    ranks = [one.rank for one in row.found if one is not None]
    return -len(ranks), min(ranks)


def gold_found(column: Column, gold: Sequence[Gold]) -> int:
    """How many of the documents with evidence a column gives to its answer, drafts and sub-answers included."""
    given = {passage.document for passage in given_passages(column.record)}
    return sum(one.document in given for one in gold)


def gold_rows(
    gold: Sequence[Gold], runs: Mapping[str, Collection[str] | None]
) -> list[tuple[str, dict[str, bool | None]]]:
    """Title of each document with evidence, and name of a run -> whether the run found it; None: not known yet.

    Args:
        runs: Name of a run -> ids of the documents it gave to its answer; None: not known yet.
    """
    return [
        (one.title, {name: None if found is None else one.document in found for name, found in runs.items()})
        for one in gold
    ]


def first_gold(column: Column, gold: Sequence[Gold]) -> int | None:
    """The best rank at which a column has a passage with evidence; None: it has none."""
    holds = {one.document for one in gold}
    context = column.record.context
    ranks = [item.rank for item in context.passages if item.passage.document in holds] if context else []
    return min(ranks, default=None)
