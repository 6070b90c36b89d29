"""Work on a graph that may take long: in a thread of its own, so that it holds up no other session, with Stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import streamlit as st

from core.errors import InputError, LoupeError
from core.ui.fixes.ticking import ticking
from core.ui.shell.safe import literal
from core.ui.shell.widgets import problem

T = TypeVar("T")
TICK_SECONDS = 0.3
AT_ONCE_SECONDS = 0.4
"""Work that ends within this time is shown without a sign of progress."""
log = logging.getLogger(__name__)


@dataclass
class Work(Generic[T]):
    """A call under way. Its thread is nobody else's, so waiting for a slow server delays no run and no search."""

    request: Hashable
    """The request that it was begun with."""
    future: Future[T] = field(default_factory=Future)
    stopped: bool = False
    """True if nobody waits for it any more; it ends by its own time limit."""

    @property
    def done(self) -> bool:
        """True if it has ended, or nobody waits for it."""
        return self.stopped or self.future.done()

    def begin(self, call: Callable[[], T]) -> None:
        """Do it, and wait a moment for its end."""
        name = "rag-loupe-graph-page"
        threading.Thread(target=self._run, args=(call,), name=name, daemon=True).start()
        with suppress(NotYet):
            self.future.exception(AT_ONCE_SECONDS)

    def stop(self) -> None:
        """Wait no longer."""
        self.stopped = True

    def _run(self, call: Callable[[], T]) -> None:
        try:
            self.future.set_result(call())
        except Exception as error:
            if not isinstance(error, LoupeError):
                log.exception("Work on a graph failed")
            self.future.set_exception(error)


def awaited(key: str, request: Hashable, call: Callable[[], T], doing: str) -> T | None:
    """Return the result of a call, once it is there; until then a line with Stop, and afterwards why there is none.

    A result is kept in the session and not asked for again until `request` differs.

    Args:
        key: Unique among the works of a session.
        request: Everything that the result depends on.
        call: Does it; in another thread, so nothing of Streamlit may be used in it.
        doing: What is under way, for people; our own text.
    """
    work: Work[T] | None = st.session_state.get(f"work-{key}")
    if work is None or work.request != request:
        work = st.session_state[f"work-{key}"] = Work(request)
        work.begin(call)
    if not work.done:
        _watch(work, key, doing)
        return None
    if work.stopped:
        st.warning("Stopped.", icon=":material/stop:")
        _again(key)
        return None
    error = work.future.exception()
    if error is None:
        return work.future.result()
    st.error(literal(problem(error, "Try again.")), icon=":material/error:")
    if not isinstance(error, InputError):  # the same again would give the same
        _again(key)
    return None


def forget_work(key: str) -> None:
    """Do it anew when it is next asked for."""
    st.session_state.pop(f"work-{key}", None)


def _again(key: str) -> None:
    st.button("Try again", key=f"again-{key}", icon=":material/refresh:", on_click=forget_work, args=(key,))


@ticking(TICK_SECONDS)
def _watch(work: Work[Any], key: str, doing: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/hourglass_top: {doing}", width="content")
        st.button("Stop", key=f"stop-{key}", icon=":material/stop:", on_click=work.stop)
    if work.done:
        st.rerun()
