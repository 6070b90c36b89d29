"""A sweep as a table that leads with the differences to the default, and what it comes to in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.charts.differences import VERDICT_MARKS, number, numbers
from core.charts.evaluation_table import MAIN_COSTS
from core.evaluation.measures import Scores, metric
from core.evaluation.ranking_scores import means
from core.evaluation.statistics import Difference, Interval, differences, intervals
from core.evaluation.sweep_results import SweepResult
from core.evaluation.sweeps import format_value

REMARKS = {
    "n": "A recomputed value takes the first of the queries that were written; asked for fewer, a model might write "
    "others.",
    "chunk_tokens": "The first 10 passages of a ranking are judged, each by its document. Of small chunks several may "
    "come from one document, so that fewer documents are seen: recall falls for that alone.",
}
"""Remarks on the values of some parameters."""


RECOMPUTED = "↻"
"""Marks values that were recomputed from stored runs."""


@dataclass(frozen=True)
class SweepView:
    """A sweep by one metric."""

    metric: str
    means: Mapping[str, Interval]
    """Label -> mean with its interval; values without this metric are left out."""
    differences: Mapping[str, Difference]
    """Label -> difference to the baseline."""
    best: str
    """Label of the best value; the baseline where several are; empty where there is none."""
    reading: str
    """The result in a sentence or two; raw text."""


def sweep_view(found: SweepResult, scores: Scores, key: str, looks: int = 1) -> SweepView:
    """A sweep by one metric.

    Args:
        looks: How often its questions have been looked at, this time included.
    """
    around = intervals(scores, key)
    against = {one.strategy: one for one in differences(scores, found.baseline, key, looks=looks)}
    return SweepView(key, around, against, _best(found, key, around), _reading(found, key, around, against))


def sweep_table(found: SweepResult, view: SweepView, scores: Scores) -> dict[str, list[str]]:
    """Title of a column -> a cell per value, in the order of the values; raw text.

    Means and differences have their intervals, costs are means per question; an empty cell has no value.
    """
    key, against = view.metric, {label: view.differences.get(label) for label in found.values}
    base = "the default" if found.has_default else format_value(found.values[found.baseline])
    costs = [means(scores[label].values()) for label in found.values]
    return {
        found.parameter.title: [_value(found, label) for label in found.values],
        f"Difference to {base}": [
            _with_interval(key, one.interval, signed=True) if one else "" for one in against.values()
        ],
        "Verdict": [
            f"{VERDICT_MARKS[one.verdict]} {one.verdict}"
            if one
            else "compared with this"
            if label == found.baseline
            else ""
            for label, one in against.items()
        ],
        metric(key).title: [
            _with_interval(key, view.means[label]) if label in view.means else "" for label in found.values
        ],
    } | {
        metric(cost).title: [number(cost, own[cost]) if cost in own else "" for own in costs]
        for cost in MAIN_COSTS
        if any(cost in own for own in costs)
    }


def _value(found: SweepResult, label: str) -> str:
    default = " (default)" if found.has_default and label == found.baseline else ""
    return (
        format_value(found.values[label]) + default + (f" {RECOMPUTED}" if label in found.recomputed else "")
    )


def _with_interval(key: str, one: Interval, *, signed: bool = False) -> str:
    mean, low, high = numbers(key, one, signed=signed)
    return f"{mean} ({low} to {high})"


def _best(found: SweepResult, key: str, around: Mapping[str, Interval]) -> str:
    """Label of the best value, the baseline where several are; empty: none has this metric."""
    sign = -1 if metric(key).good == "low" else 1
    return max(around, key=lambda label: (sign * around[label].mean, label == found.baseline), default="")


def _reading(
    found: SweepResult,
    key: str,
    around: Mapping[str, Interval],
    against: Mapping[str, Difference],
) -> str:
    known, values = metric(key), found.values
    if not around:
        return f"No question has a value of {known.title}."
    best = _best(found, key, around)
    if len({one.mean for one in around.values()}) == 1 and found.same_rankings:
        same = "Every value gives the same ranking for every question"
        return f"{same}: the evidence does not tell them apart. {known.title} is {number(key, around[best].mean)}."
    base = f"{'the default ' if found.has_default else ''}{format_value(values[found.baseline])}"
    most = "lowest" if known.good == "low" else "highest"
    clear = [one for one in against.values() if one.verdict != "no significant difference"]
    rest = (
        f"{len(clear)} of {len(against)} other values {'differs' if len(clear) == 1 else 'differ'} significantly "
        f"from {base}."
        if clear
        else f"No value differs significantly from {base}."
    )
    if best == found.baseline:
        return f"{known.title} is {most} at {base}: {number(key, around[best].mean)}. {rest}"
    line = f"{known.title} is {most} at {format_value(values[best])}: {number(key, around[best].mean)}"
    if best in against:
        one = against[best]
        line += f", {number(key, one.interval.mean, signed=True)} against {base}: {one.verdict}"
    return f"{line}. {rest}" if clear else f"{line}."
