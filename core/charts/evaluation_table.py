"""An evaluation as a table: differences to the baseline first; values, differences and verdicts in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.cards.texts import QUIET
from core.evaluation.measures import (
    BEYOND,
    COSTS,
    GIVEN,
    JUDGED,
    LEADING,
    PASSAGES,
    Metric,
    Scores,
    beside_plain,
    metric,
    present,
    unjudged,
)
from core.evaluation.oracle import ORACLE, Oracle
from core.evaluation.statistics import LEVEL, Difference, Interval, Verdict, compare, intervals
from core.strategies import strategies
from core.wording import counted

VERDICT_MARKS: Mapping[Verdict, str] = {
    "better": "▲",
    "worse": "▼",
    "higher": "△",
    "lower": "▽",
    "no significant difference": "≈",
}


def number(key: str, value: float, *, signed: bool = False) -> str:
    """The value of a metric as text, with a sign if asked and the metric's unit."""
    known = metric(key)
    shown = round(value, known.digits) or 0.0  # nothing has no sign
    text = f"{shown:{'+' if signed and shown else ''},.{known.digits}f}".replace("-", "−")
    return text + (f" {known.unit}" if known.unit else "")


def numbers(key: str, interval: Interval, *, signed: bool = False) -> tuple[str, str, str]:
    """Mean, lower and upper end of an interval as text."""
    mean, low, high = (
        number(key, end, signed=signed) for end in (interval.mean, interval.low, interval.high)
    )
    return mean, low, high


def span(key: str, interval: Interval) -> str:
    """A difference with its interval, all signed."""
    mean, low, high = numbers(key, interval, signed=True)
    return f"{mean} [{low}, {high}]"


def explanation(gap: Difference) -> str:
    """Explain how a difference comes about, for a hover; raw text."""
    p = "below 0.001" if gap.p_holm < 0.001 else f"{gap.p_holm:.3f}"
    looks = f" and for {gap.looks} looks at these questions" if gap.looks > 1 else ""
    text = (
        f"{counted(gap.interval.questions, 'question')}: higher than {gap.baseline} on {gap.more}, lower on "
        f"{gap.less}, the same on {gap.same}. p = {p}, corrected for the number of comparisons{looks}."
    )
    return f"{text} {reason}" if (reason := _reason(gap)) else text


def _reason(gap: Difference) -> str:
    """The reason of a verdict that the interval seems to contradict; empty: it does not."""
    if gap.verdict != "no significant difference" or gap.interval.low <= 0 <= gap.interval.high:
        return ""
    if gap.p < 1 - LEVEL:
        return (
            "Alone it would count, since its interval leaves 0 out; among several comparisons one such is likely by "
            "chance."
        )
    return "Its interval leaves 0 out, but on so few questions that may be chance."


def reading(key: str, baseline: str, gaps: Sequence[Difference]) -> str:
    """A sentence on the first metric over all strategies."""
    if not gaps:
        return ""
    counts = {word: sum(gap.verdict == word for gap in gaps) for word in VERDICT_MARKS}
    phrases = [
        f"{counted(count, f'is {word}', f'are {word}')}"
        for word, count in counts.items()
        if count and word != "no significant difference"
    ]
    if unclear := counts["no significant difference"]:
        phrases.append(f"for {unclear} there is no significant difference")
    return f"{metric(key).title} against {baseline}, {len(gaps)} compared: {'; '.join(phrases)}."


SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "triangle-down", "pentagon", "x")
PATTERNS = ("", "/", "x", "|", ".", "\\", "-", "+")
TABLE_AID = (
    "Large: the difference to the baseline; below it where it may lie for other questions of this kind (95 %), then "
    "the mean. ▲ better, ▼ worse, △ ▽ more or less of what is neither, ≈ no significant difference, corrected for the "
    "number of comparisons. Hover a number to see how it comes about."
)
BEYOND_AID = (
    " “Gold documents beyond plain” is measured against plain retrieval with as many passages instead; below it stand "
    "both numbers."
)
SHARED_AID = (
    " A difference is over the questions that both settings could be judged on, so it can differ from the distance of "
    "the two means."
)
ORACLE_AID = (
    " The oracle is no strategy: for each question it has the best of the other settings, chosen afterwards with the "
    "labels, and so is an upper bound; it is in no test."
)


