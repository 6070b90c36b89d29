"""How a step reports what it does: it hands events to a tracer, which numbers and places them."""

from __future__ import annotations

from typing import Protocol, cast

from core.trace.artefacts import AnyArtefact, Artefact
from core.trace.events import ArtefactMade, BaseEvent


class Tracer(Protocol):
    """Receives events from inside a step. `seq`, `at` and `step` are filled in by the tracer."""

    def emit(self, event: BaseEvent) -> None:
        """Take one event, from inside a step; never blocks."""


def emit_artefact(tracer: Tracer, artefact: Artefact) -> None:
    """Report an artefact."""
    tracer.emit(ArtefactMade(artefact=cast("AnyArtefact", artefact)))


class ListTracer:
    """Keeps events in a list, numbered: for tests and for work outside a run."""

    def __init__(self) -> None:
        self.events: list[BaseEvent] = []

    def emit(self, event: BaseEvent) -> None:
        self.events.append(event.model_copy(update={"seq": len(self.events)}))
