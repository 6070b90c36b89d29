"""The controls of a replay: which scene of something that was recorded is on the page, and which comes next.

Every scene is shown for the same time, however long it took; how long that was is told as a number. In real time, a
replay would mostly wait for the model, and what it is about would be over within a second.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.ui.shell.assets import drawing
from core.ui.shell.safe import literal

SPEEDS = {"Slow": 5.0, "Normal": 3.0, "Quick": 1.5}
"""Choice -> seconds for which every scene is shown."""
NORMAL = "Normal"
LONGEST_TICK = 1.0
EARLY = 0.2
"""Seconds by which a tick may come early and still turn to the next scene."""


@dataclass(frozen=True)
class Said:
    """A sentence of a scene; raw text."""

    text: str
    mark: str = ""
    """What it is about, as `A`; empty: there is nothing else."""


@dataclass(frozen=True)
class _Playing:
    """A replay under way."""

    since: float
    """Clock when its first scene was shown."""
    scene: int
    """The first scene."""


def tick(key: str) -> float | None:
    """After how many seconds the page has to be drawn again; None: it does not play."""
    if not is_playing(key):
        return None
    seconds = _seconds(key)
    return seconds / math.ceil(seconds / LONGEST_TICK)


def is_playing(key: str) -> bool:
    """True if it goes on by itself."""
    return st.session_state.get(f"playing-{key}") is not None


def position(count: int, key: str, *, ticks: bool) -> int:
    """The scene that it stands at, from 0; goes on while it plays, and ends the play with the last scene.

    `count` is at least one; `key` is unique on the page and stable between redraws. `ticks`: this drawing is drawn
    again and again; where that does not fit, the page is drawn anew.
    """
    last = count - 1
    scene = min(int(st.session_state.setdefault(f"scene-{key}", last)), last)
    playing: _Playing | None = st.session_state.get(f"playing-{key}")
    if playing is not None:
        turned = int((time.monotonic() - playing.since + EARLY) / _seconds(key))
        scene = st.session_state[f"scene-{key}"] = min(last, playing.scene + turned)
        if scene == last:
            del st.session_state[f"playing-{key}"]
    if is_playing(key) != ticks:
        st.rerun()
    return scene


def controls(key: str, scene: int, titles: Sequence[str], took: str, said: Sequence[Said]) -> None:
    """Docked at the bottom of the window: the scenes, what happens in this one, back, play, next and speed.

    The arrow keys press back and next, the space bar presses play; the page follows what is new.

    `key` is the same as for `position`, which is asked first. `titles` name each scene, with how long it took, and
    `took` stands beside the number of this one; both are raw text. `said` is what happens in it.
    """
    last, playing = len(titles) - 1, is_playing(key)
    with st.container(key="replay", gap="xsmall"):
        drawing("scenes")(
            data={
                "titles": list(titles),
                "now": scene,
                "playing": playing,
                "seconds": _seconds(key),
                "said": [{"mark": one.mark, "text": one.text} for one in said],
            },
            key=f"scenes-{key}",
            on_chosen_change=lambda: _chosen(key, last),
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="replay-line"):
            st.button(
                "Back",
                key="replay-back",
                icon=":material/skip_previous:",
                disabled=scene == 0,
                on_click=_move,
                args=(key, scene - 1),
                help="To the scene before: ←",
            )
            st.button(
                "Pause" if playing else "Play",
                key="replay-play",
                type="primary",
                icon=":material/pause:" if playing else ":material/play_arrow:",
                on_click=_pause if playing else _play,
                args=(key, last),
            )
            st.button(
                "Next",
                key="replay-next",
                icon=":material/skip_next:",
                disabled=scene == last,
                on_click=_move,
                args=(key, scene + 1),
                help="To the next scene: →",
            )
            told = f" · {literal(took)}" if took else ""
            st.markdown(f"Scene {scene + 1} of {last + 1}:gray[{told}]", width="stretch")
            st.segmented_control(
                "How long each scene is shown",
                list(SPEEDS),
                default=NORMAL,
                required=True,
                key=f"speed-{key}",
                label_visibility="collapsed",
                on_change=_keep_place,
                args=(key,),
            )


def _seconds(key: str) -> float:
    """For which every scene is shown."""
    return SPEEDS[st.session_state.get(f"speed-{key}") or NORMAL]


def _move(key: str, scene: int) -> None:
    st.session_state[f"scene-{key}"] = scene
    st.session_state.pop(f"playing-{key}", None)


def _chosen(key: str, last: int) -> None:
    """Go to the scene that was clicked; a browser may report anything."""
    scene = getattr(st.session_state.get(f"scenes-{key}"), "chosen", None)
    if isinstance(scene, int) and 0 <= scene <= last:
        _move(key, scene)


def _play(key: str, last: int) -> None:
    """From here, or from the beginning when it is at the end."""
    scene = int(st.session_state[f"scene-{key}"])
    if scene >= last:
        scene = st.session_state[f"scene-{key}"] = 0
    st.session_state[f"playing-{key}"] = _Playing(time.monotonic(), scene)


def _pause(key: str, _last: int) -> None:
    st.session_state.pop(f"playing-{key}", None)


def _keep_place(key: str) -> None:
    """Another speed holds from here on."""
    if is_playing(key):
        st.session_state[f"playing-{key}"] = _Playing(time.monotonic(), int(st.session_state[f"scene-{key}"]))
