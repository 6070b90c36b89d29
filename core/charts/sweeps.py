"""A sweep as a table that leads with the differences to the default, and what it comes to in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.charts.evaluation import MAIN_COSTS, VERDICT_MARKS, explained, number
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
"""What to know of the values of some parameters."""


@dataclass(frozen=True)
class SweepRow:
    """One value; raw text."""

    label: str
    """Of its setting."""
    value: str
    default: bool
    recomputed: bool
    difference: str
    """To the baseline, with its sign and its interval; empty in its own row and where no question is shared."""
    verdict: str
    """With its mark; in the baseline's own row that it is the baseline."""
    mean: str
    """With its interval; empty: no question has this metric."""
    detail: str
    """How the difference comes about."""
    costs: Mapping[str, str]
    """Metric -> its mean per question."""


@dataclass(frozen=True)
class SweepView:
    """A sweep by one metric."""

    metric: str
    means: Mapping[str, Interval]
    """Label -> mean with its interval; values without this metric are left out."""
    differences: Mapping[str, Difference]
    """Label -> difference to the baseline."""
    rows: tuple[SweepRow, ...]
    best: str
    """Label of the best value; the baseline where several are; empty where there is none."""
    reading: str
    """What it comes to, in a sentence or two; raw text."""


def sweep_view(found: SweepResult, scores: Scores, key: str, seed: int = 0) -> SweepView:
    """A sweep by one metric.

    Args:
        found: The sweep.
        scores: Of its evaluation, per question.
        key: Of the metric.
        seed: Of the resampling.
    """
    around = intervals(scores, key, seed=seed)
    against = {one.strategy: one for one in differences(scores, found.baseline, key, seed=seed)}
    rows = tuple(
        _row(found, scores, key, label, around.get(label), against.get(label)) for label in found.values
    )
    best, reading = _best(found, key, around), _reading(found, key, around, against)
    return SweepView(key, around, against, rows, best, reading)


def _row(
    found: SweepResult,
    scores: Scores,
    key: str,
    label: str,
    mean: Interval | None,
    difference: Difference | None,
) -> SweepRow:
    costs = means(scores[label].values())
    return SweepRow(
        label=label,
        value=format_value(found.values[label]),
        default=found.has_default and label == found.baseline,
        recomputed=label in found.recomputed,
        difference=_with_interval(key, difference.interval, signed=True) if difference else "",
        verdict=f"{VERDICT_MARKS[difference.verdict]} {difference.verdict}"
        if difference
        else "compared with this"
        if label == found.baseline
        else "",
        mean=_with_interval(key, mean) if mean else "",
        detail=explained(difference) if difference else "",
        costs={one: number(one, costs[one]) for one in MAIN_COSTS if one in costs},
    )


def _with_interval(key: str, one: Interval, *, signed: bool = False) -> str:
    mean, low, high = (number(key, at, signed=signed) for at in (one.mean, one.low, one.high))
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
