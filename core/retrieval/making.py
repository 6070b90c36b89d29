"""What is being made of a corpus at the moment, for who waits for a first search in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_UNDER_WAY: dict[tuple[str, str], None] = {}
"""Name of a corpus, and what is done, in the order in which that began."""


def making(corpus: str | None) -> str:
    """What is done with a corpus before it can be searched, in words: of several, what began last; empty: nothing.

    Args:
        corpus: Its name.
    """
    return next((what for name, what in reversed(list(_UNDER_WAY)) if name == corpus), "")


@contextmanager
def telling(corpus: str, what: str) -> Iterator[None]:
    """Have `making` say this, as long as it is done; one thread at a time does the same with a corpus."""
    _UNDER_WAY[corpus, what] = None
    try:
        yield
    finally:
        _UNDER_WAY.pop((corpus, what), None)
