"""How a run ends, as the pictures of strategies show it."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from core.cards.doubt import doubted
from core.cards.gist import unformatted
from core.runs.record import Record


class Ending(TypedDict):
    """Plain data; text is raw."""

    answer: str
    """Its words on one line; empty: there is none (yet)."""
    abstained: bool
    running: bool
    waits: NotRequired[bool]
    """Set where nothing more comes until somebody lets it go on."""


def ending(record: Record) -> Ending:
    """Of a run as far as it is."""
    answer = record.answer
    end: Ending = {
        "answer": doubted(" ".join(unformatted(answer.text).split()), answer) if answer else "",
        "abstained": bool(answer and answer.abstained),
        "running": record.under_way,
    }
    return {**end, "waits": True} if record.state == "paused" else end
