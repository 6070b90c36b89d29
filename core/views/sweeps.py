"""A sweep as a table that leads with the differences to the default, and what it comes to in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.evaluation.evidence import means
from core.evaluation.measures import Scores, metric
from core.evaluation.statistics import Difference, Interval, differences, intervals
from core.evaluation.sweep_results import SweepResult
from core.evaluation.sweeps import said
from core.views.evaluation import VERDICT_MARKS, explained, number

COSTS = ("calls", "rounds", "tokens", "seconds", "cost")
"""Metrics of what a value costs, where they are known."""


@dataclass(frozen=True)
class SweepRow:
    """One value; raw text."""

    label: str
    """Of its setting."""
    value: str
    default: bool
    recomputed: bool
    difference: str
    """To the baseline, with its sign; empty in its own row and where no question is shared."""
    interval: str
    """Of the difference; in the baseline's own row of the mean."""
    verdict: str
    """With its mark; in the baseline's own row that it is the baseline."""
    mean: str
    """Empty: no question has this metric."""
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
    return SweepView(key, around, against, rows, _reading(found, key, around, against))


def _row(
    found: SweepResult,
    scores: Scores,
    key: str,
    label: str,
    mean: Interval | None,
    difference: Difference | None,
) -> SweepRow:
    shown = difference.interval if difference else mean
    costs = means(scores[label].values())
    signed = difference is not None
    return SweepRow(
        label=label,
        value=said(found.values[label]),
        default=found.has_default and label == found.baseline,
        recomputed=label in found.recomputed,
        difference=number(key, difference.interval.mean, signed=True) if difference else "",
        interval=f"{number(key, shown.low, signed=signed)} to {number(key, shown.high, signed=signed)}"
        if shown
        else "",
        verdict=f"{VERDICT_MARKS[difference.verdict]} {difference.verdict}"
        if difference
        else "compared with this"
        if label == found.baseline
        else "",
        mean=number(key, mean.mean) if mean else "",
        detail=explained(difference) if difference else "",
        costs={one: number(one, costs[one]) for one in COSTS if one in costs},
    )


def _reading(
    found: SweepResult,
    key: str,
    around: Mapping[str, Interval],
    against: Mapping[str, Difference],
) -> str:
    known, values = metric(key), found.values
    if not around:
        return f"No question has a value of {known.title}."
    if found.same_rankings and not any(one.answer for one in found.outcomes.done.values()):
        return (
            f"Every value gives the same ranking for every question: {found.parameter.title} only changes what the "
            "answer is given."
        )
    sign = -1 if known.good == "low" else 1
    best = max(around, key=lambda label: (sign * around[label].mean, label == found.baseline))
    base = (
        f"the default {said(values[found.baseline])}" if found.has_default else said(values[found.baseline])
    )
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
    line = f"{known.title} is {most} at {said(values[best])}: {number(key, around[best].mean)}"
    if best in against:
        one = against[best]
        line += f", {number(key, one.interval.mean, signed=True)} against {base}: {one.verdict}"
    return f"{line}. {rest}" if clear else f"{line}."
