"""“Delete what is mine”: what this browser stored, counted, and deleted once somebody has confirmed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.runs.workbench import Workbench
from core.ui.shell import session
from core.ui.shell.progress import watch
from core.ui.shell.safe import literal
from core.ui.shell.widgets import errors_shown, fold, popover, problem

if TYPE_CHECKING:
    from core.classroom.erasing import Erasing

JOB, OPEN = "erase-job", "erase-mine"
WARNING = (
    "All of it is deleted for good, with its vectors and graph databases, also what is pinned. Export first what you "
    "want to keep. What others made stays: a comparison of theirs then says that your run is deleted."
)


def erase_mine(bench: Workbench) -> None:
    """Draw a button that deletes what belongs to this browser, or to whoever signed in; then how far that is, and the
    outcome."""
    job: Erasing | None = st.session_state.get(JOB)
    if job is not None and not job.done:
        watch(job, lambda: job.progress, about="What is yours is being deleted.")
        return
    if job is not None:
        _outcome(job)
    opened = popover("Delete what is mine", key=OPEN, icon=":material/delete_forever:")
    if opened.open:
        with opened, errors_shown():
            _confirm(bench)


def _confirm(bench: Workbench) -> None:
    from core.classroom.erasing import Erasing, count, in_words  # it brings all stores

    def begin() -> None:
        st.session_state[JOB] = Erasing(bench, session.owner())
        fold(OPEN)

    counts = count(bench, session.owner())
    if not counts:
        st.markdown("Nothing that is yours is stored.")
        return
    st.markdown(f"What is yours: **{in_words(counts)}**.")
    st.caption(WARNING)
    st.button("Delete all of it", key="erase-go", type="primary", on_click=begin)


def _outcome(job: Erasing) -> None:
    from core.classroom.erasing import in_words

    error = job.error()
    if problems := [problem(error)] if error else [*job.result().problems]:
        st.error(literal(" ".join([*problems, "What is left can be deleted by trying again."])))
    else:
        st.success(f"Deleted: {in_words(job.result().counts)}.", icon=":material/check:")
