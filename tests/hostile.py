"""Runs whose every free text is an attack: script, Markdown that fetches, and characters that turn the text round."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from core.trace.events import Event, RunFinished, dump, load
from tests import examples

EVIL = (
    "<img src=x onerror=alert(1)><script>alert(2)</script> ![](http://evil.example/x) [a](javascript:alert(3)) "
    "\u202egnp.exe\u2066\u200f $$x$$ :red[red] {question} ''' \"\"\" \\"
)
_JOINTS = {"type", "kind", "step", "parent", "call", "run", "label"}
"""Fields by which events are told apart and joined."""
_IDS = {"chunk", "document", "id"}
"""Stay different from one another."""


def poisoned(event: Event, *, keep: frozenset[str] = frozenset()) -> Event:
    """The event with every text replaced that may be any text.

    Args:
        event: As it should be.
        keep: Fields that stay.
    """
    data = json.loads(dump(event))
    for owner, key, value in list(_texts(data)):
        if key in _JOINTS | keep:
            continue
        index = owner.index(value) if isinstance(owner, list) else key
        owner[index] = f"{value} {EVIL}" if key in _IDS else EVIL
        try:
            load(json.dumps(data))
        except ValidationError:
            owner[index] = value  # a word out of a list, or a time
    return load(json.dumps(data))


def _texts(value: Any, key: str = "") -> Any:
    """Every text with what holds it; those of a list have the list's name."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in items:
        own = str(name) if isinstance(value, dict) else key
        if isinstance(item, str):
            yield value, own, item
        elif isinstance(item, dict | list):
            yield from _texts(item, own)


def every_artefact(strategy: str, *, keep: frozenset[str] = frozenset()) -> list[Event]:
    """A run of poisoned events that holds one artefact of every kind."""
    script = examples.Script()
    script.start(strategy, run=f"hostile-{strategy}")
    for number, artefact in enumerate(examples.artefacts()):
        step = f"s-{number}"
        script.step(step, artefact.kind, number, f"s-{number - 1}" if number else None)
        script.call(step, f"c-{number}", "answer", "reply")
        script.make(step, artefact)
        script.done(step)
    script.add(RunFinished(), after=0.01)
    return [poisoned(event, keep=keep) for event in script.events]
