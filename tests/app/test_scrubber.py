"""Play goes on although a slow browser reports an old place of the scrubber; moving it pauses."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from core.ui import scrubber
from core.views.replay import Moment

FOUND = [Moment(count, float(count), f"Moment {count}") for count in range(10)]


def test_an_old_place_is_no_move(monkeypatch: Any) -> None:
    state: dict[str, Any] = {"moment-k": 0}
    monkeypatch.setattr(st, "session_state", state)
    scrubber._play("k", FOUND)
    playing = state["playing-k"]
    begun = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: begun() + 3.0)
    assert scrubber.position(FOUND, "k").moment == 3
    monkeypatch.setattr(time, "monotonic", lambda: begun() + 5.0)
    assert scrubber.position(FOUND, "k").moment == 5
    state["moment-k"] = 3  # the browser had not heard of 5 yet
    scrubber._scrub("k")
    assert state["playing-k"] is playing
    assert scrubber.position(FOUND, "k").moment == 5
    state["moment-k"] = 1
    scrubber._scrub("k")
    assert not scrubber.is_playing("k")
    assert scrubber.position(FOUND, "k").moment == 1
