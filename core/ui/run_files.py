"""Runs as files on the page Runs: taken home, and brought in."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import InputError, LoupeError
from core.runs.comparison_files import MAX_FILE_BYTES, import_file
from core.runs.notebook import check, gather, notebook
from core.runs.record import record
from core.runs.store import RunEntry
from core.runs.transfer import to_lines
from core.runs.workbench import Workbench
from core.trace.events import Event
from core.ui import session
from core.ui.safe import literal

_BROUGHT_IN = "brought-in"


def export_buttons(bench: Workbench, entry: RunEntry, events: Sequence[Event]) -> None:
    """The run as JSON Lines and as a notebook, which is made when it is asked for."""
    st.download_button(
        "Export", to_lines(events), f"run-{entry.id}.jsonl", "application/x-ndjson",
        icon=":material/download:", on_click="ignore", key="run-export",
        help="All events as JSON Lines: to keep, to send, to bring in elsewhere.",
    )  # fmt: skip
    run = record(events)
    help_ = (
        "The strategy as a short script that runs anywhere, with this run's question, prompts and passages."
    )
    unfit = ""
    try:
        check(run)
    except InputError as error:
        unfit = literal(f"No notebook can be made of this run. {error}")
    st.download_button(
        "Notebook", lambda: notebook(run, gather(run, bench.library, bench.graphs)), f"run-{entry.id}.ipynb",
        "application/x-ipynb+json", icon=":material/code_blocks:", on_click="ignore", key="run-notebook",
        help=unfit or help_, disabled=bool(unfit),
    )  # fmt: skip


def import_section(bench: Workbench) -> None:
    """One uploader for runs and comparisons."""
    if said := st.session_state.pop(_BROUGHT_IN, ""):
        st.success(said, icon=":material/check:")
    with st.expander(
        "Bring in a run or a comparison from a file", icon=":material/upload_file:", key="import"
    ):
        with st.form("import-run", border=False, clear_on_submit=False):
            file = st.file_uploader(
                "A run or a comparison that was exported as .jsonl", type=["jsonl"], key="import-file",
                max_upload_size=MAX_FILE_BYTES // 2**20,
            )  # fmt: skip
            sent = st.form_submit_button("Import", key="import-run-button")
        if not sent:
            return
        if file is None:
            st.error("Choose a file first.")
            return
        try:
            if file.size > MAX_FILE_BYTES:  # the widget's own limit is the browser's word
                raise InputError(f"“{file.name}” is larger than {MAX_FILE_BYTES // 2**20} MB.")
            found = import_file(file.name, file.getvalue(), bench.store, bench.comparisons, session.owner())
        except LoupeError as error:
            st.error(literal(str(error)), icon=":material/error:")
            return
        if isinstance(found, str):
            st.query_params[session.RUN] = found
        else:
            st.session_state[_BROUGHT_IN] = (
                f"The comparison “{literal(found.title, 120)}” is here now; its {len(found.runs)} runs are in the list."
            )
        st.rerun()
