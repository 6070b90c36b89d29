"""Telling differences between strategies from chance: paired bootstrap intervals, a paired test, Holm's correction.

Intervals are percentile intervals of the bootstrap (Efron 1979) over questions: the same resampled questions for
both strategies of a pair. They stay inside a metric's range and are explained in one sentence; BCa intervals gain
little for means, and break down where most differences are 0, as with metrics that are 0 or 1. They are a little
narrow below 30 questions, so p-values come from the paired randomisation test (Fisher; Smucker, Allan and
Carterette 2007), which is valid for any number of questions, and a verdict takes both.

SciPy computes the intervals. It does not compute the p-values: `scipy.stats.permutation_test` agrees and takes 50
to 190 times as long, see `research.statistics`.

How many questions a difference needs to be told from chance, and how large one must be to be told by so many, is the
power of a paired test by the normal approximation: n = ((z_a + z_b) * spread / difference)² + z_a² / 2. z_a is the
quantile of the corrected level, two-sided, and z_b that of the power; the last term corrects for small samples
(Guenther 1981, "Sample size formulas for normal theory t tests"). That is a forecast and no verdict.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.evaluation.measures import Scores, metric

Verdict = Literal["better", "worse", "higher", "lower", "no significant difference"]
"""`higher` and `lower` are for metrics that are neither good nor bad."""

LEVEL = 0.95
RESAMPLES = 10_000
_DRAWN_AT_ONCE = 20_000
"""Questions drawn in one block. It stays in the processor's cache, and is too small for a multiplication by several
threads, which takes three times as long where other processes compute."""
_SIGNS_AT_ONCE = 2_000_000
"""Signs drawn in one block, of 16 MB; another number would change the p-values of a seed."""
POWER = 0.8
"""The probability with which a difference of this size is told from chance."""
USUAL_SPREAD = 0.25
"""Standard deviation of the difference in recall per question, which three of four comparisons with plain retrieval do
not exceed (`docs/results.tsv`: 36 comparisons of 85 or 100 questions, median 0.18)."""
MOST_QUESTIONS = 1000
"""Above this number of questions, none is named."""
_NORMAL = NormalDist()
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True)
class Difference:
    """A strategy compared with the baseline on one metric, over the questions that both have."""

    strategy: str
    baseline: str
    metric: str
    interval: Interval
    """Interval of the strategy's value minus the baseline's; for this comparison alone, among all looks."""
    p: float
    """P-value of the randomisation test: how likely such a large mean difference is if both are equally good."""
    p_holm: float
    """P-value corrected for the number of strategies that are compared with the baseline, and of looks."""
    verdict: Verdict
    more: int
    """Number of questions on which the strategy has a higher value; `less` and `same` count the others."""
    less: int
    same: int
    looks: int = 1
    """Number of times that these questions have been looked at; p-value and interval are corrected for it."""


def intervals(scores: Scores, key: str, *, seed: int = 0, resamples: int = RESAMPLES) -> dict[str, Interval]:
    """The mean of a metric for each strategy, over the questions that have it; strategies without any are left out."""
    return _bootstrap(values_of(scores, key), seed, resamples)


def intervals_by_type(scores: Scores, key: str, types: Mapping[str, str]) -> dict[str, dict[str, Interval]]:
    """Type of question -> the means of its questions, in the order of their first question; `types`: id of a question
    -> its type, empty if it has none."""
    return {
        name: intervals(
            {
                strategy: {id_: values for id_, values in by_question.items() if types.get(id_) == name}
                for strategy, by_question in scores.items()
            },
            key,
        )
        for name in dict.fromkeys(types.values())
    }


def values_of(scores: Scores, key: str) -> dict[str, dict[str, float]]:
    """Strategy (its label) -> id of a question -> value of a metric; strategies without any value are left out."""
    by_strategy = {
        strategy: {question: values[key] for question, values in by_question.items() if key in values}
        for strategy, by_question in scores.items()
    }
    return {strategy: values for strategy, values in by_strategy.items() if values}


def differences(
    scores: Scores, baseline: str, key: str, *, seed: int = 0, looks: int = 1
) -> tuple[Difference, ...]:
    """Every other strategy against the baseline on one metric, in the order of `scores`.

    A strategy that shares no question with the baseline is left out. A difference is significant if its corrected
    p-value is below 1 - `LEVEL` and its interval does not hold 0.

    Looks at the same questions are corrected for as Bonferroni does: each has its share of 1 - `LEVEL`. What the others
    found is not known here, so Holm's correction is for the comparisons of one look.

    Args:
        looks: How often these questions have been looked at, this time included.

    Raises:
        InputError: The baseline is not among the strategies.
    """
    if baseline not in scores:
        raise InputError(f"The baseline “{baseline}” is not among the strategies that were evaluated.")
    values = values_of(scores, key)
    base = values.pop(baseline, {})
    paired = {
        strategy: {question: own[question] - base[question] for question in own if question in base}
        for strategy, own in values.items()
    }
    uncorrected = []
    for strategy, interval in _bootstrap(paired, seed, RESAMPLES, 1 - (1 - LEVEL) / looks).items():
        apart = list(paired[strategy].values())
        uncorrected.append(
            Difference(
                strategy=strategy,
                baseline=baseline,
                metric=key,
                interval=interval,
                p=p_value(apart, seed=seed),
                p_holm=1.0,
                verdict="no significant difference",
                more=sum(value > 0 for value in apart),
                less=sum(value < 0 for value in apart),
                same=sum(value == 0 for value in apart),
                looks=looks,
            )
        )
    corrected = [min(1.0, looks * p) for p in holm([difference.p for difference in uncorrected])]
    return tuple(
        replace(difference, p_holm=p, verdict=verdict(key, difference.interval, p))
        for difference, p in zip(uncorrected, corrected, strict=True)
    )


def compare(scores: Scores, baseline: str, key: str, looks: int = 1) -> tuple[Difference, ...]:
    """Every other strategy against the baseline, or every strategy against 0 if the metric is a difference already."""
    to = metric(key).against
    if not to or baseline not in scores:
        return differences(scores, baseline, key, looks=looks)
    nothing = {question: {key: 0.0} for by in scores.values() for question in by if key in by[question]}
    return differences({**scores, to: nothing}, to, key, looks=looks)


def verdict(key: str, interval: Interval, p: float) -> Verdict:
    """A difference with this interval and corrected p-value in words."""
    if p >= 1 - LEVEL or interval.low <= 0 <= interval.high:
        return "no significant difference"
    more, good = interval.mean > 0, metric(key).good
    if good == "neither":
        return "higher" if more else "lower"
    return "better" if more == (good == "high") else "worse"


def holm(values: Sequence[float]) -> list[float]:
    """P-values corrected for their number (Holm 1979), in the same order: the smallest times n, the next times
    n - 1, and so on; never smaller than the one before, at most 1."""
    corrected = [1.0] * len(values)
    reached = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        reached = max(reached, min(1.0, values[index] * (len(values) - place)))
        corrected[index] = reached
    return corrected


def p_value(values: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES) -> float:
    """Two-sided p-value of the paired randomisation test: how often the mean is as far from 0 when each difference
    gets a random sign.

    Args:
        values: A difference per question.
        resamples: Number of random assignments of signs; if there are fewer, all of them are counted.
    """
    moved = np.array([value for value in values if value], dtype=float)
    if not moved.size:
        return 1.0
    exact = moved.size < 31 and 2**moved.size <= resamples
    reached = abs(moved.sum()) - 1e-9 * np.abs(moved).sum()
    if exact:
        signs = 1 - 2 * ((np.arange(2**moved.size)[:, None] >> np.arange(moved.size)) & 1)
        return float(np.mean(np.abs(signs @ moved) >= reached))
    extreme = 0
    random = np.random.default_rng(seed)
    block = max(1, _SIGNS_AT_ONCE // moved.size)
    for size in (min(block, resamples - start) for start in range(0, resamples, block)):
        bits = random.integers(0, 256, (size, -(-moved.size // 8)), dtype=np.uint8)
        flips = np.unpackbits(bits, axis=1, count=moved.size).astype(float)
        extreme += int(np.count_nonzero(np.abs(moved.sum() - 2 * (flips @ moved)) >= reached))
    # The observed assignment is one of those possible, so p is never 0.
    return (extreme + 1) / (resamples + 1)


def _bootstrap(
    columns: Mapping[str, Mapping[str, float]], seed: int, resamples: int, level: float = LEVEL
) -> dict[str, Interval]:
    """The interval of each column's mean; columns over the same questions are resampled together."""
    together: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, values in columns.items():
        if values:
            together[tuple(sorted(values))].append(name)
    by_name: dict[str, Interval] = {}
    for questions, names in together.items():
        rows = [[columns[name][question] for name in names] for question in questions]
        matrix = np.array(rows, dtype=float)
        low, high = _cached_interval(matrix.tobytes(), matrix.shape, seed, resamples, level)
        for index, name in enumerate(names):
            # Rounding in the sums must not put a constant outside of its own interval.
            mean = float(matrix[:, index].mean())
            by_name[name] = Interval(
                mean, min(mean, float(low[index])), max(mean, float(high[index])), len(questions)
            )
    return {name: by_name[name] for name in columns if name in by_name}


