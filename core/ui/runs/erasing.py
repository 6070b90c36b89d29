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

JOB, OUTCOME, OPEN, SURE = "erase-job", "erase-outcome", "erase-mine", "erase-sure"
ALL = (
    "All of it is deleted for good, with its vectors and graph databases, also what is pinned. Export first what you "
    "want to keep. What others made stays: a comparison of theirs then says that your run is deleted."
)
COMMAND_LINE_STAYS = (
    "What was made at the command line of this machine stays: `python -m core erase` deletes it."
)
KEPT = "What is left can be deleted by trying again."
NEW = "This browser has a new random id from now on, so nothing that comes is connected with what was."


def erase_mine(bench: Workbench) -> None:
    """Draw what belongs to this browser, or to whoever signed in, and a button that deletes it; then how far that is,
    and the outcome."""
    job: Erasing | None = st.session_state.get(JOB)
    if job is not None and job.done:
        _end(bench, job)
    elif job is not None:
        watch(job, lambda: (job.share, job.message), about="What is yours is being deleted.")
    else:
        if outcome := st.session_state.get(OUTCOME):
            st.success(outcome, icon=":material/check:")
        opened = popover("Delete what is mine", key=OPEN, icon=":material/delete_forever:")
        if opened.open:
            with opened, errors_shown():
                _ask(bench)


def _ask(bench: Workbench) -> None:
    from core.classroom.erasing import in_words, what_is_mine  # they bring all stores

    counts = what_is_mine(bench, session.owner())
    if not counts:
        st.markdown("Nothing that is yours is stored.")
        return
    st.markdown(f"What is yours: **{in_words(counts)}**.")
    st.caption(ALL)
    if not bench.settings.has_teacher:
        st.caption(COMMAND_LINE_STAYS)
    sure = st.checkbox("Delete all of it for good", key=SURE)
    st.button(
        "Delete what is mine",
        key="erase-go",
        type="primary",
        disabled=not sure,
        on_click=_begin,
        args=(bench,),
    )


def _begin(bench: Workbench) -> None:
    from core.classroom.erasing import erase

    st.session_state[JOB] = erase(bench, session.owner())
    st.session_state[SURE] = False
    fold(OPEN)


def _end(bench: Workbench, job: Erasing) -> None:
    """Draw what could not be deleted; where all was, this browser becomes a new one."""
    from core.classroom.erasing import in_words

    error = job.error()
    problems = [problem(error, KEPT)] if error else [*job.result().problems]
    if not problems:
        new = NEW if session.renew_owner() else ""
        st.session_state[OUTCOME] = f"Deleted: {in_words(job.result().counts)}. {new}"
        del st.session_state[JOB]
        st.rerun()
    st.error(
        literal(" ".join([*problems, *([] if error else [KEPT])])), title="Not all of it could be deleted"
    )
    st.button("Try again", key="erase-again", icon=":material/refresh:", on_click=_begin, args=(bench,))
