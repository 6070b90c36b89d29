"""Text and marks that change in quick succession, kept as they were last.

Fault (Streamlit 1.67): every run begins in a thread of its own, while the run before it may still be in a callback.
That callback may save last what is older, and it is ended, without having saved, when it next reads or writes a
value of the session. And the newer run, unless it waits, shows what was there before.
Needed as long as tests/unit/ui/fixes/test_overtaken.py::test_reading_all_values_never_ends_a_callback passes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock
from typing import Any

import streamlit as st

_KEEPER = "making-keeper"


class LatestWins:
    """Saves one thing at a time, and nothing older after something newer."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._saved: dict[Hashable, float] = {}
        self._callbacks = 0
        self._ended = Condition()

    @contextmanager
    def callback(self) -> Iterator[None]:
        """Around all of a callback that keeps something."""
        with self._ended:
            self._callbacks += 1
        try:
            yield
        finally:
            with self._ended:
                self._callbacks -= 1
                self._ended.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until no callback is left that was overtaken; False if one is still at work after so many seconds."""
        with self._ended:
            return self._ended.wait_for(lambda: not self._callbacks, seconds)

    def keep(self, what: Hashable, at: float, save: Callable[[], None]) -> None:
        """Save something, unless it has been saved as it was then or later; what fails is not saved.

        Args:
            what: Names it.
            at: When it was so; larger is later.
            save: Saves it.
        """
        with self._turn:
            if at > self._saved.get(what, float("-inf")):
                save()
                self._saved[what] = at


def keeper() -> LatestWins:
    """Return that of this session; not for a callback, which reading it may end."""
    own: LatestWins = st.session_state.setdefault(_KEEPER, LatestWins())
    return own


def session_snapshot() -> dict[str, Any]:
    """Return all values of the session. Unlike reading one, it never ends a callback that a newer run has overtaken."""
    return st.session_state.to_dict()
