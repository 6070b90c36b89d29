"""Scenes go on by the clock, each for the same time; a click on one, back and next pause."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from core.ui.run import scrubber

COUNT = 10


class Redrawn(Exception):
    """The page is drawn anew."""


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a session keeps."""

    def redraw() -> None:
        raise Redrawn

    found: dict[str, Any] = {"scene-k": 0}
    monkeypatch.setattr(st, "session_state", found)
    monkeypatch.setattr(st, "rerun", redraw)
    return found


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that have passed, one number."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_every_scene_is_shown_for_the_same_time(state: dict[str, Any], passed: list[float]) -> None:
    scrubber._play("k", COUNT - 1)
    seen = []
    for _ in range(13):
        seen.append(scrubber.position(COUNT, "k", ticks=True))
        passed[0] += 1.0
    assert seen == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4]


def test_it_ends_with_the_last_scene_and_begins_again_from_there(
    state: dict[str, Any], passed: list[float]
) -> None:
    state["scene-k"] = COUNT - 2
    scrubber._play("k", COUNT - 1)
    passed[0] += 3.0
    with pytest.raises(Redrawn):
        scrubber.position(COUNT, "k", ticks=True)
    assert not scrubber.is_playing("k")
    assert scrubber.position(COUNT, "k", ticks=False) == COUNT - 1
    scrubber._play("k", COUNT - 1)
    assert state["scene-k"] == 0


def test_the_page_is_drawn_anew_to_begin_and_to_end_its_ticks(
    state: dict[str, Any], passed: list[float]
) -> None:
    scrubber._play("k", COUNT - 1)
    with pytest.raises(Redrawn):
        scrubber.position(COUNT, "k", ticks=False)
    scrubber._pause("k", COUNT - 1)
    with pytest.raises(Redrawn):
        scrubber.position(COUNT, "k", ticks=True)


def test_another_speed_holds_from_here_on(state: dict[str, Any], passed: list[float]) -> None:
    scrubber._play("k", COUNT - 1)
    passed[0] += 6.0
    assert scrubber.position(COUNT, "k", ticks=True) == 2
    state["speed-k"] = "Slow"
    scrubber._keep_place("k")
    passed[0] += 4.5
    assert scrubber.position(COUNT, "k", ticks=True) == 2
    passed[0] += 0.5
    assert scrubber.position(COUNT, "k", ticks=True) == 3
    assert all(abs(seconds % scrubber_tick(state, name)) < 1e-9 for name, seconds in scrubber.SPEEDS.items())


def scrubber_tick(state: dict[str, Any], speed: str) -> float:
    """How often the page is drawn while it plays."""
    state["speed-k"] = speed
    tick = scrubber.tick("k")
    assert tick is not None
    return tick


def test_a_chosen_scene_pauses_and_what_a_browser_invents_is_ignored(
    state: dict[str, Any], passed: list[float]
) -> None:
    scrubber._play("k", COUNT - 1)
    for invented in (-1, COUNT, "3", None, 2.5):
        state["scenes-k"] = SimpleNamespace(chosen=invented)
        scrubber._chosen("k", COUNT - 1)
        assert scrubber.is_playing("k")
    state["scenes-k"] = SimpleNamespace(chosen=3)
    scrubber._chosen("k", COUNT - 1)
    assert not scrubber.is_playing("k")
    assert scrubber.tick("k") is None
    assert scrubber.position(COUNT, "k", ticks=False) == 3
