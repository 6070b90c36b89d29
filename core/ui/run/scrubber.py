"""Scrubber, play and speed: which moment of something that was recorded is on the page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.cards.replay import Moment, moment_at
from core.ui.shell.safe import literal

TICK_SECONDS = 0.3
STEP_SECONDS = 2.0
"""How long a moment is shown when the replay goes step by step."""
ECHO_SECONDS = 3.0
"""How long after play has put the scrubber somewhere a browser may still report that place as if it were moved."""
SPEEDS = {"Step by step": None, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "5 ×": 5.0}
"""Choice -> how fast time runs; None: every moment for as long as any other."""


@dataclass(frozen=True)
class _Playing:
    """A replay under way."""

    since: float
    """Clock when play was pressed."""
    at: float
    """Recorded seconds at that time."""
    moment: int
    """Moment at that time."""


@dataclass(frozen=True)
class Position:
    """Where the replay stands."""

    moment: int
    """Index of the last moment that has come."""
    at: float | None
    """Recorded seconds, between two moments while time runs; None: exactly at the moment."""


def is_playing(key: str) -> bool:
    """Whether the page has to be drawn again and again."""
    return st.session_state.get(f"playing-{key}") is not None


def position(found: Sequence[Moment], key: str) -> Position:
    """Where it stands; moves the scrubber along while it plays, and ends the play at the end.

    Args:
        found: All moments, at least one.
        key: Unique on the page and stable between redraws.
    """
    last = len(found) - 1
    moment = min(int(st.session_state.setdefault(f"moment-{key}", last)), last)
    playing: _Playing | None = st.session_state.get(f"playing-{key}")
    if playing is None:
        return Position(moment, None)
    passed = time.monotonic() - playing.since
    speed = SPEEDS[st.session_state.get(f"speed-{key}", "1 ×")]
    at = None
    if speed is None:
        moment = min(last, playing.moment + int(passed / STEP_SECONDS))
    else:
        at = playing.at + passed * speed
        moment = moment_at(found, at)
    st.session_state[f"moment-{key}"] = moment
    _put(key)[moment] = time.monotonic()
    if moment == last:
        del st.session_state[f"playing-{key}"]
        st.rerun()
    return Position(moment, at)


def controls(found: Sequence[Moment], key: str, at: float) -> None:
    """Back, play, next, speed, the scrubber, and what has just happened.

    Args:
        found: All moments.
        key: The same as for `position`, which is asked first.
        at: Recorded seconds at which it stands.
    """
    last = len(found) - 1
    moment = min(int(st.session_state[f"moment-{key}"]), last)
    playing = is_playing(key)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Back",
            key="replay-back",
            icon=":material/skip_previous:",
            disabled=moment == 0,
            on_click=_move,
            args=(key, moment - 1),
            help="To the moment before",
        )
        if st.button(
            "Pause" if playing else "Play",
            key="replay-play",
            type="primary",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            on_click=_pause if playing else _play,
            args=(key, found),
        ):
            st.rerun()
        st.button(
            "Next",
            key="replay-next",
            icon=":material/skip_next:",
            disabled=moment == last,
            on_click=_move,
            args=(key, moment + 1),
            help="To the next moment",
        )
        st.segmented_control(
            "Speed",
            list(SPEEDS),
            default="1 ×",
            required=True,
            key=f"speed-{key}",
            label_visibility="collapsed",
            on_change=_keep_place,
            args=(key, found),
        )
    if last > 0:
        st.session_state[f"scrub-{key}"] = moment
        st.slider(
            "Moment of the run",
            0,
            last,
            key=f"scrub-{key}",
            format=" ",
            label_visibility="collapsed",
            on_change=_scrub,
            args=(key,),
        )
    st.caption(
        f"Moment {moment + 1} of {last + 1}: **{literal(found[moment].title)}**, "
        f"{at:.2f} s of {found[-1].at:.2f} s"
    )


def _move(key: str, moment: int) -> None:
    st.session_state[f"moment-{key}"] = moment
    st.session_state.pop(f"playing-{key}", None)


def _play(key: str, found: Sequence[Moment]) -> None:
    """From here, or from the beginning when it is at the end."""
    moment = int(st.session_state[f"moment-{key}"])
    if moment >= len(found) - 1:
        moment = st.session_state[f"moment-{key}"] = 0
    st.session_state[f"playing-{key}"] = _Playing(time.monotonic(), found[moment].at, moment)


def _pause(key: str, _found: Sequence[Moment]) -> None:
    st.session_state.pop(f"playing-{key}", None)


def _scrub(key: str) -> None:
    """Go where the scrubber was moved, and pause; but a slow browser also reports where play put it a moment ago."""
    moment = int(st.session_state[f"scrub-{key}"])
    if time.monotonic() - _put(key).get(moment, 0.0) > ECHO_SECONDS:
        _move(key, moment)


def _put(key: str) -> dict[int, float]:
    """Moments that play has put the scrubber at, each with the clock of the last time."""
    put: dict[int, float] = st.session_state.setdefault(f"put-{key}", {})
    return put


def _keep_place(key: str, found: Sequence[Moment]) -> None:
    """Another speed holds from here on."""
    if is_playing(key):
        moment = int(st.session_state[f"moment-{key}"])
        st.session_state[f"playing-{key}"] = _Playing(time.monotonic(), found[moment].at, moment)
