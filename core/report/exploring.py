"""Cards of the way through a knowledge graph, and of the tools that were chosen."""

from __future__ import annotations

from core.cards.agentic import tree_view
from core.cards.aids import AIDS
from core.cards.exploration import candidates_view, path_view, plan_view
from core.report.parts import Aid, Card, Code, Drawing, Fold, Line, Lines, Note, Part
from core.report.scene import Scene, made
from core.trace.artefacts import Candidates, Critique, Path, Plan, ToolCall


def plan(artefact: Plan, scene: Scene) -> Card:
    """The steps, numbered."""
    view = plan_view(artefact)
    cause = (Note(f"The plan before was given up: {view.cause}", "restart_alt"),) if view.cause else ()
    lines = Lines([Line(text, head=what) for what, text in view.steps])
    return Card("plan", (*cause, lines, *made(artefact)), view.title)


def candidates(artefact: Candidates, scene: Scene) -> Card:
    """What the step had to choose from; what was chosen is lit."""
    view = candidates_view(artefact)
    parts: list[Part] = [Note("There was nothing to choose from.")]
    if view.lines:
        data = {"what": "candidates", "colour": scene.colour, **view.data()}
        parts = [Aid(AIDS["candidates"].format(score=view.score_name)), Drawing("exploration", data)]
    if view.left_out:
        parts.append(Note(f"{view.left_out:,} more with lower scores were not offered."))
    if view.cypher:
        parts.append(Fold("The query that followed the first of them", (Code(view.cypher),)))
    return Card("candidates", (*parts, *made(artefact)), f"{view.title} · {view.text}")


def path(artefact: Path, scene: Scene) -> Card:
    """The triples of the way, hop by hop, and what is made of it."""
    view = path_view(artefact)
    parts: list[Part] = [Drawing("exploration", {"what": "path", "colour": scene.colour, **view.data()})]
    if view.failed:
        tries = "1 plan has" if view.failed == 1 else f"{view.failed} plans have"
        parts.append(Note(f"{tries} failed so far.", "restart_alt"))
    hops = "1 hop" if len(view.hops) == 1 else f"{len(view.hops)} hops"
    return Card("path", (*parts, *made(artefact)), hops)


def decisions(artefact: ToolCall | Critique, scene: Scene) -> Card:
    """All tool calls and critiques of the run, at the place of the first."""
    record = scene.record
    tree = tree_view(record.find(ToolCall), record.find(Critique), record.answer)
    # What is said of a single call stands beside it.
    parts = (
        Aid(AIDS["decisions"]),
        Drawing("tool_calls", {"colour": scene.colour, **tree.data()}),
        *made(artefact, note=False),
    )
    return Card(artefact.kind, parts, tree.summary)
