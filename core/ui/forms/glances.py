"""Background work whose result is a line of a form: what is asked again is not done again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from core.jobs import Job
from core.ui.fixes.ticking import ticking

J = TypeVar("J", bound=Job[Any])

AT_ONCE_SECONDS = 0.15
"""How long a page waits for the result, so that what is quick does not come in a second drawing."""
TICK_SECONDS = 0.5


def glance(key: str, asked: object, begin: Callable[[], J]) -> J:
    """The job for what is asked; where the form has changed, the former one is stopped.

    Args:
        key: Of the line, in this session.
        asked: What the result depends on.
        begin: Begins the work.
    """
    known, job = st.session_state.get(key, (None, None))
    if job is None or known != asked:
        if job is not None:
            job.stop()
        job = begin()
        st.session_state[key] = (asked, job)
        job.let_end(AT_ONCE_SECONDS)
    found: J = job
    return found


def draw_glance(job: J, words: Callable[[J], str]) -> None:
    """Draw the line, again and again until the job has ended; then the whole page redraws.

    Args:
        words: Markdown for the job as it is, under way or ended; empty: nothing is to be said.
    """
    ticking(None if job.done else TICK_SECONDS)(_line)(job, words, not job.done)


def _line(job: J, words: Callable[[J], str], ticks: bool) -> None:
    ended = job.done  # asked first: what ends meanwhile is seen by the next tick
    if said := words(job):
        st.caption(said)
    if ended and ticks:
        st.rerun()
