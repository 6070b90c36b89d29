"""The results of an evaluation on the terminal, and as files by the ending of their names."""

from __future__ import annotations

from pathlib import Path

from core.charts.evaluation_findings import remarks
from core.charts.evaluation_table import evaluation_table
from core.cli.output import print_table, printable
from core.errors import InputError
from core.evaluation.measures import BEYOND, PASSAGES, present
from core.evaluation.results import Prices, Results
from core.wording import counted

_SHOWN = (BEYOND, PASSAGES, "R@10", "nDCG@10", "F1", "accuracy", "hallucination", "abstained")
"""Metrics that are printed; all of them are in the JSON."""


def print_results(results: Results, baseline: str = "") -> None:
    """The rows of the page's table, metric by metric; then the totals, and the remarks of the page.

    Args:
        baseline: Label of a setting; empty: the evaluation's own.

    Raises:
        InputError: The baseline is not among the settings.
    """
    spec, baseline = results.evaluation.spec, baseline or results.evaluation.spec.baseline
    answers = "retrieval only" if spec.retrieval_only else f"answers by {spec.model}"
    answers += f", recorded: {spec.playing.name}" if spec.playing else ""
    seed = "" if spec.seed is None else f", seed {spec.seed}"
    questions = counted(len(results.evaluation.questions), "question")
    looks = f" and for {spec.looks} looks at these questions" if spec.looks > 1 else ""
    print(printable(f"{spec.dataset}: {questions}{seed}, {answers}"))
    print(
        f"Against {printable(baseline)}, with 95 % intervals, corrected for the number of comparisons{looks}:\n"
    )
    there = present(results.scores)
    keys = [key for key in _SHOWN if key in there]
    in_order = spec.sweep is not None
    table = evaluation_table(results.scores, baseline, keys, results.best, spec.looks, in_order=in_order)
    for place, metric in enumerate(table.metrics if keys else ()):
        rows = [
            (f"{cell.difference} {cell.interval}", cell.verdict, cell.mean, row.strategy)
            if cell.verdict
            else ("", "baseline" if row.baseline else "bound", f"{cell.mean} {cell.interval}", row.strategy)
            for row in table.rows
            if (cell := row.cells[place])
        ]
        print_table(("DIFFERENCE", "VERDICT", metric.title, "STRATEGY"), rows)
        print()
    totals = []
    for place, setting in enumerate(spec.settings):
        mine = [result for (at, _), result in results.outcomes.done.items() if at == place]
        tokens = sum(one.tokens_in + one.tokens_out for one in mine)
        pace = " (pace)" if any(one.played for one in mine) else ""
        totals.append(
            (
                sum(one.calls for one in mine),
                tokens if all(one.tokens_known for one in mine) else "not told",
                f"{sum(one.seconds for one in mine):.1f}{pace}",
                setting.label,
            )
        )
    print_table(("CALLS", "TOKENS", "SECONDS", "STRATEGY"), totals)
    for text in remarks(results, baseline).values():
        print(f"\n{printable(text)}")
    print(f"\nEvaluation {results.evaluation.id}")


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


def save(path: Path, results: Results, prices: Prices, baseline: str = "") -> None:
    """Write a file, in the form that its ending says; one that is there is replaced.

    Raises:
        InputError: It cannot be written, or the baseline is not among the settings.
    """
    # Only here: templates and charts take a while to load.
    from core.charts.evaluation_csv import questions_csv, summary_csv
    from core.report import evaluation_report

    if path.suffix.lower() == ".html":
        text = evaluation_report(results.evaluation, results.outcomes, prices, baseline)
    elif path.name.lower().endswith("summary.csv"):
        text = summary_csv(results, baseline)
    else:
        text = questions_csv(results)
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"“{path}” cannot be written: {error.strerror}. The results are stored.") from error
