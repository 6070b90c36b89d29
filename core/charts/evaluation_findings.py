"""The findings of an evaluation in sentences, and what a recording or another method did in it; raw text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Literal

from core.charts.evaluation_table import number, numbers
from core.charts.evaluation_verdict import look_sentence, size, verdicts
from core.evaluation.measures import (
    BEYOND,
    LEADING,
    Scores,
    beside_plain,
    metric,
    present,
    unjudged,
    unjudged_sentence,
)
from core.evaluation.oracle import Oracle
from core.evaluation.pair_budget import relevant
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Evaluation, Outcomes, Result
from core.evaluation.results import Results
from core.evaluation.statistics import compare, differences
from core.evaluation.sweep_results import sweep_sentences
from core.strategies import strategies
from core.trace.artefacts import EVAL_CUTOFF
from core.wording import counted

FEW = 50
"""Below this number of questions, only large differences can be told from chance."""
EVEN = 0.9
"""A setting with less than this share of the baseline's passages is judged on fewer."""


def findings(scores: Scores, baseline: str, looks: int = 1) -> tuple[str, ...]:
    """The findings, a sentence or two each, as far as there are any: how many gold documents were found, and how many
    given, beside plain retrieval with as many passages; how many answers are right; earlier looks at these questions.
    `looks` counts the times that these questions have been looked at, this time included.

    Raises:
        InputError: The baseline is not among the settings.
    """
    there = present(scores)
    sentences: list[str] = []
    for key in LEADING:
        sentences += verdicts(scores, baseline, key, looks) if key in there else ()
        if key == LEADING[0] and BEYOND in there:
            sentences.append(beyond_plain(scores, baseline, looks))
    again = look_sentence(looks) if sentences and len(scores) > 1 else ""
    return (*sentences, *([again] if again else []))


def beyond_plain(scores: Scores, baseline: str, looks: int = 1) -> str:
    """Strategies (at least one) measured against plain retrieval with as many passages: what is left is their searches'
    merit."""
    budgets = beside_plain(scores)
    compared = sorted(compare(scores, baseline, BEYOND, looks), key=lambda gap: -gap.interval.mean)
    clear = [gap for gap in compared if gap.verdict != "no significant difference" or len(compared) == 1]
    parts = []
    for place, gap in enumerate(clear):
        mine = budgets[gap.strategy]
        as_many = "plain retrieval with as many passages" if not place else "plain retrieval with as many"
        unclear = ", which may be chance" if gap.verdict == "no significant difference" else ""
        parts.append(
            f"{gap.strategy} was given {_percent(mine.given)} of the gold documents in {mine.passages:.1f} passages "
            f"per question, {as_many} {_percent(mine.plain)}: {size(gap)}{unclear if gap.more + gap.less else ''}"
        )
    if same := [gap.strategy for gap in compared if gap not in clear]:
        sides = [
            f"{label} ({_percent(budgets[label].given)}, plain {_percent(budgets[label].plain)})"
            for label in same
        ]
        what = "the gold documents given" if not clear else "it"
        parts.append(
            f"No significant difference in {what} between plain retrieval with as many passages and {_listed(sides)}"
        )
    return ". ".join(parts) + "."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


Remark = Literal["oracle", "caution", "apart", "played", "replaced", "unclear", "weak"]


def remarks(results: Results, baseline: str) -> dict[Remark, str]:
    """Remarks beside the findings: a text per kind, as far as there is anything to say."""
    evaluation, outcomes = results.evaluation, results.outcomes
    texts: dict[Remark, str] = {
        "oracle": oracle_sentence(results.best),
        "caution": caution(len({question for _, question in outcomes.done})),
        "apart": judged_apart(evaluation, outcomes, baseline),
        "played": played_sentence(evaluation, outcomes),
        "replaced": replaced_sentence(outcomes),
        "unclear": unjudged_sentence(unjudged(results.scores)),
        "weak": weak_generator(evaluation, results.scores, baseline),
    }
    return {kind: text for kind, text in texts.items() if text}


def oracle_sentence(best: Oracle | None) -> str:
    """How good the best of the settings would be, known for each question beforehand, how far those are from it that
    choose themselves, and what it picks; empty: there is nothing to choose."""
    if best is None or (mean := best.mean(best.lead)) is None:
        return ""
    name, apart = metric(best.lead).title, best.distances(best.lead)
    far = {label: numbers(best.lead, apart[label], signed=True) for label in best.routers if label in apart}
    parts = [f"{label} is {of} [{low}, {high}] from it" for label, (of, low, high) in far.items()]
    if not parts:
        alone, closest = max((apart[label].mean, label) for label in best.among if label in apart)
        parts = [f"the nearest setting, {closest}, is {number(best.lead, alone, signed=True)} from it"]
    picked = ", ".join(f"{label} {count}" for label, count in best.counts().items())
    return (
        f"The oracle takes the best setting of each question, chosen afterwards with the labels: {name} "
        f"{number(best.lead, mean.mean)}; {'; '.join(parts)}. Of equally good settings it takes the cheapest: {picked}."
    )


def caution(questions: int) -> str:
    """A warning that the questions are few; empty: they are enough."""
    if questions >= FEW:
        return ""
    return (
        f"With {counted(questions, 'question')} only large differences can be told from chance. “No significant "
        "difference” does not mean that there is none: take more questions."
    )


