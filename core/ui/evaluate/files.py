"""An evaluation taken home: as a report, and as CSV."""

from __future__ import annotations

import streamlit as st

from core.charts.evaluation_csv import questions_csv, summary_csv
from core.report import evaluation_report
from core.runs.workbench import Workbench
from core.ui.evaluate.found import found_of


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
        st.download_button(
            "Report (HTML)", report, f"evaluation-{evaluation}.html", "text/html", icon=":material/description:",
            on_click="ignore", key="evaluation-report", width="stretch",
            help="All results in one file that opens in any browser, also without a network.",
        )  # fmt: skip
        st.download_button(
            "Every question (CSV)", questions, f"evaluation-{evaluation}.csv", "text/csv", icon=":material/table:",
            on_click="ignore", key="evaluation-csv", width="stretch",
            help="A row for each question and setting, with all metrics and where it failed.",
        )  # fmt: skip
        st.download_button(
            "Summary (CSV)", summary, f"evaluation-{evaluation}-summary.csv", "text/csv",
            icon=":material/summarize:", on_click="ignore", key="evaluation-summary", width="stretch",
            help="Means and differences with intervals, p-values and verdicts.",
        )  # fmt: skip