@dataclass(frozen=True)
class Look:
    """The look that tells a strategy from the others in every chart."""

    mark: str
    """A letter: colours may be alike where one strategy runs with several settings."""
    colour: str
    symbol: str
    """As Plotly names it."""
    pattern: str = ""
    """Pattern of bars: where one strategy runs with several settings, the later settings are hatched."""


ORACLE_LOOK = Look("↑", QUIET, "diamond-wide")
"""Of what is no strategy."""


def looks(keys: Mapping[str, str]) -> dict[str, Look]:
    """The looks of strategies by their labels; `keys`: label -> key of the strategy, grey if it is not known."""
    known = strategies()
    return {
        label: Look(
            mark=chr(ord("A") + place) if place < 26 else f"{place + 1}",
            colour=known[key].colour if key in known else QUIET,
            symbol=SYMBOLS[place % len(SYMBOLS)],
            pattern=PATTERNS[list(keys.values())[:place].count(key) % len(PATTERNS)],
        )
        for place, (label, key) in enumerate(keys.items())
    }


@dataclass(frozen=True)
class EvaluationCell:
    """One metric of one strategy; our own text, except for names of strategies in the detail."""

    mean: str
    difference: str
    """To the baseline, with its sign; empty in the baseline's own row, and where no question is shared."""
    interval: str
    """Interval of the difference; in the baseline's own row, interval of the mean."""
    verdict: Verdict | None
    mark: str
    """Mark of the verdict."""
    detail: str
    """How these numbers come about, for a hover."""
    apart: str = ""
    """How far a setting that chooses itself is from the best of the others; empty: it does not, or there is none."""


@dataclass(frozen=True)
class EvaluationRow:
    """One strategy."""

    strategy: str
    baseline: bool
    cells: tuple[EvaluationCell | None, ...]
    """A cell per metric; None: it has no value for any question."""


@dataclass(frozen=True)
class EvaluationTable:
    """All strategies against the baseline."""

    metrics: tuple[Metric, ...]
    rows: tuple[EvaluationRow, ...]
    """The baseline, then the others, the largest gain first: on the metric that says most, whichever are shown. The
    values of a sweep in their order."""
    reading: str
    """One sentence on the metric that says most."""
    shared: bool = False
    """True if a difference is over fewer questions than a mean beside it."""

    @property
    def aid(self) -> str:
        """How to read it."""
        oracle = ORACLE_AID if any(row.strategy == ORACLE for row in self.rows) else ""
        shared = SHARED_AID if self.shared else ""
        return TABLE_AID + shared + (BEYOND_AID if metric(BEYOND) in self.metrics else "") + oracle

    def data(self, look: Mapping[str, Look]) -> dict[str, object]:
        """The table as it is drawn: a column per strategy and a row per metric, since there are more metrics."""
        groups: dict[str, list[dict[str, object]]] = {}
        for place, known in enumerate(self.metrics):
            groups.setdefault(known.group, []).append(
                {
                    "title": known.title,
                    "help": known.help,
                    "cells": [cell and vars(cell) for cell in (row.cells[place] for row in self.rows)],
                }
            )
        columns = []
        for row in self.rows:
            own, bound = look.get(row.strategy, ORACLE_LOOK), row.strategy == ORACLE
            column = {"mark": own.mark, "colour": own.colour, "name": row.strategy, "bound": bound}
            columns.append(column | {"baseline": row.baseline})
        return {"columns": columns, "groups": [{"title": name, "rows": groups[name]} for name in groups]}


OVERVIEW = (
    *(BEYOND, GIVEN, PASSAGES, "R@10"),
    *("accuracy", "F1", "hallucination", "abstained", "supported"),
    *("calls", "tokens", "seconds", "cost"),
)
"""Metrics that are seen at once, in this order."""
MAIN_COSTS = tuple(key for key in OVERVIEW if metric(key).group == COSTS)


