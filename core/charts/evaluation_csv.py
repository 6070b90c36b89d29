"""An evaluation as CSV: every question through every setting, and the summary with its statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.cards.texts import doubt
from core.charts.csv_text import csv_text
from core.evaluation.measures import present
from core.evaluation.oracle import ORACLE
from core.evaluation.results import Results
from core.evaluation.statistics import compare, intervals

_SUMMARY = (
    *("setting", "metric", "questions", "mean", "mean low", "mean high", "baseline", "compared on"),
    *("difference", "difference low", "difference high", "p", "p corrected", "verdict"),
    *("to oracle", "to oracle low", "to oracle high"),
)
"""Columns of a summary."""


def questions_csv(results: Results) -> str:
    """A row per setting and question, a column per metric; a field is empty where there is no value.

    `doubt` says whether the answer is only suggested, or that there is none. Where a recording replied, two more
    columns have its name and how many calls were played; where other methods took the model's place, one more has how
    often.
    """
    keys, outcomes, playing = present(results.scores), results.outcomes, results.evaluation.spec.playing
    head = ["setting", "question", "text", "type", *keys, "doubt", "where it failed", "run", "error"]
    head += ["recording", "played"] if playing else []
    head += ["other methods"] if any(pair.replaced for pair in outcomes.done.values()) else []
    rows: list[Mapping[str, str]] = []
    for place, setting in enumerate(results.evaluation.spec.settings):
        for question in results.evaluation.questions:
            result = outcomes.done.get((place, question.id))
            error = outcomes.failed.get((place, question.id), "")
            if result is None and not error:
                continue
            values = results.scores.get(setting.label, {}).get(question.id, {})
            stage = results.stages.get(setting.label, {}).get(question.id)
            row = {
                "setting": setting.label,
                "question": question.id,
                "text": question.text,
                "type": question.type,
                "where it failed": stage.stage if stage else "",
                "error": error,
                "recording": playing.name if playing else "",
                **{key: f"{value:.6g}" for key, value in values.items()},
            }
            if result:
                row |= {"doubt": doubt(result.answer), "run": result.run, "played": f"{result.played}"}
                row["other methods"] = f"{result.replaced}" if result.replaced else ""
            rows.append(row)
    return csv_text(head, rows)


def summary_csv(results: Results, baseline: str = "") -> str:
    """A row per setting and metric: mean, difference to the baseline, both with 95 % intervals, the verdict, and the
    distance to the best setting of each question, which has a row of its own. `baseline` is the label of a setting;
    empty: the evaluation's own.

    Raises:
        InputError: The baseline is not among the settings.
    """
    spec, best = results.evaluation.spec, results.best
    rows: list[Sequence[str]] = []
    for key in present(results.scores):
        apart = best.distances(key) if best else {}
        against = {
            gap.strategy: gap for gap in compare(results.scores, baseline or spec.baseline, key, spec.looks)
        }
        for label, mean in intervals(results.scores, key).items():
            row = [label, key, f"{mean.questions}", *_numbers(mean.mean, mean.low, mean.high)]
            if gap := against.get(label):
                over = gap.interval
                row += [gap.baseline, f"{over.questions}", *_numbers(over.mean, over.low, over.high)]
                row += [*_numbers(gap.p, gap.p_holm), gap.verdict]
            if to := apart.get(label):
                row += [""] * (_SUMMARY.index("to oracle") - len(row)) + _numbers(to.mean, to.low, to.high)
            rows.append(row)
        if best and (top := best.mean(key)):
            rows.append([ORACLE, key, f"{top.questions}", *_numbers(top.mean, top.low, top.high)])
    return csv_text(_SUMMARY, [dict(zip(_SUMMARY, row, strict=False)) for row in rows])


def _numbers(*values: float) -> list[str]:
    return [f"{value:.6g}" for value in values]
