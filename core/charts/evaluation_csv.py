"""An evaluation as CSV: every question through every setting, and the summary with its statistics."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from core.cards.answers import doubt
from core.evaluation.failure_stages import Outcome
from core.evaluation.measures import Scores, present
from core.evaluation.oracle import ORACLE, Oracle
from core.evaluation.plan import Evaluation, Outcomes
from core.evaluation.statistics import compared, intervals

_BEFORE = 14
"""Columns of a summary before the distance to the oracle."""


def questions_csv(
    evaluation: Evaluation,
    outcomes: Outcomes,
    scores: Scores,
    stages: Mapping[str, Mapping[str, Outcome]],
) -> str:
    """A row per setting and question, a column per metric; a field is empty where there is no value.

    `doubt` says whether the answer is only suggested, or that there is none. Where a recording replied, two more
    columns have its name and how many calls were played; where other methods took the model's place, one more has how
    often.
    """
    keys = present(scores)
    playing = ("recording", "played") if evaluation.spec.playing else ()
    replaced = ("other methods",) if any(one.replaced for one in outcomes.done.values()) else ()
    head = (
        "setting",
        "question",
        "text",
        "type",
        *keys,
        "doubt",
        "where it failed",
        "run",
        "error",
        *playing,
        *replaced,
    )
    return _csv(head, _question_rows(evaluation, outcomes, scores, stages, keys))


def _question_rows(
    evaluation: Evaluation,
    outcomes: Outcomes,
    scores: Scores,
    stages: Mapping[str, Mapping[str, Outcome]],
    keys: Sequence[str],
) -> Iterable[Sequence[str]]:
    playing = evaluation.spec.playing
    for place, setting in enumerate(evaluation.spec.settings):
        for question in evaluation.questions:
            done = outcomes.done.get((place, question.id))
            error = outcomes.failed.get((place, question.id), "")
            if done is None and not error:
                continue
            found = scores.get(setting.label, {}).get(question.id, {})
            stage = stages.get(setting.label, {}).get(question.id)
            yield (
                setting.label,
                question.id,
                question.text,
                question.type,
                *(f"{found[key]:.6g}" if key in found else "" for key in keys),
                doubt(done.answer) if done else "",
                stage.stage if stage else "",
                done.run if done else "",
                error,
                *((playing.name, f"{done.played}" if done else "") if playing else ()),
                *((f"{done.replaced}",) if done and done.replaced else ()),
            )


def summary_csv(scores: Scores, baseline: str, best: Oracle | None = None, looks: int = 1) -> str:
    """A row per setting and metric: mean, difference to the baseline, both with 95 % intervals, and the verdict.

    Args:
        scores: Per question.
        baseline: Label of a setting.
        best: The best setting of each question, which gets a row, and each other row its distance; None: no choice.
        looks: How often these questions have been looked at; p-values and intervals of differences allow for it.

    Raises:
        InputError: The baseline is not among the settings.
    """
    head = (
        "setting",
        "metric",
        "questions",
        "mean",
        "mean low",
        "mean high",
        "baseline",
        "compared on",
        "difference",
        "difference low",
        "difference high",
        "p",
        "p corrected",
        "verdict",
        "to oracle",
        "to oracle low",
        "to oracle high",
    )
    return _csv(head, _summary_rows(scores, baseline, best, looks))


def _summary_rows(scores: Scores, baseline: str, best: Oracle | None, looks: int) -> Iterable[Sequence[str]]:
    for key in present(scores):
        apart = best.distances(key) if best else {}
        against = {one.strategy: one for one in compared(scores, baseline, key, looks)}
        for label, mean in intervals(scores, key).items():
            row = [label, key, f"{mean.questions}", *_numbers(mean.mean, mean.low, mean.high)]
            if one := against.get(label):
                found = one.interval
                row += [one.baseline, f"{found.questions}", *_numbers(found.mean, found.low, found.high)]
                row += [*_numbers(one.p, one.p_holm), one.verdict]
            if label in apart:
                to = apart[label]
                row += [""] * (_BEFORE - len(row)) + _numbers(to.mean, to.low, to.high)
            yield row
        if best and (top := best.mean(key)):
            yield [ORACLE, key, f"{top.questions}", *_numbers(top.mean, top.low, top.high)]


def _numbers(*values: float) -> list[str]:
    return [f"{value:.6g}" for value in values]


def _csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([_literal(name) for name in head])
    width = len(head)
    for row in rows:
        writer.writerow([*map(_literal, row), *[""] * (width - len(row))])
    return text.getvalue()


def _literal(text: str) -> str:
    """A text that no spreadsheet takes for a formula; numbers stay numbers."""
    if not text.startswith(("=", "+", "-", "@", "\t", "\r")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
