"""An evaluation taken home: as a report, and as CSV."""

from __future__ import annotations

import streamlit as st

from core.charts.evaluation_csv import questions_csv, summary_csv
from core.report import evaluation_report
from core.runs.workbench import Workbench
from core.ui.evaluate.found import found_of
from core.ui.shell.downloads import download


def take_home(bench: Workbench, evaluation: str) -> None:
    """The files of the evaluation with this id; each is made when it is asked for."""

    def report() -> str:
        found = found_of(bench, evaluation)
        return evaluation_report(found.evaluation, found.outcomes, bench.settings.model_prices)

    def questions() -> str:
        found = found_of(bench, evaluation)
        return questions_csv(found.evaluation, found.outcomes, found.scores, found.stages)

    def summary() -> str:
        found = found_of(bench, evaluation)
        return summary_csv(found.scores, found.evaluation.spec.baseline)

    with st.popover("Take it home", icon=":material/download:", key="evaluation-home"):
        download(
            "Report (HTML)",
            report,
            f"evaluation-{evaluation}.html",
            "evaluation-report",
            "All results in one file that opens in any browser, also without a network.",
            icon="description",
            width="stretch",
        )
        download(
            "Every question (CSV)",
            questions,
            f"evaluation-{evaluation}.csv",
            "evaluation-csv",
            "A row for each question and setting, with all metrics and where it failed.",
            icon="table",
            width="stretch",
        )
        download(
            "Summary (CSV)",
            summary,
            f"evaluation-{evaluation}-summary.csv",
            "evaluation-summary",
            "Means and differences with intervals, p-values and verdicts.",
            icon="summarize",
            width="stretch",
        )
