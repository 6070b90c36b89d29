"""The order of a run's events: their numbers and times, and which steps run at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.trace.events import Event, StepFailed, StepFinished, StepStarted


@dataclass
class Numbering:
    """Gives events their place: no gap in the numbers, and time never runs backwards."""

    origin: float
    """`time.monotonic()` at the start of the run."""
    seq: int = 0
    last: float = 0.0

    def place(self, event: Any) -> Any:
        """The event with its number and time."""
        at = event.at or time.monotonic() - self.origin
        self.last = max(self.last, at)
        placed = event.model_copy(update={"seq": self.seq, "at": self.last})
        self.seq += 1
        return placed


@dataclass
class Layers:
    """Which steps run at once and which step each one waited for, from the order of starts and ends."""

    layer: int = -1
    running: set[str] = field(default_factory=set)
    last_finished: str | None = None
    parent: str | None = None
    """Last step to finish before the current layer began."""

    @classmethod
    def after(cls, past: Sequence[Event]) -> Layers:
        """As they stood when a run was cut off: its last layer goes on, if one of its steps has finished."""
        layers = cls()
        for event in past:
            if isinstance(event, StepStarted):
                layers.start(event.step)
            elif isinstance(event, StepFinished | StepFailed):
                layers.finish(event.step)
        layers.running.clear()
        return layers

    def start(self, step: str) -> None:
        """Note that a step has begun; it begins a layer where no other runs."""
        if not self.running:
            self.layer += 1
            self.parent = self.last_finished
        self.running.add(step)

    def finish(self, step: str) -> None:
        """Note that a step has ended."""
        self.running.discard(step)
        self.last_finished = step
