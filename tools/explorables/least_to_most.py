"""The chain of sub-questions with handles, as the lesson on this strategy begins it."""

from __future__ import annotations

from typing import Any

from tools.explorables.chains import chain, computed

__all__ = ["computed", "make"]


def make() -> dict[str, Any]:
    """See `chain`."""
    return chain(__name__)
