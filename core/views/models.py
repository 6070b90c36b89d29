"""Which model answered, in words; raw text."""

from __future__ import annotations

from core.trace.events import RunStarted

TAUGHT = "with what it was taught"


def model_named(started: RunStarted) -> str:
    """The model of a run, for a line of text."""
    return f"{started.chat_model}, {TAUGHT}" if started.adapter else started.chat_model


def model_described(name: str, *, builtin: bool, adapter: bool) -> str:
    """A model, and what to think of it.

    Args:
        name: As the endpoint knows it.
        builtin: Whether it is the built-in one.
        adapter: Whether that could use what it was taught.
    """
    if not builtin:
        return name
    return f"{name} (the tiny built-in model{f', {TAUGHT}' if adapter else ''})"
