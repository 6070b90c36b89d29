"""Runs and comparisons as files: taken home, and brought in."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.charts.columns import columns
from core.errors import InputError
from core.report import comparison_report, stored_report
from core.runs.comparisons import COLUMNS_LEAST, Comparison
from core.runs.notebook import check, gather, notebook, notebook_name
from core.runs.record import Record, record
from core.runs.store import RunEntry
from core.runs.transfer import MAX_FILE_BYTES, comparison_lines, import_file, to_lines
from core.runs.workbench import Workbench
from core.trace.events import Event
from core.ui.shell import address, session
from core.ui.shell.safe import literal
from core.ui.shell.widgets import download, errors_shown

TAKE_HOME = "Take it home"


def export_buttons(bench: Workbench, entry: RunEntry, events: Sequence[Event]) -> None:
    """The run as a report, as JSON Lines and as a notebook, which are made when they are asked for."""
    with st.popover(TAKE_HOME, icon=":material/download:", key="take-home"):
        download(
            "Report (HTML)",
            lambda: stored_report(events, bench.store),
            f"run-{entry.id}.html",
            "run-report",
            "This run in one file that opens in any browser, also without a network.",
            icon="description",
            width="stretch",
        )
        download(
            "Events",
            to_lines(events),
            f"run-{entry.id}.jsonl",
            "run-export",
            "All events as JSON Lines: to keep, to send, to bring in elsewhere.",
            width="stretch",
        )
        _notebook_button(bench, record(events), "Notebook", "run-notebook")


def _notebook_button(bench: Workbench, run: Record, label: str, key: str) -> None:
    help_ = (
        "The strategy as a short script that runs anywhere, with this run's question, prompts and passages."
    )
    unfit = ""
    try:
        check(run)
    except InputError as error:
        unfit = literal(f"No notebook can be made of this run. {error}")
    download(
        label,
        lambda: notebook(run, gather(run, bench.corpora, bench.graphs)),
        notebook_name(run),
        key,
        unfit or help_,
        icon="code_blocks",
        width="stretch",
        disabled=bool(unfit),
    )


def take_home(bench: Workbench, comparison: Comparison, events: Sequence[Sequence[Event] | None]) -> None:
    """A comparison as a report, as JSON Lines, and each column as a notebook, unless its run was deleted."""
    with st.popover(TAKE_HOME, icon=":material/download:", key="take-home"):
        download(
            "Report (HTML)",
            lambda: comparison_report(comparison, [own or () for own in events]),
            f"comparison-{comparison.id}.html",
            "comparison-report",
            "This comparison in one file that opens in any browser, also without a network.",
            icon="description",
            width="stretch",
        )
        left = [own for own in events if own]
        download(
            "Events",
            lambda: comparison_lines(comparison, left),
            f"comparison-{comparison.id}.jsonl",
            "comparison-export",
            "All events as JSON Lines: to keep, to send, to bring in elsewhere on the page Runs.",
            width="stretch",
            disabled=len(left) < COLUMNS_LEAST,
        )
        for column in columns([record(own or ()) for own in events]):
            if column.run:
                _notebook_button(
                    bench, column.record, f"Notebook of {literal(column.name)}", f"notebook-{column.mark}"
                )


def import_section(bench: Workbench) -> None:
    """One uploader for runs and comparisons."""
    with st.expander(
        "Bring in a run or a comparison from a file", icon=":material/upload_file:", key="import"
    ):
        with st.form("import-run", border=False, clear_on_submit=False):
            file = st.file_uploader(
                "A run or a comparison that was exported as .jsonl",
                type=["jsonl"],
                key="import-file",
                max_upload_size=MAX_FILE_BYTES // 2**20,
            )
            sent = st.form_submit_button("Import", key="import-run-button")
        if not sent:
            return
        if file is None:
            st.error("Choose a file first.")
            return
        with errors_shown():
            if file.size > MAX_FILE_BYTES:  # the widget's own limit is the browser's word
                raise InputError(f"“{file.name}” is larger than {MAX_FILE_BYTES // 2**20} MB.")
            bench.allowances.check_room(session.user(bench), file.size)
            found = import_file(file.name, file.getvalue(), bench.store, bench.comparisons, session.owner())
            if isinstance(found, str):
                st.query_params[address.RUN] = found
                st.rerun()
            st.switch_page("pages/compare.py", query_params={address.COMPARISON: found.id})
