"""Exploring a knowledge graph: the plan, what each step chose from, and the path with its verdict."""

from __future__ import annotations

from typing import Any

from core.cards.kind import Gist, Kind, Scene, lines_edit, provenance
from core.cards.named import document_named
from core.cards.parts import Aid, Card, Code, Drawing, Fold, Line, Lines, Note, Part
from core.runs import edits
from core.runs.record import Record
from core.trace.artefacts import Candidate, Candidates, GraphPath, PathTriple, Plan
from core.wording import counted

EXPLORE = {"nodes": "nodes", "relationships": "relations"}
VERDICTS = {"continue": "goes on", "respond": "answer", "refine": "new plan"}
READING = (
    "Best first, by {score}. A tick is what the step goes on with; the rest is grey. "
    "An arrow to the left is a relation that is followed backwards."
)


def _detail(item: Candidate) -> str:
    """How many nodes it leads to, with some of their names, or how it was found."""
    names = ", ".join(item.leads)
    more = ", …" if names and item.detail not in ("1 node", f"{len(item.leads)} nodes") else ""
    return f"{item.detail}: {names}{more}" if names else item.detail


def plan_card(artefact: Plan, scene: Scene) -> Card:
    """The steps, numbered."""
    cause = f"The plan before was given up: {artefact.cause}"
    given_up = (Note(cause, "restart_alt"),) if artefact.cause else ()
    lines = Lines([Line(step.text, head=EXPLORE[step.explore]) for step in artefact.steps])
    return Card((*given_up, lines, *provenance(artefact)), f"Plan {artefact.attempt}")


def candidates_card(artefact: Candidates, scene: Scene) -> Card:
    """What the step had to choose from, with scores as bars; what was chosen is lit."""
    best = max((abs(item.similarity) for item in artefact.candidates), default=0.0) or 1.0
    lines = [
        {
            "label": item.label,
            "detail": _detail(item),
            "score": f"{item.similarity:.3f}",
            "part": max(0.0, item.similarity / best),  # of the best score, 0 to 1
            "chosen": item.chosen,
        }
        for item in artefact.candidates
    ]
    parts: list[Part] = [Note("There was nothing to choose from.")]
    if lines:
        data = {"what": "candidates", "lines": lines, "score_name": artefact.score_name}
        aid = Aid(READING.format(score=artefact.score_name))
        parts = [aid, Drawing("exploration", data | {"colour": scene.colour})]
    if artefact.left_out:
        parts.append(Note(f"{artefact.left_out:,} more with lower scores were not offered."))
    if artefact.cypher:
        query = Fold("The query that followed the first of them", (Code(artefact.cypher),), slot="cypher")
        parts.append(query)
    title = f"Step {artefact.index + 1}: {EXPLORE[artefact.explore]} · {artefact.text}"
    return Card((*parts, *provenance(artefact)), title)


def path_card(artefact: GraphPath, scene: Scene) -> Card:
    """The triples of the path, hop by hop, and what is made of it."""
    hops: dict[int, list[dict[str, Any]]] = {}
    for triple in artefact.triples:
        hops.setdefault(triple.hop, []).append(_arrow(triple))
    data = {
        **artefact.model_dump(include={"nodes", "hidden", "verdict", "reason"}),
        "what": "path",
        "hops": [hops[hop] for hop in sorted(hops)],
        "word": VERDICTS[artefact.verdict],
        "colour": scene.colour,
    }
    parts: list[Part] = [Drawing("exploration", data)]
    if artefact.failed:
        tries = counted(artefact.failed, "plan has", "plans have")
        parts.append(Note(f"{tries} failed so far.", "restart_alt"))
    return Card((*parts, *provenance(artefact)), counted(len(hops), "hop"))


def _arrow(triple: PathTriple) -> dict[str, Any]:
    """A triple on the path, with the document that states it as `where`."""
    copied = triple.model_dump(include={"subject", "object", "inverse", "hypernode", "quote"})
    return copied | {"relation": triple.relation.replace("_", " "), "where": document_named(triple.document)}


def _steps(artefact: Plan) -> list[str]:
    return [f"{step.explore}: {step.text}" for step in artefact.steps]


def _gist(record: Record) -> str:
    plans, paths = record.find(Plan), record.find(GraphPath)
    text = f"A plan of {counted(len(plans[-1].steps), 'step')} through the graph"
    if paths and paths[-1].triples:
        text += f", a way of {counted(len({triple.hop for triple in paths[-1].triples}), 'hop')}"
    return text + (f"; {counted(len(plans) - 1, 'plan')} given up" if len(plans) > 1 else "")


KINDS = (
    Kind(
        key="plan",
        title="Plan",
        icon="checklist",
        moment="The plan",
        gist=Gist(20, _gist),
        card=plan_card,
        edit=lines_edit(
            "Steps in order, one a line, each “nodes: …” or “relationships: …”", _steps, edits.with_steps
        ),
    ),
    Kind(
        key="candidates", title="Candidates", icon="alt_route", moment="The candidates", card=candidates_card
    ),
    Kind(key="path", title="Path", icon="route", moment="The path", card=path_card),
)
