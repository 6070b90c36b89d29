"""What the charts of an evaluation share: a row per strategy, intervals as error bars, words for hovers and axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.cards.texts import QUIET, plain, shortened
from core.charts.differences import numbers
from core.charts.evaluation_table import Look
from core.charts.styling import styled
from core.evaluation.measures import metric
from core.evaluation.statistics import Interval
from core.wording import counted

UNKNOWN = Look("", QUIET, "circle")
_LABEL_CHARS = 34


def label(name: str, look: Mapping[str, Look]) -> str:
    """Mark and name of a strategy, for an axis or a legend."""
    return f"{look.get(name, UNKNOWN).mark} · {short(name)}"


def short(name: str) -> str:
    """A name that an axis has room for."""
    return shortened(name, _LABEL_CHARS)


def strategy_rows(
    figure: go.Figure, names: Sequence[str], look: Mapping[str, Look], pixels: int, rest: int = 90
) -> None:
    """A row per strategy, the first on top.

    Args:
        pixels: Height of a row.
        rest: Height of what is above and below the rows, in pixels.
    """
    styled(figure, rest + pixels * max(2, len(names)), right=30, showlegend=False, bargap=0.3)
    figure.update_yaxes(
        title="Strategy",
        tickvals=list(range(len(names))),
        ticktext=[label(name, look) for name in names],
        range=[len(names) - 0.5, -0.6],
        automargin=True,
        zeroline=False,
    )


def error_bars(found: Sequence[Interval], colour: str) -> dict[str, object]:
    """Intervals as Plotly takes them."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [one.high - one.mean for one in found],
        "arrayminus": [one.mean - one.low for one in found],
        "color": colour,
        "thickness": 2.5,
        "width": 6,
    }


UNSEEN: dict[str, Any] = {
    "marker": {"color": "rgba(0,0,0,0)", "line": {"width": 0}},
    "showlegend": False,
    "hoverinfo": "skip",
}
"""Of a bar that only carries an interval."""


DARK = "#17212B"
"""Of an interval on a bar, which lies on a light line: so it is seen on bars of any colour, and in both themes."""


def under_bars(found: Sequence[Interval]) -> dict[str, object]:
    """The light lines on which the dark ones of the same intervals lie."""
    return error_bars(found, "#FFFFFF") | {"thickness": 6, "width": 8}


def axis(key: str) -> str:
    """Title of a metric with its unit, for an axis."""
    known = metric(key)
    return plain(known.title) + (f" ({known.unit})" if known.unit else "")


def hover(name: str, key: str, found: Interval, *, signed: bool = False) -> str:
    """A mean, or with its sign a difference, with its interval."""
    return f"<b>{plain(name)}</b><br>{value(key, found, signed=signed)}<br>{counted(found.questions, 'question')}"


def value(key: str, found: Interval, *, signed: bool = False) -> str:
    """A mean and its interval in words."""
    mean, low, high = numbers(key, found, signed=signed)
    return f"{plain(metric(key).title)}: {mean}, 95 % interval {low} to {high}"
