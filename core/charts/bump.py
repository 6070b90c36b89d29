"""How ranks change from the lists to the fused one, as a chart."""

from __future__ import annotations

import plotly.graph_objects as go

from core.cards.parts import Bump
from core.cards.texts import plain
from core.charts.styling import styled


def bump_chart(bump: Bump) -> go.Figure:
    """Lines from each passage's rank in every list to its fused rank; the best few in colour."""
    figure = go.Figure()
    for line in reversed(bump.lines):
        figure.add_scatter(
            x=bump.names,
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
    styled(figure, 430, font=14, legend_y=-0.22)
    figure.update_xaxes(title="Ranked list", categoryorder="array", categoryarray=bump.names)
    figure.update_yaxes(
        title="Rank (1 is best)",
        range=[bump.deepest + 0.5, 0.5],
        dtick=1 if bump.deepest < 15 else None,
    )
    return figure
