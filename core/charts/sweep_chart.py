"""A sweep as a chart of one metric over the values of a number, with the band of its intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

import plotly.graph_objects as go

from core.cards.texts import QUIET, plain, wrapped
from core.charts.evaluation_charts import axis, value
from core.charts.evaluation_table import VERDICT_MARKS, explanation
from core.charts.styling import FONT, styled
from core.evaluation.measures import metric
from core.evaluation.plan import Setting, Sweep, format_value
from core.evaluation.statistics import Difference, Interval
from core.evaluation.sweeps import title_of
from core.strategies import get_strategy

_LOG_FROM = 30
"""From this ratio of the largest to the smallest value on, an axis is logarithmic."""
_LEAST_SPAN = 0.1
"""Smallest height of an axis of shares: less would make chance look like a trend."""


def is_scale(sweep: Sweep) -> bool:
    """True if all values of a sweep are numbers, so that a line may join them."""
    return all(isinstance(number, int | float) and not isinstance(number, bool) for number in sweep.values)


def sweep_chart(
    sweep: Sweep,
    settings: Sequence[Setting],
    key: str,
    means: Mapping[str, Interval],
    against: Sequence[Difference],
    baseline: str,
) -> go.Figure:
    """The mean of a metric over the values of a sweep (`is_scale`), as a line with its band of intervals; the default
    is marked, and the baseline has a diamond. A filled mark differs significantly from the baseline, an open one does
    not."""
    values = {setting.label: value for setting, value in zip(settings, sweep.values, strict=True)}
    points = {label: means[label] for label in values if label in means}
    differences = {difference.strategy: difference for difference in against}
    xs = [float(values[label]) for label in points]
    strategy = get_strategy(settings[0].strategy)
    title, colour = title_of(strategy.key, sweep.parameter), strategy.colour
    log = min(xs) > 0 and max(xs) / min(xs) >= _LOG_FROM
    figure = go.Figure()
    for end in ("high", "low"):
        figure.add_scatter(
            x=xs,
            y=[getattr(interval, end) for interval in points.values()],
            mode="lines",
            line={"width": 0, "color": colour},
            fill="tonexty" if end == "low" else None,
            fillcolor=f"rgba{(*(int(colour[at : at + 2], 16) for at in (1, 3, 5)), 0.2)}",
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=xs,
        y=[interval.mean for interval in points.values()],
        mode="lines+markers+text",
        line={"width": 3, "color": colour},
        marker={
            "size": 14,
            "color": colour,
            "symbol": [_symbol(label, baseline, differences) for label in points],
            "line": {"width": 2, "color": colour},
        },
        text=[VERDICT_MARKS[differences[label].verdict] if label in differences else "" for label in points],
        textposition="top center",
        textfont={"size": 18},
        cliponaxis=False,
        hovertext=[
            _hover(f"{title}: {format_value(values[label])}", key, interval, differences.get(label))
            for label, interval in points.items()
        ],
        hoverinfo="text",
    )
    styled(figure, 400, font=16, right=20, showlegend=False, margin_t=34)
    if (default := sweep.default) in values.values():
        at = float(default or 0)
        figure.add_vline(x=at, line={"width": 2, "color": QUIET, "dash": "dot"})
        figure.add_annotation(
            x=log10(at) if log else at,  # on a logarithmic axis Plotly takes its exponent
            y=1,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            text="default",
            font={"size": FONT},
        )
    title_y = f"{axis(key)}, mean of the questions"
    figure.update_yaxes(title=title_y, range=_range(key, points), automargin=True, zeroline=False)
    figure.update_xaxes(
        title=plain(title),
        type="log" if log else "linear",
        tickvals=xs,
        ticktext=[format_value(values[label]) for label in points],
        automargin=True,
        zeroline=False,
        tickfont={"size": 16},
    )
    return figure


def _symbol(label: str, baseline: str, differences: Mapping[str, Difference]) -> str:
    if label == baseline:
        return "diamond"
    clear = label in differences and differences[label].verdict != "no significant difference"
    return "circle" if clear else "circle-open"


def _hover(name: str, key: str, mean: Interval, difference: Difference | None) -> str:
    lines = [f"<b>{plain(name)}</b>", value(key, mean)]
    if difference:
        lines += [f"{VERDICT_MARKS[difference.verdict]} {difference.verdict}"]
        lines += [wrapped(explanation(difference), 400)]
    return "<br>".join(lines)


def _range(key: str, points: Mapping[str, Interval]) -> list[float]:
    """An axis that leaves room for the marks and does not blow up what is next to nothing."""
    low = min((interval.low for interval in points.values()), default=0.0)
    high = max((interval.high for interval in points.values()), default=0.0)
    least = _LEAST_SPAN if metric(key).share else max(abs(high), abs(low), 1e-9) * 0.1
    room = max(0.0, least - (high - low)) / 2 + 0.12 * max(high - low, least)
    return [low - room, high + room]
