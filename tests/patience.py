"""Waiting in tests: for what has to come, until nobody would wait any longer. How fast it comes is not judged."""

from __future__ import annotations

import time

import pytest

GIVE_UP_SECONDS = 300.0
"""So long that a busy machine does not reach it, and short enough that a hanging test ends."""


class Patience:
    """Asked in every turn of a wait; fails the test when it is at its end."""

    def __init__(self) -> None:
        self._end = time.monotonic() + GIVE_UP_SECONDS

    def ask(self, missing: str) -> None:
        """Go on waiting.

        Args:
            missing: What has not come, in a sentence.
        """
        if time.monotonic() > self._end:
            pytest.fail(missing)
