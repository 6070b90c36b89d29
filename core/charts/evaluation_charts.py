"""An evaluation as charts: differences and means with intervals, quality against cost, per type of question."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.cards.texts import QUIET, plain, shortened, wrapped
from core.charts.evaluation_table import ORACLE_LOOK, VERDICT_MARKS, Look, explanation, number, numbers
from core.charts.styling import styled
from core.evaluation.measures import Scores, metric
from core.evaluation.oracle import ORACLE, Oracle
from core.evaluation.statistics import Difference, Interval, intervals_by_type
from core.wording import counted

UNKNOWN = Look("", QUIET, "circle")
_LABEL_CHARS = 34


def label(name: str, look: Mapping[str, Look]) -> str:
    """Mark and name of a strategy, for an axis or a legend."""
    return f"{look.get(name, UNKNOWN).mark} · {shortened(name, _LABEL_CHARS)}"


def strategy_rows(
    figure: go.Figure, names: Sequence[str], look: Mapping[str, Look], pixels: int, rest: int = 90
) -> None:
    """A row per strategy, of so many pixels, the first on top; `rest` pixels are above and below the rows."""
    styled(figure, rest + pixels * max(2, len(names)), right=30, showlegend=False, bargap=0.3)
    _rows_axis(figure, "Strategy", [label(name, look) for name in names])


def _rows_axis(figure: go.Figure, title: str, names: Sequence[str]) -> None:
    """A row per name, the first on top."""
    figure.update_yaxes(
        title=title,
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[len(names) - 0.5, -0.6],
        automargin=True,
        ticklabelstandoff=6,
        zeroline=False,
    )


def _mark(own: Look, size: int, *, filled: bool) -> dict[str, object]:
    return {
        "size": size,
        "symbol": own.symbol if filled else f"{own.symbol}-open",
        "color": own.colour,
        "line": {"width": 2, "color": own.colour},
    }


def error_bars(bars: Sequence[Interval], colour: str) -> dict[str, object]:
    """Intervals as Plotly takes them; of one question none is drawn, which would look certain."""
    # Of an array Plotly leaves out what is no number; in a list it would be null, and drawn as 0.
    seen = np.array([1 if interval.questions > 1 else np.nan for interval in bars])
    return {
        "type": "data",
        "symmetric": False,
        "array": seen * [interval.high - interval.mean for interval in bars],
        "arrayminus": seen * [interval.mean - interval.low for interval in bars],
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


def axis(key: str) -> str:
    """Title of a metric with its unit, for an axis."""
    known = metric(key)
    return plain(known.title) + (f" ({known.unit})" if known.unit else "")


def hover(name: str, key: str, interval: Interval, *, signed: bool = False) -> str:
    """A mean, or with its sign a difference, with its interval."""
    return f"<b>{plain(name)}</b><br>{value(key, interval, signed=signed)}<br>{counted(interval.questions, 'question')}"


def value(key: str, interval: Interval, *, signed: bool = False) -> str:
    """A mean and its interval, if there is more than one question, in words."""
    mean, low, high = numbers(key, interval, signed=signed)
    within = f", 95 % interval {low} to {high}" if interval.questions > 1 else ""
    return f"{plain(metric(key).title)}: {mean}{within}"


HATCHING = {"fillmode": "overlay", "fgcolor": "#FFFFFF", "fgopacity": 0.55, "size": 9, "solidity": 0.22}
"""Tells bars of one colour apart."""
SIDES = ("middle right", "middle left", "top center", "bottom center")
"""Where a mark's letter may stand."""
SHORT = 0.03
"""Share of the longest bar below which a bar has no room for a letter."""
TYPE_CHARS = 22
"""Letters of a line of a type's name."""
BAR_PX, TYPE_PX = 17, 16
"""Height of a bar, and of the gap between two types."""
LEGEND_PX, AROUND_PX = 84, 150
"""Height of the legend, on a narrow page too, and of all that is above and below the bars."""
LEGEND_ABOVE: dict[str, Any] = {
    "margin_t": LEGEND_PX,
    "legend": {
        "orientation": "h",
        "x": 0,
        "y": 1,
        "xref": "container",
        "yref": "container",
        "yanchor": "top",
        "traceorder": "normal",
    },
}
"""Layout of a legend above the bars, at the figure's left edge: it has lines of its own on a narrow page."""
EDGE = 0.05
"""Share of an axis that is free beside the first point and the last one, so that both are seen whole."""
NEAR = 0.06
"""Share of an axis below which two marks lie so close that their letters would be printed over each other."""
BESIDE = 0.01
"""Share of an axis from which the interval of one mark passes through the letter of the mark to its left."""


