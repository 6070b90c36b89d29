"""A run by its id, and a run drawn while it goes on; wherever a page shows one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

import streamlit as st

from core.errors import StoreError, UnknownRun
from core.models.timing import Speed
from core.runs.record import Record, record
from core.runs.run_job import RunJob
from core.runs.workbench import Workbench
from core.trace.events import Event
from core.ui.fixes.ticking import ticking
from core.ui.run.whole_run import draw_run
from core.ui.shell import session
from core.ui.shell.safe import literal

TICK_SECONDS = 0.3
END_SECONDS = 0.5
"""How long a page waits for the end of a run that is stopped, so that the first picture after the click shows it."""
STORED_SECONDS = 5.0
"""How long a page waits until the end of a run is stored; mostly it is, long before."""
SHARE = 0.15
"""Of a processor that redraws of all runs under way take: all threads share one interpreter, and thirty sessions that
draw at once keep the server from all else, such as votes, and the runs from getting on."""
TURN_SECONDS = 4.0
"""Longest time that a redraw waits for its turn: the page expects a sign of life after six seconds."""
LOOK_SECONDS = 0.1
"""Time between two looks of a redraw that waits: for its turn, and for the end of its run."""


class _Turns:
    """The redraws of all sessions of a process, paced by what they cost."""

    def __init__(self) -> None:
        self.seconds = 0.02
        """Of processor time that the last redraws took, on average."""
        self._lock = threading.Lock()
        self._next = 0.0
        """The moment from which the next redraw may begin, of the monotonic clock."""

    def take(self) -> bool:
        """True if a redraw may begin now."""
        with self._lock:
            if time.monotonic() < self._next:
                return False
            self._next = time.monotonic() + self.seconds / SHARE
            return True

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the processor time of a redraw."""
        start = time.thread_time()
        yield
        self.seconds += (time.thread_time() - start - self.seconds) / 10


_TURNS = _Turns()


def find_run(bench: Workbench, run: str) -> tuple[RunJob | None, Record | None]:
    """The job while it is under way in this process, and how far the run is; if there is none, the page says so."""
    job = bench.launcher.job(run)
    if job is not None:
        # Asked first: a run that ends meanwhile is drawn by the ticking part, which then sees its end.
        running = not job.done
        if not running:
            job.wait(STORED_SECONDS)  # a page asks the store for what it does not draw
        return (job if running else None), _fold(run, len(job.events), lambda: job.events[:])
    try:
        return None, _fold(run, bench.store.length(run), lambda: bench.store.events(run))
    except StoreError as error:
        say_missing(error)
    return None, None


def _fold(run: str, count: int, events: Callable[[], Sequence[Event]]) -> Record:
    """The run that its events come to; with as many as when this session drew it last, the same object as then."""
    return session.recall("fold", (run, count), lambda: record(events()))


def say_missing(error: StoreError) -> None:
    """Why the run in the address cannot be shown."""
    if isinstance(error, UnknownRun):
        st.warning(
            "No run with the id in this address is stored on this server. Check the address, or ask again.",
            title="This run is not here",
            icon=":material/search_off:",
        )
    else:
        st.error(literal(str(error)), title="This run cannot be shown", icon=":material/error:")


def tick_seconds(bench: Workbench) -> float:
    """Seconds between two redraws of runs that do not take turns; more, the more runs are under way."""
    return max(TICK_SECONDS, _TURNS.seconds / SHARE * bench.launcher.running())


def live(bench: Workbench, job: RunJob, above: Callable[[Record], None]) -> None:
    """Draw a run, below what `above` draws, again and again until it has ended; then the whole page redraws."""
    ticking(TICK_SECONDS)(_draw)(bench, job, above, count())


def _speed(bench: Workbench, run: Record) -> Speed | None:
    """The speed of the model that answers, if it is one of this machine and known."""
    try:
        return bench.backends.models.speeds.of_asked(run.who.chat_model) if run.who else None
    except StoreError:
        return None


def _draw(bench: Workbench, job: RunJob, above: Callable[[Record], None], draws: Iterator[int]) -> None:
    if next(draws):  # the first one fills the page, and waits for nothing
        end = time.monotonic() + TURN_SECONDS
        while not (job.done or _TURNS.take() or time.monotonic() > end):
            time.sleep(LOOK_SECONDS)
            st.session_state.get("turn")  # any key: this is where Streamlit lets a click take over
        if job.done:
            st.rerun()
    now = job.now  # asked first: of what happens meanwhile the events know the time
    with _TURNS.counted():
        run = record(job.events[:], now, job.ahead)
        above(run)
        draw_run(run, speed=_speed(bench, run))
    if job.done:
        st.rerun()
