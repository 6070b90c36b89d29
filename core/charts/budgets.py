"""Equal budgets among the columns of a comparison: what each gave, and what plain retrieval finds with as many."""

from __future__ import annotations

from collections.abc import Sequence

from core.charts.columns import Column
from core.runs.budget import chunks_given, plain_with
from core.runs.gold import Gold, pieces_held
from core.strategies import is_baseline


def plain_found(column: Column, gold: Sequence[Gold]) -> int | None:
    """How much of the evidence plain retrieval finds with as many passages as a column gave; see
    `core.runs.baseline`.

    Args:
        gold: The evidence; empty: unknown.

    Returns:
        None: not known, or the column has not ended, gave no passage of documents, or is plain retrieval itself.
    """
    started, baseline = column.record.started, column.record.baseline
    if not gold or started is None or baseline is None or not baseline.retriever:
        return None
    if is_baseline(started.strategy, started.params):
        return None
    return pieces_held(gold, baseline.given)


def with_as_many(column: Column, gold: Sequence[Gold]) -> str:
    """`plain_found` in words; empty: not known."""
    found = plain_found(column, gold)
    return "" if found is None else f"{plain_with(chunks_given(column.record))} finds {found} of {len(gold)}"


def given_apart(columns: Sequence[Column]) -> str:
    """That columns were given different numbers of passages, in words; empty: they were not, or some still run."""
    if any(column.record.state == "running" for column in columns):
        return ""
    given = [(column.mark, chunks_given(column.record)) for column in columns]
    counts = [(mark, count) for mark, count in given if count]
    if len({count for _, count in counts}) < 2:
        return ""
    each = ", ".join(f"{mark} {count}" for mark, count in counts)
    return f"Not given equally many passages: {each}. More passages hold more evidence, whatever found them."
