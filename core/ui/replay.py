"""A run replayed: the same drawing as when it was live, at any moment of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.runs.record import Record, record
from core.strategies import strategies
from core.trace.events import Event, RunStarted
from core.ui.run_view import draw_run
from core.ui.safe import literal
from core.views.replay import Moment, count_at, moment_at, moments

TICK_SECONDS = 0.3
STEP_SECONDS = 2.0
"""How long a moment is shown when the replay goes step by step."""
SPEEDS = {"Step by step": None, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "5 ×": 5.0}
"""Choice -> how fast time runs; None: every moment for as long as any other."""


@dataclass(frozen=True)
class _Playing:
    """A replay under way."""

    since: float
    """Clock when play was pressed."""
    at: float
    """Seconds of the run at that time."""
    moment: int
    """Moment at that time."""


def draw_replay(events: Sequence[Event], *, attempts: int, parent: Record | None) -> None:
    """Scrubber, play, and the run as it was at that moment.

    Args:
        events: All events of the run, at least its start.
        attempts: Tries per model call in all, for the line about retries.
        parent: The run that a fork was forked from; None: there is none, or it is gone.
    """
    started = events[0]
    if not isinstance(started, RunStarted):
        return
    strategy = strategies().get(started.strategy)
    found = moments(events, strategy.diagram().nodes if strategy else {})
    playing = st.session_state.get(f"playing-{started.run}") is not None
    st.fragment(_replay, run_every=TICK_SECONDS if playing else None)(
        events, found, started.run, attempts, parent
    )


def _replay(
    events: Sequence[Event], found: Sequence[Moment], run: str, attempts: int, parent: Record | None
) -> None:
    count = _position(events, found, run)
    with st.container(border=True, key="replay"):
        _controls(found, run, events[count - 1].at)
    draw_run(record(events[:count]), attempts=attempts, parent=parent, editable=count == len(events))


def _position(events: Sequence[Event], found: Sequence[Moment], run: str) -> int:
    """How many events are shown; moves the scrubber along while it plays, and ends the play at the end."""
    last = len(found) - 1
    scrubber = f"moment-{run}"
    moment = min(int(st.session_state.setdefault(scrubber, last)), last)
    playing: _Playing | None = st.session_state.get(f"playing-{run}")
    if playing is None:
        return found[moment].count
    passed = time.monotonic() - playing.since
    speed = SPEEDS[st.session_state.get(f"speed-{run}", "1 ×")]
    if speed is None:
        count = found[min(last, playing.moment + int(passed / STEP_SECONDS))].count
    else:
        count = count_at(events, playing.at + passed * speed)
    st.session_state[scrubber] = moment_at(found, count)
    if count >= len(events):
        del st.session_state[f"playing-{run}"]
        st.rerun()
    return count


def _controls(found: Sequence[Moment], run: str, at: float) -> None:
    last = len(found) - 1
    moment = min(int(st.session_state[f"moment-{run}"]), last)
    playing = st.session_state.get(f"playing-{run}") is not None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Back", key="replay-back", icon=":material/skip_previous:", disabled=moment == 0,
            on_click=_move, args=(run, moment - 1), help="To the moment before",
        )  # fmt: skip
        if st.button(
            "Pause" if playing else "Play", key="replay-play", type="primary",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            on_click=_pause if playing else _play, args=(run, found),
        ):  # fmt: skip
            st.rerun()
        st.button(
            "Next", key="replay-next", icon=":material/skip_next:", disabled=moment == last,
            on_click=_move, args=(run, moment + 1), help="To the next moment",
        )  # fmt: skip
        st.segmented_control(
            "Speed", list(SPEEDS), default="1 ×", required=True, key=f"speed-{run}",
            label_visibility="collapsed", on_change=_keep_place, args=(run, found),
        )  # fmt: skip
    if last > 0:
        st.slider(
            "Moment of the run", 0, last, key=f"moment-{run}", format=" ", label_visibility="collapsed",
            on_change=_pause, args=(run, found),
        )  # fmt: skip
    st.caption(
        f"Moment {moment + 1} of {last + 1}: **{literal(found[moment].title)}**, "
        f"{at:.2f} s of {found[-1].at:.2f} s"
    )


def _move(run: str, moment: int) -> None:
    st.session_state[f"moment-{run}"] = moment
    st.session_state.pop(f"playing-{run}", None)


def _play(run: str, found: Sequence[Moment]) -> None:
    """From here, or from the beginning when it is at the end."""
    moment = int(st.session_state[f"moment-{run}"])
    if moment >= len(found) - 1:
        moment = st.session_state[f"moment-{run}"] = 0
    st.session_state[f"playing-{run}"] = _Playing(time.monotonic(), found[moment].at, moment)


def _pause(run: str, _found: Sequence[Moment]) -> None:
    st.session_state.pop(f"playing-{run}", None)


def _keep_place(run: str, found: Sequence[Moment]) -> None:
    """Another speed holds from here on."""
    if st.session_state.get(f"playing-{run}") is not None:
        moment = int(st.session_state[f"moment-{run}"])
        st.session_state[f"playing-{run}"] = _Playing(time.monotonic(), found[moment].at, moment)