def difference_chart(gaps: Sequence[Difference], look: Mapping[str, Look]) -> go.Figure:
    """A dot per strategy for its difference to the baseline (at least one, all for one metric), with its interval; open
    where it may be chance."""
    key, baseline = gaps[0].metric, gaps[0].baseline
    figure = go.Figure()
    for place, gap in enumerate(gaps):
        own = look.get(gap.strategy, UNKNOWN)
        clear = gap.verdict != "no significant difference"
        words = f"{VERDICT_MARKS[gap.verdict]} {gap.verdict}"
        figure.add_scatter(
            x=[gap.interval.mean],
            y=[place],
            error_x=error_bars([gap.interval], own.colour),
            mode="markers+text",
            text=[f"<b>{words}</b>" if clear else words],
            textposition="top center",
            cliponaxis=False,
            marker=_mark(own, 15, filled=clear),
            hovertext=[
                f"{hover(gap.strategy, key, gap.interval, signed=True)}<br>{wrapped(explanation(gap), 400)}"
            ],
            hoverinfo="text",
        )
    for place in range(len(gaps)):  # it ends below the words of each row
        line = {"width": 2, "color": QUIET, "dash": "dash"}
        figure.add_shape(x0=0, x1=0, y0=place - 0.15, y1=place + 0.5, line=line, layer="below")
    strategy_rows(figure, [gap.strategy for gap in gaps], look, 64)
    to = look.get(baseline, UNKNOWN).mark or shortened(baseline, _LABEL_CHARS)
    figure.update_xaxes(title=axis(key) if metric(key).against else f"{axis(key)}: difference to {to}")
    return figure


def mean_bars(
    means_of: Mapping[str, Interval], key: str, look: Mapping[str, Look], best: Interval | None = None
) -> go.Figure:
    """A bar per strategy for its mean, with its interval; the first on top, the best of each question last."""
    if best:
        means_of, look = {**means_of, ORACLE: best}, {**look, ORACLE: ORACLE_LOOK}
    places, means = range(len(means_of)), list(means_of.values())
    own = [look.get(name, UNKNOWN) for name in means_of]
    figure = go.Figure(
        _bars(
            places,
            means,
            marker={
                "color": [look_of.colour for look_of in own],
                "pattern": HATCHING | {"shape": [look_of.pattern for look_of in own]},
            },
            text=[f"<b>{number(key, mean.mean)}</b>" for mean in means],
            hovertext=[hover(name, key, mean) for name, mean in means_of.items()],
        )
    )
    strategy_rows(figure, list(means_of), look, 44)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(title=f"{axis(key)}, mean", rangemode="tozero")
    return figure


def _bars(
    places: Sequence[int], means: Sequence[Interval], group: str = "", **bar: Any
) -> tuple[go.Bar, go.Bar]:
    """Bars with the light lines of their intervals, and over them the dark lines, which no bar may hide."""
    common = {"x": [mean.mean for mean in means], "y": list(places), "orientation": "h"}
    common |= {"offsetgroup": group} if group else {}
    text = {"textposition": "inside", "insidetextanchor": "start", "hoverinfo": "text"} | bar
    light = error_bars(means, "#FFFFFF") | {"thickness": 6, "width": 8}
    return (
        go.Bar(**common, error_x=light, **text),
        go.Bar(**common, error_x=error_bars(means, DARK), **UNSEEN),
    )


