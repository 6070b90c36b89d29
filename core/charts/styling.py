"""The size, margins and fonts that all figures share."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

FONT = 15
"""Pixels of the smallest text, so that it is read on a projector."""


def styled(
    figure: go.Figure,
    height: int,
    *,
    font: int = FONT,
    right: int = 10,
    legend_y: float | None = None,
    **layout: Any,
) -> None:
    """Lay out a figure; heights, margins and font sizes are in pixels, and `layout` holds further properties. A
    legend stands `legend_y` below the figure, as a negative share of its height; None: as `layout` says."""
    if legend_y is not None:
        layout["legend"] = {"orientation": "h", "y": legend_y, "x": 0}
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": right, "t": 10, "b": 10},
        font={"size": font},
        hoverlabel={"align": "left", "font": {"size": font}},
        **layout,
    )
    # The page's theme has smaller ones of its own for these, and asks no figure's font.
    figure.update_layout(legend_font_size=font)
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickfont={"size": font}, title_font={"size": font})
