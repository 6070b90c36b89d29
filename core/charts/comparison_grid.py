"""The evidence of several runs as a grid, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.cards.grid import Cell, Grid, GridRow, strength
from core.cards.grid import Column as Heading
from core.cards.passages import names, passage_card, says_the_same
from core.charts.columns import Column
from core.charts.shared_evidence import EvidenceRow, FoundPassage, SharedEvidence

LISTED = 3
"""Titles that a sentence names."""


def evidence_grid(found: SharedEvidence, columns: Sequence[Column], *, known: bool) -> Grid:
    """Passages in rows, runs in columns, ranks in the cells.

    Args:
        known: Whether it is known which passages hold the evidence.
    """
    leads = [Heading("Found by", "How many of the columns have it in their evidence.")]
    if known:
        leads.append(Heading("★", "The passage holds evidence, as the question's labels say."))
    called = names(row.passage for row in found.rows)
    rows = []
    same = {one.chunk: place for place, row in enumerate(found.rows, 1) for one in row.passage.stands_for}
    for place, row in enumerate(found.rows, 1):
        twin = same.get(row.passage.chunk)
        cells = tuple(_cell(one, column.colour) for one, column in zip(row.found, columns, strict=True))
        count = sum(one is not None for one in row.found)
        own = [
            Cell(f"only {columns[row.only].mark}" if row.only is not None else f"{count} of {len(columns)}")
        ]
        if known:
            own.append(Cell("★" if row.gold else ""))
        rows.append(
            GridRow(
                passage_card(
                    row.passage,
                    place,
                    None,
                    "",
                    badge=says_the_same(twin),
                    faint=twin is not None,
                    name=called[row.passage.chunk],
                ),
                tuple(own),
                cells,
            )
        )
    return Grid(tuple(leads), tuple(Heading(column.mark, column.name) for column in columns), tuple(rows))


def _cell(found: FoundPassage | None, colour: str) -> Cell:
    if found is None:
        return Cell()
    small = "cited" if found.cited else "" if found.given else "not given"
    return Cell(str(found.rank), small, strength(found.rank) if found.given else 0.08, colour)


def sentences_about(found: SharedEvidence, columns: Sequence[Column], *, known: bool) -> tuple[str, ...]:
    """Sentences on passages that stand out; raw text."""
    called = names(row.passage for row in found.rows)
    said = []
    for place, column in enumerate(columns):
        own = [row for row in found.rows if row.only == place]
        if own:
            said.append(_alone(column, own, called))
    everywhere = sum(all(one is not None for one in row.found) for row in found.rows)
    if found.rows:
        said.append(f"{everywhere} of {len(found.rows)} passages are in the evidence of every column.")
    if known and found.missed:
        named = "; ".join(one.name for one in found.missed[:LISTED])
        more = f"; and {len(found.missed) - LISTED} more" if len(found.missed) > LISTED else ""
        said.append(f"★ No column found this evidence: {named}{more}.")
    if known:
        said += [
            f"★ {columns[place].mark} · {columns[place].title} found this and left it out when it refined its "
            f"passages: {one.name}."
            for place, one in found.lost[:LISTED]
        ]
    return tuple(said)


def _alone(column: Column, rows: Sequence[EvidenceRow], called: Mapping[str, str]) -> str:
    named = ", ".join(f"“{called[row.passage.chunk]}”" for row in rows[:LISTED])
    more = f" and {len(rows) - LISTED} more" if len(rows) > LISTED else ""
    gold = sum(row.gold for row in rows)
    held = f" ★ {gold} of these {'holds' if gold == 1 else 'hold'} evidence." if gold else ""
    return f"Only {column.mark} · {column.title} found {named}{more}.{held}"
