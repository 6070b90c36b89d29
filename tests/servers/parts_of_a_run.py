"""What tests of strategies look at in a run: its nodes, and the calls of one skill."""

from __future__ import annotations

from core.runs.record import Call, Record
from core.trace.events import Message


def nodes(run: Record) -> list[str]:
    return [step.node for step in run.steps]


def of(run: Record, skill: str) -> list[Call]:
    return [call for call in run.calls if call.skill == skill]


def asked(run: Record, skill: str) -> list[tuple[Message, ...]]:
    """The messages of each call of a skill."""
    return [call.messages for call in of(run, skill)]