def pareto_front(points: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """The names that no other one beats, the cheapest first; of each point, less cost and more quality are better."""
    front = [
        name
        for name, (cost, quality) in points.items()
        if not any(
            other_cost <= cost and other_quality >= quality and (other_cost, other_quality) != (cost, quality)
            for other_cost, other_quality in points.values()
        )
    ]
    return tuple(sorted(front, key=lambda name: points[name]))


def pareto_chart(
    quality: Mapping[str, Interval],
    cost: Mapping[str, Interval],
    keys: tuple[str, str],
    look: Mapping[str, Look],
    best: Oracle | None = None,
) -> go.Figure:
    """Draw quality against cost (`keys`: the two metrics); a line joins the strategies that no other one beats in
    both, and those that lack a cost are left out. The best of each question is drawn beside the line: nobody could
    have chosen it."""
    points = {name: (cost[name].mean, mean.mean) for name, mean in quality.items() if name in cost}
    sign = -1 if metric(keys[0]).good == "low" else 1
    front = pareto_front({name: (paid, sign * good) for name, (paid, good) in points.items()})
    figure = go.Figure()
    figure.add_scatter(
        x=[points[name][0] for name in front],
        y=[points[name][1] for name in front],
        mode="lines",
        line={"shape": "hv", "width": 2, "color": QUIET, "dash": "dot"},
        name="No other is better and cheaper",
        hoverinfo="skip",
    )
    if best and (both := best.both(*keys)):
        quality, cost = {**quality, ORACLE: both[0]}, {**cost, ORACLE: both[1]}
        look = {**look, ORACLE: ORACLE_LOOK}
        points[ORACLE] = both[1].mean, both[0].mean
    sides = _sides(points)
    for name, (x, y) in points.items():
        own = look.get(name, UNKNOWN)
        figure.add_scatter(
            x=[x],
            y=[y],
            error_y=error_bars([quality[name]], own.colour),
            mode="markers+text",
            name=label(name, look),
            text=[f"<b>{own.mark}</b>"],
            textposition=sides[name],
            textfont={"size": 16},
            cliponaxis=False,  # what costs nothing lies on the axis, and is seen whole
            # A ring around the point of a setting that is the best for every question.
            marker=_mark(own, 24 if name == ORACLE else 15, filled=name in front),
            hovertext=[f"{hover(name, keys[0], quality[name])}<br>{value(keys[1], cost[name])}"],
            hoverinfo="text",
        )
    styled(figure, 470, right=30, legend_y=-0.2)
    most = max((x for x, _ in points.values()), default=0) or 1
    figure.update_xaxes(
        title=f"{axis(keys[1])} per question, mean", range=[-most * EDGE, most * (1 + 2 * EDGE)]
    )
    figure.update_yaxes(title=f"{axis(keys[0])}, mean")
    return figure


def _sides(points: Mapping[str, tuple[float, float]]) -> dict[str, str]:
    """On which side of each point its letter stands: those of points that lie together on different ones."""
    most, high = (max((abs(point[place]) for point in points.values()), default=0) or 1 for place in (0, 1))
    sides: dict[str, str] = {}
    for name, (x, y) in points.items():
        near = [
            neighbour
            for neighbour in sides
            if abs(points[neighbour][0] - x) < NEAR * most and abs(points[neighbour][1] - y) < NEAR * high
        ]
        passed = any(BESIDE * most < other - x < NEAR * most for other, _ in points.values())
        sides[name] = SIDES[(len(near) + passed) % len(SIDES)]
    return sides


def type_bars(scores: Scores, key: str, types: Mapping[str, str], look: Mapping[str, Look]) -> go.Figure:
    """Means with intervals per type of question: a row per type, in the order of their first question, and in it a bar
    per strategy. `types`: id of a question -> its type, empty if it has none."""
    # A type whose questions have no value yet, or none of this metric, has no group.
    types_means = {name: means for name, means in intervals_by_type(scores, key, types).items() if means}
    names = list(types_means)
    longest = max((mean.mean for means in types_means.values() for mean in means.values()), default=0)
    bars: list[go.Bar] = []
    over: list[go.Bar] = []
    for strategy in scores:
        own = look.get(strategy, UNKNOWN)
        shown = {
            place: types_means[name][strategy]
            for place, name in enumerate(names)
            if strategy in types_means[name]
        }
        light, dark = _bars(
            list(shown),
            list(shown.values()),
            strategy,
            name=label(strategy, look),
            marker={"color": own.colour, "pattern": HATCHING | {"shape": own.pattern}},
            text=[f"<b>{own.mark}</b>"] * len(shown),
            # In a bar that is too short, the letter would be printed over the axis.
            textposition=["outside" if mean.mean < SHORT * longest else "inside" for mean in shown.values()],
            textangle=0,
            constraintext="none",
            textfont={"size": 12},
            hovertext=[
                f"{plain(names[place])}<br>{hover(strategy, key, mean)}" for place, mean in shown.items()
            ],
        )
        bars.append(light)
        over.append(dark)
    figure = go.Figure([*bars, *over])
    type_px = TYPE_PX + len(scores) * BAR_PX
    height = AROUND_PX + len(names) * type_px
    styled(figure, height, barmode="group", bargap=TYPE_PX / type_px)
    figure.update_layout(LEGEND_ABOVE)
    _rows_axis(figure, "Type of question", [_type(name, types_means[name]) for name in names])
    figure.update_xaxes(title=f"{axis(key)}, mean", rangemode="tozero")
    return figure


def _type(name: str, means: Mapping[str, Interval]) -> str:
    count = max((mean.questions for mean in means.values()), default=0)
    lines = textwrap.wrap(name.replace("_", " ") or "no type", TYPE_CHARS, max_lines=3, placeholder="…")
    return "<br>".join([*map(plain, lines), f"({counted(count, 'question')})"])
