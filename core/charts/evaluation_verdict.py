"""The verdicts of an evaluation in words of recall and right answers; raw text.

How large a difference is, and whether so few questions tell it from chance.
"""

from __future__ import annotations

from statistics import fmean, pvariance, stdev

from core.evaluation.measures import Scores, metric
from core.evaluation.statistics import (
    MOST_QUESTIONS,
    USUAL_SPREAD,
    Difference,
    differences,
    intervals,
    questions_needed,
    smallest_difference,
)
from core.wording import counted, ordinal

ENOUGH = 8
"""Fewest questions from which a spread is judged."""
LEAST_SPREAD = 0.05
_AS_MANY = 0.05
"""Calls per question up to which two settings make as many."""


def verdicts(scores: Scores, baseline: str, key: str, looks: int = 1) -> tuple[str, ...]:
    """A sentence or two on each strategy that is better or worse than the baseline, the best first, then on those whose
    difference may be chance; one sentence on several that do not differ on any question, as values of a sweep may. The
    metric can be told in words (`Metric.sentence`), and `looks` counts how often these questions have been looked at.

    Raises:
        InputError: The baseline is not among the strategies.
    """
    compared = sorted(differences(scores, baseline, key, looks=looks), key=lambda gap: -gap.interval.mean)
    if not compared:
        alone = [
            f"{label} {_phrase(key, interval.mean)} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"
            for label, interval in intervals(scores, key).items()
        ]
        return (f"{'; '.join(alone)}. There is nothing to compare it with.",)
    clear = [gap for gap in compared if gap.verdict != "no significant difference"]
    alike = [gap for gap in compared if not gap.more + gap.less]
    if len(alike) < 2:
        alike = []
    unclear = [gap for gap in compared if gap not in clear and gap not in alike]
    sentences = [f"{_sentence(scores, gap)}." for gap in clear]
    for place, gap in enumerate(unclear):
        sentence, chance = f"{_sentence(scores, gap)}.", _chance(scores, gap, len(compared), first=not place)
        # The first sentence of all is the headline, and stands alone.
        parts = (sentence, chance) if chance else (sentence,)
        sentences += parts if not sentences else [" ".join(parts)]
    if alike:
        base = _phrase(key, _mean(scores, alike[0], baseline))
        names = ", ".join(gap.strategy for gap in alike)
        sentences.append(f"{baseline} {base}, with no difference on any question to {names}.")
    return tuple(sentences)


def look_sentence(looks: int) -> str:
    """Say that the questions were looked at before; empty: they were not. Comes after the verdicts."""
    if looks < 2:
        return ""
    return (
        f"This is the {ordinal(looks)} look at these questions; the intervals are widened for it, so a difference has "
        "to be clearer to count."
    )


def expected_precision(questions: int, comparisons: int, looks: int = 1, spread: float | None = None) -> str:
    """Return the smallest difference that an evaluation will tell from chance, in Markdown of our own words. So many
    settings are compared with the baseline, at so many looks at these questions; `spread` is the standard deviation
    of the difference per question in an earlier evaluation, or None."""
    if comparisons < 1:
        return ""
    number = counted(questions, "question")
    least = smallest_difference(questions, spread or USUAL_SPREAD, comparisons, looks)
    again = f", and it is the {ordinal(looks)} look at these questions" if looks > 1 else ""
    if least is None:
        enough = next(
            count
            for count in range(questions + 1, MOST_QUESTIONS)
            if smallest_difference(count, spread or USUAL_SPREAD, comparisons, looks)
        )
        return f"With {number} no difference can be told from chance{again}. Take at least {enough}."
    by = (
        "as in your last evaluation of this data set"
        if spread
        else "as in most comparisons measured with this app"
    )
    return (
        f"With {number}, only a difference of about **{100 * least:.0f} points of recall** or more can be told from "
        f"chance, if single questions differ {by}{again}."
    )


def paired_spread(scores: Scores, baseline: str, key: str) -> float | None:
    """Standard deviation of the difference to the baseline per question, over all other strategies; None where too few
    questions have it."""
    apart = [_apart(scores, label, baseline, key) for label in scores if label != baseline]
    variances = [pvariance(values) for values in apart if len(values) >= ENOUGH]
    # A floor, since a few questions may happen not to differ.
    return max(LEAST_SPREAD, fmean(variances) ** 0.5) if variances else None


def _apart(scores: Scores, label: str, baseline: str, key: str) -> list[float]:
    """Difference of a strategy to the baseline on each question that both have."""
    base = scores.get(baseline, {})
    return [
        values[key] - base[question][key]
        for question, values in scores[label].items()
        if key in values and key in base.get(question, {})
    ]


