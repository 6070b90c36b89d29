"""What is written and marked in quick succession: runs that overtake one another save what was last."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.state import SafeSessionState, SessionState

from core.errors import StoreError
from core.ui.evaluate.making_order import Keeper, held


def test_what_is_older_waits_for_nothing_and_is_not_saved_after_what_is_newer() -> None:
    saved: list[int] = []
    order = Keeper()
    for at, grade in ((1, 1), (3, 0), (2, 2), (3, 2)):
        order.keep("mark", at, lambda grade=grade: saved.append(grade))  # type: ignore[misc]
    order.keep("another mark", 2, lambda: saved.append(9))
    assert saved == [1, 0, 9]


def test_an_older_one_that_is_being_saved_slowly_is_not_the_last() -> None:
    order, slow, go_on = Keeper(), Event(), Event()
    saved: list[int] = []

    def slowly() -> None:
        slow.set()
        assert go_on.wait(10)
        saved.append(1)

    threads = [
        Thread(target=order.keep, args=("mark", at, save))
        for at, save in ((1, slowly), (2, lambda: saved.append(0)))
    ]
    threads[0].start()
    assert slow.wait(10)
    threads[1].start()
    threads[1].join(0.2)
    assert saved == []
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert saved == [1, 0]


def test_what_could_not_be_saved_is_saved_when_it_comes_again() -> None:
    saved: list[int] = []
    order = Keeper()

    def fail() -> None:
        raise StoreError("The disk is full.")

    with pytest.raises(StoreError):
        order.keep("mark", 1, fail)
    order.keep("mark", 1, lambda: saved.append(1))
    assert saved == [1]


def overtaken(reads: Callable[[], object]) -> bool:
    """Whether it ends a callback whose run has been overtaken."""
    try:
        reads()
    except StopException:
        return True
    return False


def test_reading_all_values_never_ends_a_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> None:
        raise StopException

    state = SessionState()
    state["text"] = "Who?"
    monkeypatch.setattr(
        "streamlit.runtime.state.session_state_proxy.get_session_state", lambda: SafeSessionState(state, stop)
    )
    assert overtaken(lambda: st.session_state["text"])  # else `held` would not be needed
    assert not overtaken(held)
    assert held()["text"] == "Who?"
