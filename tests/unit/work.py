"""A bound on work that no busy machine reaches: processor time instead of time."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 30
"""Of the processor; what is bounded takes far below one, and would take minutes if it were quadratic."""


@contextmanager
def little_work() -> Iterator[None]:
    """Fail when what is done inside takes `SECONDS` of this process's own time on the processor."""
    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return

    def too_much(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"It took more than {SECONDS} s of the processor.")

    former = signal.signal(signal.SIGVTALRM, too_much)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)
