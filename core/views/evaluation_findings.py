"""What an evaluation found, in plain sentences; raw text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean

from core.evaluation.measures import Scores, metric, present
from core.evaluation.plan import Evaluation, Outcomes
from core.evaluation.statistics import Difference, differences, intervals
from core.strategies import strategies
from core.strategies.nodes import JUDGED_DEPTH
from core.views.evaluation import number

LEAD = {
    "nDCG@10": ("finds more than", "finds less than"),
    "accuracy": ("answers better than", "answers worse than"),
}
"""Metric that says most of its kind -> what it means to have more or less of it."""
FEW = 50
"""Below so many questions, only large differences can be told from chance."""
EVEN = 0.9
"""A setting with less than this share of the baseline's passages is judged on fewer."""


def findings(scores: Scores, baseline: str, seed: int = 0) -> tuple[str, ...]:
    """A sentence on the evidence found and one on the answers, as far as there are any.

    Args:
        scores: Per question.
        baseline: Label of the setting that the others are compared with.
        seed: Of the resampling.

    Raises:
        InputError: The baseline is not among the settings.
    """
    there = present(scores)
    return tuple(_finding(scores, baseline, key, seed) for key in LEAD if key in there)


def _finding(scores: Scores, baseline: str, key: str, seed: int) -> str:
    name = metric(key).title
    found = differences(scores, baseline, key, seed=seed)
    if not found:
        means = intervals(scores, key, seed=seed)
        said = [
            f"{label}: {number(key, one.mean)} {name} [{number(key, one.low)}, {number(key, one.high)}]"
            for label, one in means.items()
        ]
        return "; ".join(said) + ". There is nothing to compare it with."
    more, less = LEAD[key]
    better = sorted((one for one in found if one.verdict == "better"), key=lambda one: -one.interval.mean)
    worse = sorted((one for one in found if one.verdict == "worse"), key=lambda one: one.interval.mean)
    same = [one.strategy for one in found if one.verdict == "no significant difference"]
    parts = [f"{one.strategy} {more} {baseline}: {_size(one)}" for one in better]
    parts += [f"{one.strategy} {less} {baseline}: {_size(one)}" for one in worse]
    count = found[0].interval.questions
    if same:
        beside = f"No significant difference between {baseline} and {_listed(same)}"
        parts.append(
            beside if parts else f"{beside} in {name} on {count} question{'' if count == 1 else 's'}"
        )
    return ". ".join(parts) + "."


def _size(one: Difference) -> str:
    low, mean, high = (
        number(one.metric, value, signed=True)
        for value in (one.interval.low, one.interval.mean, one.interval.high)
    )
    return f"{mean} {metric(one.metric).title} [{low}, {high}]"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def caution(questions: int) -> str:
    """What few questions cannot tell; empty where there are enough of them."""
    if questions >= FEW:
        return ""
    return (
        f"{questions} question{'' if questions == 1 else 's'}: only large differences can be told from chance. "
        "“No significant difference” does not mean that there is none; take more questions."
    )


def weak_generator(scores: Scores, baseline: str, writing: Collection[str], model: str, seed: int = 0) -> str:
    """That a weak model's texts led the search astray, where that shows; else empty.

    Args:
        scores: Per question.
        baseline: Label of the setting that the others are compared with.
        writing: Labels of the settings that search with what the model wrote.
        model: Its name.
        seed: Of the resampling.
    """
    lost = [
        one.strategy
        for one in differences(scores, baseline, "nDCG@10", seed=seed)
        if one.verdict == "worse" and one.strategy in writing and baseline not in writing
    ]
    if not lost:
        return ""
    return (
        f"A weak generator can hurt: {_listed(lost)} searched with what {model} wrote, and found less than {baseline}, "
        "which writes nothing. Open a dark tile below to read what it wrote; a stronger model may turn this around."
    )


def judged_apart(evaluation: Evaluation, outcomes: Outcomes, baseline: str) -> str:
    """In what the settings were not judged alike; empty: in nothing. See the two functions below."""
    said = (fewer_judged(evaluation, outcomes, baseline), first_list_alone(evaluation))
    return " ".join(filter(None, said))


def first_list_alone(evaluation: Evaluation) -> str:
    """Which settings had more found than was judged: the first of their lists fills the ranking.

    Then what later searches found counts for nothing, and the strategy seems to do no more than its first search.
    """
    full = [
        setting.label
        for setting in evaluation.spec.settings
        if (strategy := strategies().get(setting.strategy))
        and strategy.appends
        and strategy.parse(setting.params).k >= JUDGED_DEPTH
    ]
    if not full:
        return ""
    return (
        f"Only the first search is judged of {', '.join(full)}: the lists of several searches stand one behind the "
        f"other, and {JUDGED_DEPTH} passages are judged. With fewer hits per search (k) the others count too."
    )


def fewer_judged(evaluation: Evaluation, outcomes: Outcomes, baseline: str) -> str:
    """That some settings offered fewer passages to be judged than the baseline; empty where none did.

    A strategy that pools few hits of each search ends with fewer passages than plain retrieval's ranking has.

    Args:
        evaluation: Its settings.
        outcomes: What became of its pairs.
        baseline: Label of the setting that the others are compared with.
    """
    passages = {
        setting.label: fmean(counts)
        for place, setting in enumerate(evaluation.spec.settings)
        if (counts := [result.passages for (at, _), result in outcomes.done.items() if at == place])
    }
    most = passages.get(baseline, 0.0)
    fewer = [f"{label} {count:.1f}" for label, count in passages.items() if 0 < count < EVEN * most]
    if not fewer:
        return ""
    return (
        f"Not judged on equally many passages: {baseline} had {most:.1f} per question, {', '.join(fewer)}. A part of "
        "the difference may be that. With more hits per search (k) it is even."
    )