def points(share: float) -> str:
    """The size of a share in points, e.g. “17”; below one with a decimal."""
    size = abs(100 * share)
    return f"{size:.0f}" if size >= 1 or size < 0.05 else f"{size:.1f}"


def _sentence(scores: Scores, gap: Difference) -> str:
    """Both means, the higher first, the difference with its interval, and what it costs, if anything differs."""
    sides = [(label, _mean(scores, gap, label)) for label in (gap.strategy, gap.baseline)]
    (first, most), (second, least) = sides if sides[0][1] >= sides[1][1] else sides[::-1]
    whose = "" if first == gap.strategy else f" for {gap.strategy}"
    head = f"{first} {_phrase(gap.metric, most)}, {second} {100 * least:.0f} %"
    cost = _cost(scores, gap) if gap.more + gap.less else ""
    return f"{head}: {size(gap)}{whose if cost else ''}{cost}"


def _phrase(key: str, share: float) -> str:
    return (metric(key).sentence or f"has {{}} {metric(key).title}").format(f"{100 * share:.0f} %")


def _mean(scores: Scores, gap: Difference, label: str, key: str = "") -> float:
    """The mean of a strategy over the questions that it has in common with the baseline."""
    both = scores[gap.strategy].keys() & scores[gap.baseline].keys()
    there = [
        id_ for id_ in both if all(gap.metric in scores[name][id_] for name in (gap.strategy, gap.baseline))
    ]
    return fmean(scores[label][id_].get(key or gap.metric, 0.0) for id_ in sorted(there))


def size(gap: Difference) -> str:
    """A difference with its interval in points, e.g. “17 points more (7 to 27)”."""
    interval = gap.interval
    if interval.mean == 0 and interval.low == interval.high:
        return "no difference on any question" if not gap.more + gap.less else "no difference"
    less = interval.mean < 0
    low, high = (-interval.high, -interval.low) if less else (interval.low, interval.high)
    word, other = ("less", "more") if less else ("more", "less")
    sides = (f" {other}", f" {word}") if low < 0 < high else ("", "")
    around = f"{points(low)}{sides[0]} to {points(high)}{sides[1]}"
    if round(1000 * interval.mean) == 0:
        return f"no difference ({around} points)"
    return f"{points(interval.mean)} point{'' if points(interval.mean) == '1' else 's'} {word} ({around})"


def _cost(scores: Scores, gap: Difference) -> str:
    mine, base = (_mean(scores, gap, label, "calls") for label in (gap.strategy, gap.baseline))
    if mine <= base + _AS_MANY:
        return ", at no more calls" if mine or base else ", without a model call"
    often = f"{mine:.1f}".removesuffix(".0")
    instead = f"{base:.1f}".removesuffix(".0") if base else "none"
    return f", for {often} model call{'' if often == '1' else 's'} per question instead of {instead}"


def _chance(scores: Scores, gap: Difference, comparisons: int, *, first: bool) -> str:
    """Say that a difference may be chance, why, and how many questions would show it; empty: nothing differs. The first
    such sentence says it in full."""
    if not gap.more + gap.less:
        return ""
    questions = counted(gap.interval.questions, "question")
    sentence = f"With {questions} this may be chance" if first else "This may be chance"
    if not gap.interval.low <= 0 <= gap.interval.high:
        many = [f"{comparisons} comparisons"] * (comparisons > 1) + [f"{gap.looks} looks"] * (gap.looks > 1)
        why = f"with {' and '.join(many)} one such is likely by chance"
        few = "with so few questions that happens by chance"
        sentence += f": the interval leaves 0 out, but {why if many and gap.p_holm != gap.p else few}"
    needed = _needed(scores, gap, comparisons)
    if needed is None:
        return f"{sentence}."
    real = "If the difference is real, " if first else "If it is real, "
    return f"{sentence}. {real}{needed} {'would' if first else 'questions would'} show it."


def _needed(scores: Scores, gap: Difference, comparisons: int) -> str | None:
    """Return how many questions would show it, in words; None: nothing differs."""
    apart = _apart(scores, gap.strategy, gap.baseline, gap.metric)
    spread = stdev(apart) if len(apart) > 1 else 0.0
    if not gap.interval.mean or not spread:
        return None
    needed = questions_needed(gap.interval.mean, spread, comparisons, gap.looks)
    if needed is None:
        return f"more than {MOST_QUESTIONS:,}"
    return f"about {_round(max(needed, gap.interval.questions + 1)):,}"


def _round(number: int) -> int:
    """Two figures, upwards: more would say more than is known."""
    step = 100 if number > 200 else 10 if number > 50 else 5 if number > 20 else 1
    return -(-number // step) * step
