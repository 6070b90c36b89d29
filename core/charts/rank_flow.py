"""How the rank of each passage moves from run to run."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.cards.passages import names as names_of
from core.cards.texts import QUIET, SERIES, plain
from core.charts.columns import Column
from core.charts.shared_evidence import SharedEvidence
from core.charts.styling import styled

IN_COLOUR = 6
LEGEND_CHARS = 34


def rank_flow(shared: SharedEvidence, columns: Sequence[Column]) -> go.Figure:
    """A line per passage through its ranks in every column; a passage that a column did not find leaves a gap."""
    names = [f"{column.mark} · {plain(column.title)}" for column in columns]
    every = [row.passage for row in shared.rows]
    called, short = names_of(every), names_of(every, LEGEND_CHARS)
    figure = go.Figure()
    leading = [row for row in shared.rows if row.gold] + [row for row in shared.rows if not row.gold]
    for place, row in reversed(list(enumerate(leading))):
        leads = place < IN_COLOUR or row.gold
        colour = SERIES[place % len(SERIES)] if leads else QUIET
        figure.add_scatter(
            x=names,
            y=[hit.rank if hit else None for hit in row.found],
            name=f"{'★ ' if row.gold else ''}{plain(short[row.passage.chunk])}",
            mode="lines+markers",
            line={"color": colour, "width": 4 if row.gold else 3 if leads else 1},
            marker={
                "size": 15 if row.gold else 11 if leads else 7,
                "symbol": "star" if row.gold else place % 5 if leads else "circle",
            },
            opacity=1.0 if leads else 0.45,
            showlegend=leads,
            legendrank=place,
            hovertemplate=f"{plain(called[row.passage.chunk])}<br>%{{x}}: rank %{{y}}<extra></extra>",
        )
    deepest = max((hit.rank for row in shared.rows for hit in row.found if hit), default=1)
    styled(figure, max(380, 150 + 26 * deepest), legend_y=-0.25)
    figure.update_xaxes(
        title="Strategy", categoryorder="array", categoryarray=names, range=[-0.25, len(names) - 0.75]
    )
    figure.update_yaxes(
        title="Rank (1 is best)",
        range=[deepest + 0.6, 0.4],
        dtick=1 if deepest < 18 else None,
    )
    return figure
