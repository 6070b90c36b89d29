"""The results of an evaluation as files, by the ending of their names."""

from __future__ import annotations

from pathlib import Path

from core.errors import InputError
from core.evaluation.oracle import oracle_of
from core.evaluation.plan import Evaluation, Outcomes
from core.evaluation.results import Prices, scores, stages


def check_output(path: Path) -> None:
    """Refuse a file that could not be written after hours of work.

    Raises:
        InputError: Its ending is none of ours, or its folder is not there.
    """
    if path.suffix.lower() not in (".html", ".csv"):
        raise InputError(
            f"“{path.name}” has to end in .html (a report), .csv (every question) or summary.csv."
        )
    if not path.parent.is_dir():
        raise InputError(f"There is no folder “{path.parent}” to write “{path.name}” into. Make it first.")


def save(path: Path, evaluation: Evaluation, outcomes: Outcomes, prices: Prices, baseline: str = "") -> None:
    """Write a file, in the form that its ending says; one that is there is replaced.

    Raises:
        InputError: It cannot be written, or the baseline is not among the settings.
    """
    # Only here: templates and charts take a while to load.
    from core.charts.evaluation_csv import questions_csv, summary_csv
    from core.report import evaluation_report

    found = scores(evaluation, outcomes, prices)
    if path.suffix.lower() == ".html":
        text = evaluation_report(evaluation, outcomes, prices, baseline)
    elif path.name.lower().endswith("summary.csv"):
        best = oracle_of(evaluation, found)
        text = summary_csv(found, baseline or evaluation.spec.baseline, best, evaluation.spec.looks)
    else:
        text = questions_csv(evaluation, outcomes, found, stages(evaluation, outcomes))
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"“{path}” cannot be written: {error.strerror}. The results are stored.") from error
