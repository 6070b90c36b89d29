"""Which artefacts are drawn inside the drawing of another one, and so have no card of their own."""

from __future__ import annotations

from core.runs.record import Record
from core.trace.artefacts import Critique, Ranking, StepBack, Thought, ToolCall


def drawn_inside(record: Record) -> set[tuple[str, int]]:
    """Step id and place of each such artefact.

    A chain of thoughts is drawn as one, at its first thought, with what each thought found; the two rankings of a
    step back stand side by side below the two questions; tool calls and critiques are one tree, at the first of them.
    """
    inside: set[tuple[str, int]] = set()
    tree = False
    chain, stepped = False, bool(record.find(StepBack))
    for step in record.steps:
        thinks = any(isinstance(artefact, Thought) for artefact in step.artefacts)
        for place, artefact in enumerate(step.artefacts):
            if (isinstance(artefact, Ranking) and (thinks or chain or stepped)) or (
                isinstance(artefact, Thought) and chain
            ):
                inside.add((step.id, place))
            if isinstance(artefact, ToolCall | Critique):
                if tree:
                    inside.add((step.id, place))
                tree = True
            chain = chain or isinstance(artefact, Thought)
    return inside
