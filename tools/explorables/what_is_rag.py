"""Closed book's explorable, as the first lesson asks it: what documents add to what a model knows."""

from __future__ import annotations

from typing import Any

from tools.explorables import closed_book
from tools.explorables.closed_book import computed

__all__ = ["computed", "make"]

ASKED = ("q86", "q01", "q11")


def make() -> dict[str, Any]:
    """See `closed_book.make`."""
    return closed_book.make(ASKED) | {"drawing": "closed_book", "question": "What do documents add?"}
