"""A hand-out: lessons, runs and comparisons that somebody chooses, as pages in a ZIP archive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from datetime import date
from functools import partial
from typing import TypeVar

import streamlit as st

from core.errors import UnknownRun
from core.jobs import WatchedJob
from core.report import stored_comparison
from core.report.run import stored_report
from core.report.site import Link, Page, Report, pack, pages, run_link
from core.runs.comparisons import Comparison
from core.runs.gallery import OWNER
from core.runs.store import RunEntry, RunFilter
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.families import path
from core.ui.shell import session
from core.ui.shell.local_time import moment
from core.ui.shell.progress import result_of, watch
from core.ui.shell.widgets import close_dialog, dialog_open, download
from core.wording import counted, file_size

NAME = "hand-out"
"""Of the dialog, and of the job in the session."""
LISTED = 200
MOST_REPORTS = 40
"""Runs, and comparisons, that one hand-out may have."""
Stored = TypeVar("Stored", RunEntry, Comparison)
LESSONS, RUNS, COMPARISONS = "hand-out-lessons", "hand-out-runs", "hand-out-comparisons"


class HandOut(WatchedJob[bytes, tuple[float, str]]):
    """A hand-out being made; its progress is the share of the pages that are done, and it in words."""

    def __init__(self, every: Sequence[Page]) -> None:
        """Begin in the background."""
        self.pages = len(every)
        super().__init__(self._make(every), (0.0, ""))

    async def _make(self, every: Sequence[Page]) -> bytes:
        return await asyncio.to_thread(pack, every, self._note_page)

    def _note_page(self, done: int) -> None:
        if self.stopping:
            raise CancelledError
        self.tell((done / self.pages, f"{done} of {counted(self.pages, 'page')} made"))


def offer_hand_out(
    bench: Workbench, *, lessons: Sequence[str] = (), run: str = "", comparison: str = ""
) -> None:
    """Draw the button that opens the dialog, in which these are chosen at first."""
    pressed = st.button(
        "Hand-out",
        key="make-hand-out",
        icon=":material/folder_zip:",
        help="Lessons, runs and comparisons as pages that open without the app and without a network.",
    )
    if pressed:
        st.session_state[LESSONS] = list(lessons)
        st.session_state[RUNS] = [run] if run else []
        st.session_state[COMPARISONS] = [comparison] if comparison else []
        _forget()
    if dialog_open(NAME, pressed):
        _dialog(bench)


def _forget() -> None:
    """Drop a hand-out that is made, since something else is chosen; one that is being made goes on."""
    job: HandOut | None = st.session_state.get(NAME)
    if job is not None and job.done:
        del st.session_state[NAME]


@st.dialog("Make a hand-out", width="large", on_dismiss=close_dialog)
def _dialog(bench: Workbench) -> None:
    job: HandOut | None = st.session_state.get(NAME)
    running = job is not None and not job.done
    st.markdown(
        "Choose what goes in. You get a ZIP file; unpacked, its `index.html` opens in any browser, without the app and "
        "without a network."
    )
    titles = {one.key: f"{number} · {one.title}" for number, one in enumerate(path(strategies().values()))}
    lessons = st.multiselect(
        "Lessons, each with its explorable and its tour",
        list(titles),
        format_func=titles.__getitem__,
        key=LESSONS,
        disabled=running,
        placeholder="None",
        on_change=_forget,
        select_all=False,
    )
    runs = _choice("Runs", RUNS, _runs(bench), locked=running)
    comparisons = _choice("Comparisons", COMPARISONS, _comparisons(bench), locked=running)
    if runs or comparisons:
        st.caption(
            ":material/visibility: Runs and comparisons go in whole: question, prompts, answer, and the passages in "
            "full. Hand them on only if everybody may read those documents."
        )
    reports = [*runs, *comparisons]
    chosen = bool(lessons or reports)
    file = f"rag-loupe-{date.today().isoformat()}.zip"
    make_zip(NAME, lambda: list(pages(lessons, reports)), file, disabled=not chosen)
    if not chosen:
        st.caption("Choose at least one lesson, run or comparison.")


def make_zip(key: str, chosen: Callable[[], Sequence[Page]], file: str, *, disabled: bool = False) -> None:
    """Draw the button that makes an archive of pages, its progress, and the download.

    Args:
        key: Of the job in the session.
        chosen: Returns the pages; called when the button is pressed.
        file: Name of the archive.
        disabled: True if there is nothing to be made.
    """
    job: HandOut | None = st.session_state.get(key)
    if job is not None and not job.done:
        watch(job, lambda: job.progress, stop="hand-out-stop")
        return
    icon = ":material/folder_zip:"
    if st.button("Create ZIP", key="hand-out-make", type="primary", icon=icon, disabled=disabled):
        st.session_state[key] = HandOut(chosen())
        st.rerun()
    if job is None:
        return
    made = result_of(job, "The hand-out could not be made", "Stopped: no hand-out was made.")
    if made is not None:
        label = f"Download ({counted(job.pages, 'page')}, {file_size(len(made))})"
        download(label, made, file, "hand-out-download")


def _choice(label: str, key: str, offered: dict[str, Report], *, locked: bool) -> list[Report]:
    """Draw the choice among stored things; `offered` has them by their ids."""
    kept = [one for one in st.session_state.get(key, ()) if one in offered]
    if kept != st.session_state.get(key):
        st.session_state[key] = kept  # what was deleted since cannot be chosen any more
    chosen = st.multiselect(
        label,
        list(offered),
        format_func=lambda one: f"{offered[one].link.title} · {offered[one].link.remark}",
        key=key,
        disabled=locked,
        max_selections=MOST_REPORTS,
        placeholder="None" if offered else "Nothing is stored yet",
        on_change=_forget,
        select_all=False,
    )
    return [offered[one] for one in chosen]


def _runs(bench: Workbench) -> dict[str, Report]:
    """Return reports of the runs that this browser may list, and of those chosen, by their ids."""
    session.gallery(bench)
    listed = bench.store.list(RunFilter(owners=session.owners(bench)), LISTED)
    entries = [one for one in _with_chosen(listed, RUNS, bench.store.entry) if one.state != "running"]

    def report(one: RunEntry) -> Report:
        title = one.title.removeprefix("Gallery: ")
        link = run_link(one.id, title, one.strategy, one.question, moment(one.created))
        return Report(link, lambda back: stored_report(bench.store.events(one.id), bench.store, back))

    own_first = sorted(entries, key=lambda one: one.owner == OWNER)
    return {one.id: report(one) for one in own_first}


def _comparisons(bench: Workbench) -> dict[str, Report]:
    """Return reports of the comparisons that this browser may list, and of those chosen, by their ids."""
    listed = bench.comparisons.list(session.owners(bench), LISTED)

    def report(one: Comparison) -> Report:
        asked = one.question if one.question != one.title else ""
        link = Link(f"comparison-{one.id}.html", one.title, asked, remark=moment(one.created))
        return Report(link, partial(stored_comparison, one, bench.store))

    return {one.id: report(one) for one in _with_chosen(listed, COMPARISONS, bench.comparisons.get)}


def _with_chosen(listed: Sequence[Stored], key: str, get: Callable[[str], Stored]) -> list[Stored]:
    """Return what is listed, and what else is chosen, by the key of the choice, unless it was deleted since."""
    found: dict[str, Stored] = {one.id: one for one in listed}
    for one in st.session_state.get(key, ()):
        if one not in found:
            with suppress(UnknownRun):
                found[one] = get(one)
    return list(found.values())
