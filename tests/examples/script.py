"""Writing a run down event by event."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.trace.artefacts import (
    AnyArtefact,
)
from core.trace.events import (
    ArtefactMade,
    Event,
    Message,
    ModelFinished,
    ModelStarted,
    RunStarted,
    StepFinished,
    StepStarted,
    Token,
    Usage,
)
from tests.examples.parts import (
    QUESTION,
)


@dataclass
class Script:
    """Collects events and fills in sequence number, time and step."""

    events: list[Event] = field(default_factory=list)
    at: float = 0.0

    def add(self, event: Event, step: str = "", after: float = 0.0) -> None:
        self.at = round(self.at + after, 3)
        placed = event.model_copy(update={"seq": len(self.events), "at": self.at, "step": step})
        self.events.append(placed)

    def start(self, strategy: str, *, builtin: bool = False, question: str = QUESTION, run: str = "") -> None:
        self.add(
            RunStarted(
                run=run or f"example-{strategy}", created=datetime(2026, 1, 2, tzinfo=UTC), question=question,
                strategy=strategy, params={"k": 4}, corpus="demo", retriever="dense",
                chat_model="SmolLM2 135M" if builtin else "gpt-example", builtin=builtin,
                embedding_model="MiniLM", methods={"answer": "extractive" if builtin else "model"},
            )
        )  # fmt: skip

    def call(
        self, step: str, call: str, skill: str, output: str, *, seconds: float = 0.8, stream: bool = False
    ) -> None:
        self.add(
            ModelStarted(
                call=call, skill=skill, method="model", model="gpt-example", sampling={"temperature": 0.0},
                messages=(Message(role="user", content=f"Please do this: {skill}\n\nQuestion: {QUESTION}"),),
            ),
            step, 0.02,
        )  # fmt: skip
        if stream:
            for word in output.split(" "):
                self.add(Token(call=call, text=word + " "), step, seconds / 40)
        done = ModelFinished(call=call, output=output, usage=Usage(input=321, output=87), seconds=seconds)
        self.add(done, step, 0.05 if stream else seconds)

    def make(self, step: str, artefact: AnyArtefact) -> None:
        self.add(ArtefactMade(artefact=artefact), step, 0.01)

    def step(self, step: str, node: str, layer: int, parent: str | None = None, label: str = "") -> None:
        self.add(StepStarted(node=node, layer=layer, parent=parent, label=label), step, 0.01)

    def done(self, step: str) -> None:
        self.add(StepFinished(), step, 0.01)
