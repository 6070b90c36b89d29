"""Play goes on although a slow browser reports an old place of the scrubber; moving it pauses."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from core.cards.replay import Moment
from core.ui.run import scrubber

FOUND = [Moment(count, float(count), f"Moment {count}") for count in range(10)]


def test_an_old_place_is_no_move(monkeypatch: Any) -> None:
    state: dict[str, Any] = {"moment-k": 0}
    monkeypatch.setattr(st, "session_state", state)
    scrubber._play("k", FOUND)
    begun, passed = time.monotonic, [3.0]
    monkeypatch.setattr(time, "monotonic", lambda: begun() + passed[0])
    assert scrubber.position(FOUND, "k").moment == 3
    passed[0] = 4.0
    assert scrubber.position(FOUND, "k").moment == 4
    state["scrub-k"] = 3  # the browser had not heard of 4 yet
    scrubber._scrub("k")
    assert scrubber.is_playing("k")
    passed[0] = 5.0
    assert scrubber.position(FOUND, "k").moment == 5
    state["scrub-k"] = 1  # never put there
    scrubber._scrub("k")
    assert not scrubber.is_playing("k")
    assert scrubber.position(FOUND, "k").moment == 1


def test_a_report_that_comes_after_the_end_changes_nothing(monkeypatch: Any) -> None:
    state: dict[str, Any] = {"moment-k": 0}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "rerun", lambda: None)
    scrubber._play("k", FOUND)
    begun, passed = time.monotonic, [8.0]
    monkeypatch.setattr(time, "monotonic", lambda: begun() + passed[0])
    assert scrubber.position(FOUND, "k").moment == 8
    passed[0] = 9.5
    assert scrubber.position(FOUND, "k").moment == 9
    assert not scrubber.is_playing("k")
    state["scrub-k"] = 8
    scrubber._scrub("k")
    assert state["moment-k"] == 9
    passed[0] = 20.0
    scrubber._scrub("k")
    assert state["moment-k"] == 8