def weak_generator(evaluation: Evaluation, scores: Scores, baseline: str) -> str:
    """Say that texts which a weak model wrote for the search led it astray, where that shows; else empty."""
    spec = evaluation.spec
    writing = [setting.label for setting in spec.settings if asks_model(setting, retrieval_only=True)]
    lost = [
        gap.strategy
        for gap in differences(scores, baseline, LEADING[0], looks=evaluation.spec.looks)
        if gap.verdict == "worse" and gap.strategy in writing and baseline not in writing
    ]
    if not lost:
        return ""
    return (
        f"A weak generator can hurt: {_listed(lost)} searched with what {spec.model} wrote, and found less than "
        f"{baseline}, which writes nothing. Open a dark tile below to read what it wrote; a stronger model may turn "
        "this around."
    )


def judged_apart(evaluation: Evaluation, outcomes: Outcomes, baseline: str) -> str:
    """Return differences in the way settings were judged, and notes on the values of a sweep; empty: there are none.
    See the three functions below, and `core.evaluation.sweep_results`."""
    sentences = (
        *sweep_sentences(evaluation, outcomes),
        given_apart(evaluation, outcomes),
        fewer_judged(evaluation, outcomes, baseline),
        first_list_alone(evaluation),
    )
    return " ".join(filter(None, sentences))


def _means(
    evaluation: Evaluation, outcomes: Outcomes, value: Callable[[Result], int | None]
) -> dict[str, float]:
    """Label of a setting -> mean of a value over its results that have it."""
    values: dict[str, list[int]] = {setting.label: [] for setting in evaluation.spec.settings}
    for (place, _), result in outcomes.done.items():
        if (number := value(result)) is not None:
            values[evaluation.spec.settings[place].label].append(number)
    return {label: fmean(numbers) for label, numbers in values.items() if numbers}


def given_apart(evaluation: Evaluation, outcomes: Outcomes) -> str:
    """Say that answers were given different numbers of passages; empty where they were not, or nobody knows."""
    means = _means(evaluation, outcomes, lambda result: result.budget.given if result.budget else None)
    counts = {label: f"{count:.1f}" for label, count in means.items()}
    if len(set(counts.values())) < 2:
        return ""
    each = ", ".join(f"{label} {count}" for label, count in counts.items())
    return (
        f"The answers were given different numbers of passages per question: {each}. More passages alone already hold "
        f"more gold documents; “{metric(BEYOND).title}” is what is left with equal numbers."
    )


def first_list_alone(evaluation: Evaluation) -> str:
    """The settings that found more than was judged: the first of their lists fills the ranking.

    Then what later searches found counts for nothing, and the strategy seems to do no more than its first search.
    """
    full = [
        setting.label
        for setting in evaluation.spec.settings
        if (strategy := strategies().get(setting.strategy))
        and strategy.appends
        and strategy.parse(setting.params).k >= EVAL_CUTOFF
    ]
    if not full:
        return ""
    return (
        f"Only the first search of {', '.join(full)} is judged: the lists of its searches stand one behind the other, "
        f"and the first {EVAL_CUTOFF} passages are judged. With fewer hits per search (k) the other searches count too."
    )


def fewer_judged(evaluation: Evaluation, outcomes: Outcomes, baseline: str) -> str:
    """Say that some settings offered fewer passages to be ranked than the baseline; empty where none did, or where no
    ranking is judged since no question has a gold document.

    A strategy that pools few hits of each search ends with fewer passages than plain retrieval's ranking has.
    """
    passages = _means(evaluation, outcomes, lambda result: result.passages)
    most = passages.get(baseline, 0.0)
    fewer = [f"{label} {count:.1f}" for label, count in passages.items() if 0 < count < EVEN * most]
    if not fewer or not any(map(relevant, evaluation.questions)):
        return ""
    return (
        f"The rankings held different numbers of passages: {baseline} had {most:.1f} per question, "
        f"{', '.join(fewer)}. This may explain part of the difference in nDCG, recall and the like. With more hits per "
        "search (k) they hold as many."
    )


def replaced_sentence(outcomes: Outcomes) -> str:
    """Say how often another method took the model's place, since its replies could not be used; empty: never."""
    done = outcomes.done.values()
    if not (times := sum(result.replaced for result in done)):
        return ""
    pairs = sum(bool(result.replaced) for result in done)
    return (
        f"In {pairs:,} of {counted(len(done), 'run')} some of the model's replies could not be used, and another "
        f"method did the task: {counted(times, 'time')} in all. Their results are not the model's work alone."
    )


def played_sentence(evaluation: Evaluation, outcomes: Outcomes) -> str:
    """Say how many calls were replayed from a recording, and what answered the others; empty: no recording replied."""
    playing = evaluation.spec.playing
    done = [result for result in outcomes.done.values() if not result.recomputed]
    if playing is None:
        return ""
    calls, played = sum(result.calls for result in done), sum(result.played for result in done)
    stood_in = sum(result.stood_in for result in done)
    others = [
        f"the built-in model did {stood_in:,}" if stood_in else "",
        f"{sent:,} went to the model “{evaluation.spec.model}”"
        if (sent := calls - played - stood_in)
        else "",
    ]
    sentence = (
        f"{played:,} of {counted(calls, 'call')} {'was' if played == 1 else 'were'} replayed from the recording "
        f"“{playing.name}” of the model “{playing.model}”{''.join(f', {words}' for words in others if words)}."
    )
    if not played:
        return sentence
    return f"{sentence} Replayed calls cost nothing and come at a chosen pace, so their seconds are left out."