@lru_cache(maxsize=2000)
def _cached_interval(values: bytes, shape: tuple[int, int], *options: Any) -> tuple[Floats, Floats]:
    """`bootstrap_interval`; a page asks for the same intervals each time that it is drawn."""
    return bootstrap_interval(np.frombuffer(values).reshape(shape), *options)


def bootstrap_interval(values: Floats, seed: int, resamples: int, level: float) -> tuple[Floats, Floats]:
    """Percentile intervals of the means of columns; each sample draws the same questions for all columns.

    Args:
        values: Questions × columns.
        resamples: Number of samples, each of as many questions as there are.
        level: Share of such intervals that hold the true mean, between 0 and 1.

    Returns:
        Lower and upper end of each column's interval.
    """
    from scipy import stats  # takes half a second to import

    count = len(values)
    if count == 1:
        return values[0], values[0]

    def means(draws: NDArray[np.int64], axis: int) -> Floats:
        # SciPy itself would gather the values of each sample: four times the time where there are several columns.
        places = draws + count * np.arange(len(draws))[:, None]
        times = np.bincount(places.ravel(), minlength=draws.size).reshape(draws.shape)
        return np.asarray((times.astype(float) @ values / count).T)

    result = stats.bootstrap(
        (np.arange(count),),
        means,
        n_resamples=resamples,
        batch=max(1, _DRAWN_AT_ONCE // count),
        vectorized=True,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return result.confidence_interval.low, result.confidence_interval.high


def questions_needed(difference: float, spread: float, comparisons: int = 1, looks: int = 1) -> int | None:
    """The number of questions that tell a difference from chance.

    Args:
        difference: Of the means.
        spread: Standard deviation of the difference per question, above 0.
        comparisons: How many strategies are compared with the baseline.
        looks: How often the questions have been looked at, this time included.

    Returns:
        None where there is no difference, or it needs more than `MOST_QUESTIONS`.
    """
    if not difference:
        return None
    level = _quantile(comparisons, looks)
    least = ((level + _NORMAL.inv_cdf(POWER)) * spread / difference) ** 2 + level**2 / 2
    count = max(math.ceil(least), fewest_questions(comparisons, looks))
    return count if count <= MOST_QUESTIONS else None


def smallest_difference(
    questions: int, spread: float = USUAL_SPREAD, comparisons: int = 1, looks: int = 1
) -> float | None:
    """The smallest difference that so many questions tell from chance.

    Returns:
        None where they tell none: a randomisation test of so few questions is never below the level, or the difference
        would be above 1.
    """
    level = _quantile(comparisons, looks)
    left = questions - level**2 / 2
    if questions < fewest_questions(comparisons, looks) or left <= 0:
        return None
    difference = (level + _NORMAL.inv_cdf(POWER)) * spread / math.sqrt(left)
    return difference if difference < 1 else None


def fewest_questions(comparisons: int = 1, looks: int = 1) -> int:
    """The fewest questions with which a randomisation test can tell anything: with n that all differ in the same
    direction, its p-value is 2 / 2ⁿ."""
    return math.floor(1 + math.log2(comparisons * looks / (1 - LEVEL))) + 1


def _quantile(comparisons: int, looks: int) -> float:
    return _NORMAL.inv_cdf(1 - (1 - LEVEL) / (2 * max(1, comparisons) * max(1, looks)))
