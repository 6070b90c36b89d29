"""The report of a comparison: one question, several runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.cards.passages import names
from core.cards.status import totals_view
from core.cards.texts import QUIET
from core.charts.columns import Column, columns
from core.charts.difference import difference, given_apart, plain_found, truth
from core.charts.shared_evidence import (
    SharedEvidence,
    evidence,
    evidence_grid,
    first_gold,
    gold_found,
    gold_rows,
)
from core.charts.timeline import kinds, reading
from core.errors import UnknownRun
from core.report.page import Back, page
from core.report.run import Bar, RunPart, axis, packed, run_part, ticks
from core.runs.budget import chunks_given, given_passages
from core.runs.comparisons import Comparison
from core.runs.record import record
from core.runs.store import RunStore
from core.trace.events import Event
from core.trace.passages import Passage

GONE = "This run is no longer stored."
AS_MANY = (
    "The evidence that plain retrieval finds with as many passages as the column gave, by the same retriever. Only "
    "evidence beyond that is the merit of the column's searches."
)
OUTCOMES = {
    "finished": "✓ finished",
    "failed": "✗ failed",
    "stopped": "■ stopped",
    "running": "… running",
    "paused": "‖ paused",
}


@dataclass(frozen=True)
class ColumnPart:
    """A column as its report shows it; raw text."""

    column: Column
    run: RunPart | None
    """None: it was deleted."""
    bars: Sequence[Bar]
    height: int
    """Height of its part of the timeline, in rows."""


def comparison_report(
    comparison: Comparison, runs: Sequence[Sequence[Event]], back: Back | None = None
) -> str:
    """A comparison as one HTML text that needs nothing else, from the events of its runs in the order of its columns;
    those of a deleted run are empty. `back` is where it leads back to, unless it stands alone."""
    records = [record(events) for events in runs]
    every = columns(records)
    seconds = axis(records)
    parts = [_column(column, events, seconds) for column, events in zip(every, runs, strict=True)]
    stored = [column for column in every if column.record.started]
    known = truth(stored, comparison.gold)
    seen = evidence(stored, comparison.gold)
    return page(
        "comparison.html",
        comparison.title,
        {column.mark: column.colour for column in every},
        back=back,
        comparison=comparison,
        columns=parts,
        difference=difference(stored, known),
        right=known.answers[0] if known.answers else "",
        stored=stored,
        measures=list(_measures(parts, comparison)),
        gold=gold_rows(comparison.gold, {column.name: _given_passages(column) for column in stored}),
        matrix=evidence_grid(seen, stored, known=bool(comparison.gold)).drawing(QUIET) if seen.rows else None,
        alone=_alone(stored, seen),
        overlaps=seen.overlaps,
        missed=[piece.name for piece in seen.missed],
        ticks=ticks(seconds),
        kinds=kinds(records),
        reading=reading(*records),
        gone=GONE,
        apart=given_apart(stored) if comparison.gold else "",
        outcomes=OUTCOMES,
    )


def stored_comparison(comparison: Comparison, store: RunStore, back: Back | None = None) -> str:
    """The report of a comparison from the stored events of its runs; `back` as for `comparison_report`. Blocks."""

    def events(run: str) -> Sequence[Event]:
        try:
            return store.events(run)
        except UnknownRun:
            return ()  # it was deleted, and the report says so

    return comparison_report(comparison, [events(run) for run in comparison.runs], back)


def _column(column: Column, events: Sequence[Event], seconds: float) -> ColumnPart:
    run = run_part(events, column.mark) if column.record.started else None
    bars = packed(column.record, seconds)
    return ColumnPart(column, run, bars, max((bar.row for bar in bars), default=0) + 1)


def _measures(
    parts: Sequence[ColumnPart], comparison: Comparison
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Name, explanation, and a value per column of what matters at a glance; a deleted run has no values."""

    def row(label: str, help: str, values: Sequence[str]) -> tuple[str, str, Sequence[str]]:
        return label, help, [value if part.run else "" for part, value in zip(parts, values, strict=True)]

    every = [part.column for part in parts]
    origins = [part.run.origin if part.run else "" for part in parts]
    if any(origins):
        yield row("Recording", "The recording that the replies come from.", origins)
    yield row("State", "The end of the run.", [OUTCOMES[column.record.state] for column in every])
    if gold := comparison.gold:
        pieces = [f"{gold_found(column, gold)} of {len(gold)}" for column in every]
        yield row(
            "Evidence given", "The part of the evidence that is in the passages given to the answer.", pieces
        )
        beside = [plain_found(column, gold) for column in every]
        if any(plain is not None for plain in beside):
            as_many = [
                "" if plain is None else f"{plain} of {len(gold)} in {chunks_given(column.record)}"
                for plain, column in zip(beside, every, strict=True)
            ]
            yield row("Plain retrieval, as many passages", AS_MANY, as_many)
        ranks = [first_gold(column, gold) for column in every]
        best = ["none" if rank is None else str(rank) for rank in ranks]
        yield row("First evidence at rank", "The best rank of a passage that holds evidence.", best)
    passages = [str(chunks_given(column.record)) for column in every]
    yield row(
        "Passages given",
        "The number of different chunks in all prompts that asked for an answer; a passage may hold several.",
        passages,
    )
    answers = [column.record.answer for column in every]
    cited = [
        str(len({citation.chunk for citation in answer.citations}) if answer else 0) for answer in answers
    ]
    yield row("Passages cited", "The number of different passages that the answer cites.", cited)
    for figures in zip(*(totals_view(column.record) for column in every), strict=True):
        # What every column's number says of itself is said once; numbers of their own are left to the runs.
        yield row(figures[0].label, figures[0].help.split(".")[0] + ".", [figure.value for figure in figures])


def _given_passages(column: Column) -> Sequence[Passage] | None:
    """Passages that a column gave to its answer; None: it has not searched yet."""
    return None if column.record.context is None else given_passages(column.record)


def _alone(stored: Sequence[Column], seen: SharedEvidence) -> Sequence[tuple[Column, Sequence[str]]]:
    """The titles that a column alone found."""
    called = names(row.passage for row in seen.rows)
    return [
        (column, [called[row.passage.chunk] for row in seen.rows if row.only == place])
        for place, column in enumerate(stored)
    ]