def evaluation_table(
    scores: Scores,
    baseline: str,
    metrics: Sequence[str] = (),
    best: Oracle | None = None,
    looks: int = 1,
    *,
    in_order: bool = False,
) -> EvaluationTable:
    """The table that leads with the differences to a baseline, the label of a setting.

    Args:
        metrics: Their keys, the most important first; empty: all that there are.
        best: The best setting of each question; None: nothing was to choose.
        looks: How often these questions have been looked at.
        in_order: Whether the strategies stay in the order of `scores`, as the values of a sweep do.

    Raises:
        InputError: The baseline is not among the strategies.
    """
    keys = tuple(metrics) or present(scores)
    lead = next((key for key in (*LEADING, *keys) if key in keys), "")
    shared = False
    cells: dict[str, dict[str, EvaluationCell]] = {strategy: {} for strategy in scores}
    unclear = unjudged(scores)
    first: dict[str, Difference] = {}
    beside = beside_plain(scores)
    for key in keys:
        compared = {gap.strategy: gap for gap in compare(scores, baseline, key, looks)}
        first = compared if key == lead else first
        apart = best.distances(key) if best and metric(key).group != COSTS else {}
        means = intervals(scores, key)
        shared |= any(
            gap.interval.questions < means[label].questions
            for gap in compared.values()
            for label in (gap.strategy, gap.baseline)
            if label in means  # plain retrieval with as many passages has none
        )
        for strategy, mean in means.items():
            cell = _cell(key, mean, compared.get(strategy))
            detail = cell.detail
            if key in JUDGED and strategy in unclear:
                left, answers = unclear[strategy]
                detail += f" Cannot be judged: {left} of {answers} answers; they count neither as right nor as wrong."
            if key == BEYOND:
                both = beside[strategy]
                cell = replace(cell, mean=f"{number(GIVEN, both.given)}, plain {number(GIVEN, both.plain)}")
            if to := apart.get(strategy):
                detail += f" To the oracle: {span(key, to)}."
                cell = replace(cell, apart=span(key, to) if best and strategy in best.routers else "")
            cells[strategy][key] = replace(cell, detail=detail)
    order = list(scores) if in_order else _by_gain(scores, baseline, first)
    rows = [
        EvaluationRow(name, name == baseline, tuple(cells[name].get(key) for key in keys)) for name in order
    ]
    rows += [EvaluationRow(ORACLE, False, tuple(_best(best, key) for key in keys))] if best else []
    return EvaluationTable(
        tuple(map(metric, keys)),
        tuple(rows),
        reading(lead, baseline, list(first.values())),
        shared,
    )


def _cell(key: str, mean: Interval, difference: Difference | None) -> EvaluationCell:
    if difference is None:
        shown, low, high = numbers(key, mean)
        return EvaluationCell(
            shown, "", f"[{low}, {high}]", None, "", f"{counted(mean.questions, 'question')}."
        )
    shown, low, high = numbers(key, difference.interval, signed=True)
    return EvaluationCell(
        number(key, mean.mean),
        shown,
        f"[{low}, {high}]",
        difference.verdict,
        VERDICT_MARKS[difference.verdict],
        explanation(difference),
    )


def _by_gain(labels: Iterable[str], baseline: str, differences: Mapping[str, Difference]) -> list[str]:
    def place(label: str) -> tuple[bool, float]:
        if (gap := differences.get(label)) is None:
            return label != baseline, float("inf")
        mean = gap.interval.mean
        return label != baseline, mean if metric(gap.metric).good == "low" else -mean

    return sorted(labels, key=place)


def _best(best: Oracle, key: str) -> EvaluationCell | None:
    """The oracle's mean; it is compared with nothing."""
    mean_interval = best.mean(key)
    if mean_interval is None:
        return None
    mean, low, high = numbers(key, mean_interval)
    picked = ", ".join(f"{label} {count}" for label, count in best.counts(key).items())
    by_lead = f"Of what is picked by {metric(best.lead).title}"
    detail = f"{counted(mean_interval.questions, 'question')}. "
    detail += f"{by_lead if metric(key).group == COSTS else f'Picked: {picked}'}."
    return EvaluationCell(mean, "", f"[{low}, {high}]", None, "", detail)
