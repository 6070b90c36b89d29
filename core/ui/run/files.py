"""Runs and comparisons as files: their export and import."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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

EXPORT = "Export"


def export_buttons(bench: Workbench, entry: RunEntry, events: Sequence[Event]) -> None:
    """The run as a report, as JSON Lines and as a notebook, which are made when they are asked for."""
    with st.popover(EXPORT, icon=":material/download:", key="take-home"):
        _buttons("run", entry.id, lambda: stored_report(events, bench.store), lambda: to_lines(events))
        _notebook_button(bench, record(events), "Notebook", "run-notebook")


def _buttons(
    what: str, key: str, report: Callable[[], str], lines: Callable[[], str], *, importable: bool = True
) -> None:
    """Draw the downloads of a run or a comparison, by its id, as a report and as JSON Lines."""
    download(
        "Report (HTML)",
        report,
        f"{what}-{key}.html",
        f"{what}-report",
        f"This {what} in one file that opens in any browser, also without a network.",
        icon="description",
        width="stretch",
    )
    download(
        "Events",
        lines,
        f"{what}-{key}.jsonl",
        f"{what}-export",
        "All events as JSON Lines: to keep, to send, or to import elsewhere on the page Runs.",
        width="stretch",
        disabled=not importable,
    )


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
    with st.popover(EXPORT, icon=":material/download:", key="take-home"):
        left = [own for own in events if own]
        _buttons(
            "comparison",
            comparison.id,
            lambda: comparison_report(comparison, [own or () for own in events]),
            lambda: comparison_lines(comparison, left),
            importable=len(left) >= COLUMNS_LEAST,
        )
        for column in columns([record(own or ()) for own in events]):
            if column.run:
                _notebook_button(
                    bench, column.record, f"Notebook of {literal(column.name)}", f"notebook-{column.mark}"
                )


def import_section(bench: Workbench) -> None:
    """Draw the form that imports a run or a comparison, and opens it."""

    def bring_in(name: str, data: bytes) -> None:
        stored = import_file(name, data, bench.store, bench.comparisons, session.owner())
        if isinstance(stored, str):
            st.query_params[address.RUN] = stored
            st.rerun()
        st.switch_page("pages/compare.py", query_params={address.COMPARISON: stored.id})

    import_form(bench, "a run or a comparison", "import-run", MAX_FILE_BYTES // 2**20, bring_in)


def import_form(
    bench: Workbench,
    what: str,
    key: str,
    most_mb: int,
    bring_in: Callable[[str, bytes], None],
    ending: str = "jsonl",
) -> None:
    """Draw a form with a file of at most `most_mb` megabytes, whose name and content `bring_in` stores and opens.

    `what` is in the file, for example "a recording"; `key` begins the keys of the widgets, and the name of the file
    ends with a full stop and `ending`.
    """
    with st.expander(f"Import {what} from a file", icon=":material/upload_file:", key=key):
        with st.form(f"{key}-form", border=False, clear_on_submit=False):
            file = st.file_uploader(
                f"{what.capitalize()} that was exported as .{ending}",
                type=[ending],
                key=f"{key}-file",
                max_upload_size=most_mb,
            )
            sent = st.form_submit_button("Import", key=f"{key}-button")
        if not sent:
            return
        if file is None:
            st.error("Choose a file first.")
            return
        with errors_shown():
            if file.size > most_mb * 2**20:  # the widget's own limit is the browser's word
                raise InputError(f"“{file.name}” is larger than {most_mb} MB.")
            bench.allowances.check_room(session.user(bench), file.size)
            bring_in(file.name, file.getvalue())
