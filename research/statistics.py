"""Our statistics of an evaluation beside SciPy's: whether they agree, and what each of them takes.

    python -m research.statistics [--turns 5]

Intervals: as `core.evaluation.statistics` computed them with NumPy alone ("before"), as it does now, and SciPy given
nothing but the values. P-values: ours, which flips only differences that are not 0, beside SciPy's permutation test and
its Monte Carlo test. All take turns on the same differences of two metrics, one that is 0 or 1 and a continuous one;
shown is the fastest of the turns, in milliseconds, and the ratio to the first of a line. Agreement is the largest
difference: of interval ends, in their own unit; of p-values, also in Monte Carlo standard errors. Importing SciPy is
timed apart: it happens once.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np
from scipy import stats

from core.evaluation.statistics import LEVEL, RESAMPLES, Floats, bootstrap_interval, p_value

QUESTIONS = (60, 200, 500, 1000)
SETTINGS = (2, 4, 8, 12)
BLOCK = 2_000_000
BATCH = 500
"""Samples that SciPy makes at once: the fastest of those tried."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    print(f"importing scipy.stats: {import_seconds():.2f} s beside NumPy")
    print("questions settings  intervals, ms: before  now (ratio)  SciPy's own (ratio)  differ by")
    for questions in QUESTIONS:
        for settings in SETTINGS:
            print_intervals(made_differences(questions, settings - 1), turns)
    print(f"Monte Carlo error of an interval's end, {QUESTIONS[0]} questions: {end_error():.4f}")
    print(
        "questions settings  p-values, ms: ours  permutation test (ratio)  Monte Carlo test (ratio)  differ by"
    )
    for questions in QUESTIONS:
        for settings in SETTINGS:
            print_p_values(made_differences(questions, settings - 1), turns)


def made_differences(questions: int, settings: int) -> Floats:
    """Differences to a baseline, questions × settings: every other column of a metric that is 0 or 1."""
    random = np.random.default_rng(questions + settings)
    binary = random.choice([1.0, 0.0, -1.0], p=[0.13, 0.77, 0.1], size=(questions, settings))
    moved = random.normal(0.02, 0.25, (questions, settings)) * (random.random((questions, settings)) < 0.6)
    return np.where(np.arange(settings) % 2, np.clip(moved, -1, 1), binary)


def print_intervals(values: Floats, turns: int) -> None:
    """A line on the intervals of these columns."""
    before, now, own = in_turns(
        turns,
        lambda: interval_before(values, 0, RESAMPLES, LEVEL),
        lambda: bootstrap_interval(values, 0, RESAMPLES, LEVEL),
        lambda: scipy_interval(values),
    )
    apart = np.abs(np.subtract(before[1], now[1])).max()
    apart_own = np.abs(np.subtract(before[1], own[1])).max()
    print(
        f"{len(values):9} {values.shape[1] + 1:8} {before[0]:23.1f} {now[0]:8.1f} ({now[0] / before[0]:.2f}) "
        f"{own[0]:13.1f} ({own[0] / before[0]:.2f})  {apart:.0e} {apart_own:.0e}"
    )


def print_p_values(values: Floats, turns: int) -> None:
    """A line on the p-values of these columns."""
    columns = [list(map(float, column)) for column in values.T]
    ours, permuted, drawn = in_turns(
        turns,
        lambda: [p_value(column) for column in columns],
        lambda: [permutation_p(column) for column in columns],
        lambda: [monte_carlo_p(column) for column in columns],
    )
    apart, errors = 0.0, 0.0
    for mine, *theirs in zip(ours[1], permuted[1], drawn[1], strict=True):
        for other in theirs:
            # SciPy doubles the share of one tail, which varies more than the share of both that we count.
            error = sqrt((mine * (1 - mine) + mine * (2 - mine)) / RESAMPLES)
            apart, errors = max(apart, abs(mine - other)), max(errors, abs(mine - other) / error)
    print(
        f"{len(values):9} {values.shape[1] + 1:8} {ours[0]:20.1f} {permuted[0]:12.1f} "
        f"({permuted[0] / ours[0]:.1f}) {drawn[0]:12.1f} ({drawn[0] / ours[0]:.1f})  "
        f"{apart:.4f}, {errors:.1f} errors"
    )


def in_turns(turns: int, *programs: Callable[[], Any]) -> list[tuple[float, Any]]:
    """The fastest time of each program in milliseconds, and what it gave."""
    found: list[tuple[float, Any]] = [(float("inf"), None)] * len(programs)
    for _ in range(turns):
        for place, program in enumerate(programs):
            start = time.perf_counter()
            result = program()
            found[place] = (min(found[place][0], (time.perf_counter() - start) * 1000), result)
    return found


def interval_before(values: Floats, seed: int, resamples: int, level: float) -> tuple[Floats, Floats]:
    """Percentile intervals by NumPy alone, as they were computed before."""
    count = len(values)
    random = np.random.default_rng(seed)
    size = max(1, BLOCK // count)
    made: list[Floats] = []
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        drawn = random.integers(0, count, (rows, count)) + count * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
        made.append(times.astype(float) @ values / count)
    low, high = np.quantile(np.concatenate(made), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def scipy_interval(values: Floats) -> tuple[Floats, Floats]:
    """Percentile intervals by SciPy, given the values and the mean."""
    found = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=BATCH,
        axis=0,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return found.confidence_interval.low, found.confidence_interval.high


def permutation_p(values: Sequence[float]) -> float:
    """The p-value of SciPy's permutation test with random signs."""
    found = stats.permutation_test(
        (np.array(values),),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=BATCH,
        rng=np.random.default_rng(0),
    )
    return float(found.pvalue)


def monte_carlo_p(values: Sequence[float]) -> float:
    """The p-value of SciPy's Monte Carlo test; the signs are ours to draw, and only of differences that are not 0."""
    moved = np.array([value for value in values if value])
    random = np.random.default_rng(0)

    def signed(size: tuple[int, int]) -> Floats:
        return np.asarray(moved * (1.0 - 2 * random.integers(0, 2, size, dtype=np.int8)))

    found = stats.monte_carlo_test(
        moved, signed, np.mean, vectorized=True, n_resamples=RESAMPLES, batch=BATCH
    )
    return float(found.pvalue)


def end_error() -> float:
    """Standard deviation of an interval's lower end over seeds, for the fewest questions."""
    values = made_differences(QUESTIONS[0], 2)[:, 1:]
    return float(np.std([interval_before(values, seed, RESAMPLES, LEVEL)[0] for seed in range(20)]))


def import_seconds() -> float:
    """Seconds that importing SciPy's statistics takes in a new process that has NumPy."""
    code = "import numpy, time; t = time.perf_counter(); import scipy.stats; print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)


if __name__ == "__main__":
    main()
