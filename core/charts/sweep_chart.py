"""A sweep as a chart: a line with its band of intervals over numbers, bars over categories."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10

import plotly.graph_objects as go

from core.cards.texts import QUIET, plain, shortened, wrapped
from core.charts.differences import VERDICT_MARKS, explained, number
from core.charts.evaluation_axes import axis, error_bars, value
from core.charts.styling import FONT, styled
from core.charts.sweep_table import SweepView
from core.evaluation.measures import metric
from core.evaluation.statistics import Interval
from core.evaluation.sweep_results import SweepResult
from core.evaluation.sweeps import format_value
from core.strategies import get_strategy

_LOG_FROM = 30
"""From this ratio of the largest to the smallest value on, an axis is logarithmic."""
_LEAST_SPAN = 0.1
"""Smallest height of an axis of shares: less would make chance look like a trend."""
_LABEL_CHARS = 24


def sweep_chart(found: SweepResult, view: SweepView, *, difference: bool = False) -> go.Figure:
    """A line with its band of intervals over numbers, bars over categories; the default is marked.

    A filled mark differs significantly from the baseline, an open one does not.

    Args:
        view: By one metric, at least one value of which is known.
        difference: Whether to draw the differences to the baseline instead of the means.
    """
    points = view.means
    if difference:
        points = {
            label: one
            for label in view.means
            if (one := _difference(view, found.baseline, label)) is not None
        }
    figure = go.Figure()
    colour = get_strategy(found.evaluation.spec.settings[0].strategy).colour
    if found.parameter.numeric:
        _line(figure, found, view, points, colour, difference=difference)
    else:
        _bars(figure, found, view, points, colour, difference=difference)
    styled(figure, 400, font=16, right=20, showlegend=False, bargap=0.45, margin_t=34)
    title = f"{axis(view.metric)}, " + ("difference" if difference else "mean of the questions")
    figure.update_yaxes(title=title, automargin=True, zeroline=False)
    if difference:
        figure.add_hline(y=0, line={"width": 2, "color": QUIET, "dash": "dash"})
    figure.update_xaxes(
        title=plain(found.parameter.title), automargin=True, zeroline=False, tickfont={"size": 16}
    )
    return figure


def _difference(view: SweepView, baseline: str, label: str) -> Interval | None:
    if label == baseline:
        return Interval(0.0, 0.0, 0.0, view.means[label].questions)
    return view.differences[label].interval if label in view.differences else None


def _line(
    figure: go.Figure,
    found: SweepResult,
    view: SweepView,
    points: Mapping[str, Interval],
    colour: str,
    *,
    difference: bool,
) -> None:
    xs = [float(found.values[label]) for label in points]
    for name in ("high", "low"):
        figure.add_scatter(
            x=xs,
            y=[getattr(one, name) for one in points.values()],
            mode="lines",
            line={"width": 0, "color": colour},
            fill="tonexty" if name == "low" else None,
            fillcolor=_pale(colour),
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=xs,
        y=[one.mean for one in points.values()],
        mode="lines+markers+text",
        line={"width": 3, "color": colour},
        marker={
            "size": 14,
            "color": colour,
            "symbol": [_symbol(found, view, label) for label in points],
            "line": {"width": 2, "color": colour},
        },
        text=[_mark(view, label) for label in points],
        textposition="top center",
        textfont={"size": 18},
        cliponaxis=False,
        hovertext=[_hover(found, view, label, points[label], difference=difference) for label in points],
        hoverinfo="text",
    )
    if found.has_default and found.baseline in points:
        at = float(found.values[found.baseline])
        figure.add_vline(x=at, line={"width": 2, "color": QUIET, "dash": "dot"})
        figure.add_annotation(
            x=_place(xs, at),
            y=1,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            text="default",
            font={"size": FONT},
        )
    figure.update_yaxes(range=_range(view.metric, points))
    figure.update_xaxes(
        type="log" if _log(xs) else "linear",
        tickvals=xs,
        ticktext=[format_value(found.values[label]) for label in points],
    )


def _bars(
    figure: go.Figure,
    found: SweepResult,
    view: SweepView,
    points: Mapping[str, Interval],
    colour: str,
    *,
    difference: bool,
) -> None:
    figure.add_bar(
        x=list(range(len(points))),
        y=[one.mean for one in points.values()],
        # Pale, so that the lower half of an interval can be seen as well.
        marker={
            "color": [_pale(colour, 0.55 if label == found.baseline else 0.25) for label in points],
            "line": {"width": 2, "color": colour},
        },
        error_y=error_bars(list(points.values()), colour),
        text=[
            f"<b>{number(view.metric, one.mean, signed=difference)}</b> {_mark(view, label)}"
            for label, one in points.items()
        ],
        textposition="outside" if difference else "inside",
        insidetextanchor="start",
        textangle=0,
        textfont={"size": 17},
        hovertext=[_hover(found, view, label, points[label], difference=difference) for label in points],
        hoverinfo="text",
    )
    figure.update_yaxes(rangemode="tozero")  # the length of a bar is what is seen
    figure.update_xaxes(
        tickvals=list(range(len(points))),
        ticktext=[
            shortened(format_value(found.values[label]), _LABEL_CHARS)
            + ("<br>(default)" if found.has_default and label == found.baseline else "")
            for label in points
        ],
    )


def _symbol(found: SweepResult, view: SweepView, label: str) -> str:
    if label == found.baseline:
        return "diamond"
    clear = label in view.differences and view.differences[label].verdict != "no significant difference"
    return "circle" if clear else "circle-open"


def _mark(view: SweepView, label: str) -> str:
    return VERDICT_MARKS[view.differences[label].verdict] if label in view.differences else ""


def _hover(found: SweepResult, view: SweepView, label: str, point: Interval, *, difference: bool) -> str:
    name = f"<b>{plain(found.parameter.title)}: {plain(format_value(found.values[label]))}</b>"
    signed = difference and label != found.baseline
    lines = [
        name,
        value(view.metric, point, signed=signed) if not difference or signed else "compared with this",
    ]
    if label in view.differences:
        one = view.differences[label]
        lines += [f"{VERDICT_MARKS[one.verdict]} {one.verdict}", wrapped(explained(one), 400)]
    return "<br>".join(lines)


def _range(key: str, points: Mapping[str, Interval]) -> list[float]:
    """An axis that leaves room for the marks and does not blow up what is next to nothing."""
    low = min((one.low for one in points.values()), default=0.0)
    high = max((one.high for one in points.values()), default=0.0)
    least = _LEAST_SPAN if metric(key).share else max(abs(high), abs(low), 1e-9) * 0.1
    room = max(0.0, least - (high - low)) / 2 + 0.12 * max(high - low, least)
    return [low - room, high + room]


def _log(xs: list[float]) -> bool:
    return min(xs) > 0 and max(xs) / min(xs) >= _LOG_FROM


def _place(xs: list[float], at: float) -> float:
    """Where an annotation belongs: on a logarithmic axis Plotly takes its exponent."""
    return log10(at) if _log(xs) else at


def _pale(colour: str, opacity: float = 0.2) -> str:
    """A `#rrggbb` colour as one that lets through what is behind it."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"
