"""Reciprocal Rank Fusion: every rank, every contribution and the sum, and how ranks change on the way."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from core.cards.colours import QUIET, SERIES
from core.cards.grid import Cell, Column, Grid, GridRow, list_columns, strength
from core.cards.passages import names, passage_card
from core.cards.texts import plain
from core.retrieval.fusion import contribution
from core.trace.artefacts import Fusion

LEGEND_CHARS = 34
FIRST = 6
"""Passages given to the answer by default: the part of the order that matters most."""


@dataclass(frozen=True)
class FusionView:
    """The score table of a fusion."""

    grid: Grid
    moves: tuple[str, ...]
    """What differs in the first passages from the order that the answer was made with; empty: nothing."""


def fusion_view(artefact: Fusion, made: Fusion | None = None) -> FusionView:
    """The table, row by row checkable by hand.

    Args:
        artefact: The fusion to show.
        made: The fusion that the answer was made with, if it is another one.
    """
    most = max((row.score for row in artefact.rows), default=1.0)
    before = {row.passage.chunk: rank for rank, row in enumerate((made or artefact).rows, 1)}
    called = names(row.passage for row in artefact.rows)
    rows: list[GridRow] = []
    for rank, row in enumerate(artefact.rows, 1):
        shares = [_share(found, artefact) for found in row.ranks]
        leads = [Cell(decimals(row.score))]
        if made is not None:
            leads.append(Cell(change(before[row.passage.chunk], rank)))
        rows.append(
            GridRow(
                card=passage_card(row.passage, rank, None, "", name=called[row.passage.chunk]),
                leads=tuple(leads),
                cells=tuple(
                    _cell(found, share, artefact) for found, share in zip(row.ranks, shares, strict=True)
                ),
                parts=tuple(share / most for share in shares),
            )
        )
    columns = [Column("Sum", "Sum of the row: the fused score. The bar shows what each list adds to it.")]
    if made is not None:
        columns.append(Column("Was", "Rank in the order that the answer was made with."))
    return FusionView(Grid(tuple(columns), list_columns(artefact.lists), tuple(rows)), _moves(artefact, made))


def _share(rank: int | None, artefact: Fusion) -> float:
    """What one list adds to a passage's score."""
    return 0.0 if rank is None else contribution(rank, artefact.k, artefact.first_rank)


def _cell(rank: int | None, share: float, artefact: Fusion) -> Cell:
    """Rank in one list, counted as the formula counts, and what it adds."""
    if rank is None:
        return Cell()
    return Cell(str(rank - 1 + artefact.first_rank), decimals(share), strength(rank))


def decimals(value: float) -> str:
    """Five decimals, as short as a table needs them: `.01639`."""
    return f"{value:.5f}".removeprefix("0")


def example(artefact: Fusion) -> str:
    """The first row worked out, for the reading aid; empty without rows."""
    if not artefact.rows:
        return ""
    row = artefact.rows[0]
    counted = [rank - 1 + artefact.first_rank for rank in row.ranks if rank is not None]
    terms = " + ".join(f"1/({artefact.k}+{rank})" for rank in counted)
    return f"{terms} = {decimals(row.score)}"


def change(before: int, now: int) -> str:
    """Rank in the order that the answer was made with, with an arrow where it moved."""
    if before == now:
        return f"{before}"
    return f"{before} {'▲' if now < before else '▼'}"


def _moves(artefact: Fusion, made: Fusion | None) -> tuple[str, ...]:
    if made is None:
        return ()
    now = [row.passage for row in artefact.rows[:FIRST]]
    before = [row.passage for row in made.rows[:FIRST]]
    was, stays = {p.chunk for p in before}, {p.chunk for p in now}
    called = names([*now, *before])
    found = [f"“{called[p.chunk]}” comes in" for p in now if p.chunk not in was]
    found += [f"“{called[p.chunk]}” drops out" for p in before if p.chunk not in stays]
    swapped = sum(a.chunk != b.chunk for a, b in zip(now, before, strict=False))
    if not found and swapped:
        found.append(f"the same passages, {swapped} of them at another rank")
    return tuple(found)


@dataclass(frozen=True)
class BumpLine:
    """The way of a passage through the lists to its fused rank; raw text."""

    title: str
    """Unique among the lines."""
    short: str
    """Likewise, for a legend."""
    ranks: tuple[int | None, ...]
    """In every list, then the fused one; None: not in that list."""
    leads: bool
    """Whether it is one of the best few."""
    look: int
    """Which colour and mark it has, from 0."""

    @property
    def fused(self) -> int:
        """Its fused rank, from 1."""
        return self.ranks[-1] or 0

    @property
    def colour(self) -> str:
        """Its own, or a quiet one."""
        return SERIES[self.look % len(SERIES)] if self.leads else QUIET


def bump_lines(artefact: Fusion, made: Fusion | None = None, highlight: int = FIRST) -> tuple[BumpLine, ...]:
    """A line per passage, the best one first; see `bump_chart`."""
    look = {row.passage.chunk: place for place, row in enumerate((made or artefact).rows)}
    every = [row.passage for row in artefact.rows]
    called, short = names(every), names(every, LEGEND_CHARS)
    return tuple(
        BumpLine(
            called[row.passage.chunk],
            short[row.passage.chunk],
            (*row.ranks, fused),
            fused <= highlight,
            look[row.passage.chunk],
        )
        for fused, row in enumerate(artefact.rows, 1)
    )


def bump_names(artefact: Fusion) -> tuple[str, ...]:
    """What the ranks of a line belong to."""
    return (*(column.name for column in list_columns(artefact.lists)), "Fused")


def bump_chart(artefact: Fusion, made: Fusion | None = None, highlight: int = FIRST) -> go.Figure:
    """Lines from each passage's rank in every list to its fused rank; the best few in colour.

    Args:
        artefact: The fusion to show.
        made: The fusion that the answer was made with, if it is another one: a passage keeps its colour.
        highlight: How many passages are in colour.
    """
    names = bump_names(artefact)
    lines = bump_lines(artefact, made, highlight)
    figure = go.Figure()
    for line in reversed(lines):
        figure.add_scatter(
            x=names,
            y=line.ranks,
            name=f"{line.fused}. {plain(line.short)}",
            mode="lines+markers",
            connectgaps=True,
            line={"color": line.colour, "width": 3 if line.leads else 1},
            marker={"size": 11 if line.leads else 6, "symbol": line.look % 6 if line.leads else "circle"},
            opacity=1.0 if line.leads else 0.45,
            showlegend=line.leads,
            legendrank=line.fused,
            hovertemplate=f"{plain(line.title)}<br>%{{x}}: rank %{{y}}<extra></extra>",
        )
    deepest = max((rank for line in lines for rank in line.ranks if rank is not None), default=1)
    figure.update_layout(
        height=430,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        font={"size": 14},
        legend={"orientation": "h", "y": -0.22, "x": 0, "font": {"size": 13}},
        hoverlabel={"align": "left"},
    )
    figure.update_xaxes(title="Ranked list", categoryorder="array", categoryarray=names)
    figure.update_yaxes(
        title="Rank (1 is best)",
        range=[deepest + 0.5, 0.5],
        dtick=1 if deepest < 15 else None,
    )
    return figure
