"""Exploring a knowledge graph: the plan, what each step chose from, and the way with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from core.cards.kind import Edit, Gist, Kind, Scene, TextField, provenance
from core.cards.parts import Aid, Card, Code, Drawing, Fold, Line, Lines, Note, Part
from core.runs import edits
from core.runs.record import Record
from core.trace.artefacts import Candidate, Candidates, Path, PathTriple, Plan
from core.wording import counted

EXPLORE = {"nodes": "nodes", "relationships": "relations"}
VERDICTS = {"continue": "goes on", "respond": "answer", "refine": "new plan"}
READING = (
    "Best first, by {score}. A tick is what the step goes on with; the rest is grey. "
    "An arrow to the left is a relation that is followed backwards."
)


@dataclass(frozen=True)
class CandidateLine:
    """One candidate; raw text."""

    label: str
    detail: str
    score: str
    part: float
    """Its score as a part of the best one, 0 to 1."""
    chosen: bool


@dataclass(frozen=True)
class CandidatesView:
    """What a step had to choose from, best first; raw text."""

    title: str
    text: str
    """What the step looks for."""
    lines: tuple[CandidateLine, ...]
    score_name: str
    left_out: int
    cypher: str

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


@dataclass(frozen=True)
class Arrow:
    """A triple on the way; raw text."""

    subject: str
    relation: str
    object: str
    inverse: bool
    """Whether it was followed against its direction."""
    hypernode: bool
    quote: str
    where: str
    """Document that states it; empty: not known."""


@dataclass(frozen=True)
class PathView:
    """The way so far, hop by hop; raw text."""

    hops: tuple[tuple[Arrow, ...], ...]
    nodes: tuple[str, ...]
    hidden: int
    verdict: str
    """`continue`, `respond` or `refine`."""
    word: str
    """The verdict in words."""
    reason: str
    failed: int

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def candidates_view(artefact: Candidates) -> CandidatesView:
    """Candidates with their scores as bars."""
    best = max((abs(item.similarity) for item in artefact.candidates), default=0.0) or 1.0
    lines = tuple(
        CandidateLine(
            item.label, _detail(item), f"{item.similarity:.3f}", max(0.0, item.similarity / best), item.chosen
        )
        for item in artefact.candidates
    )
    title = f"Step {artefact.index + 1}: {EXPLORE[artefact.explore]}"
    return CandidatesView(
        title, artefact.text, lines, artefact.score_name, artefact.left_out, artefact.cypher
    )


def _detail(item: Candidate) -> str:
    """How many nodes it leads to, with some of their names, or how it was found."""
    names = ", ".join(item.leads)
    more = ", …" if names and item.detail not in ("1 node", f"{len(item.leads)} nodes") else ""
    return f"{item.detail}: {names}{more}" if names else item.detail


def path_view(artefact: Path) -> PathView:
    """The triples of the way in groups, one per hop."""
    groups: dict[int, list[PathTriple]] = {}
    for triple in artefact.triples:
        groups.setdefault(triple.hop, []).append(triple)
    return PathView(
        hops=tuple(_arrows(groups[hop]) for hop in sorted(groups)),
        nodes=artefact.nodes,
        hidden=artefact.hidden,
        verdict=artefact.verdict,
        word=VERDICTS[artefact.verdict],
        reason=artefact.reason,
        failed=artefact.failed,
    )


def _arrows(triples: Sequence[PathTriple]) -> tuple[Arrow, ...]:
    return tuple(
        Arrow(
            triple.subject,
            triple.relation.replace("_", " "),
            triple.object,
            triple.inverse,
            triple.hypernode,
            triple.quote,
            triple.document,
        )
        for triple in triples
    )


def plan_card(artefact: Plan, scene: Scene) -> Card:
    """The steps, numbered."""
    cause = f"The plan before was given up: {artefact.cause}"
    given_up = (Note(cause, "restart_alt"),) if artefact.cause else ()
    lines = Lines([Line(step.text, head=EXPLORE[step.explore]) for step in artefact.steps])
    return Card((*given_up, lines, *provenance(artefact)), f"Plan {artefact.attempt}")


def candidates_card(artefact: Candidates, scene: Scene) -> Card:
    """What the step had to choose from; what was chosen is lit."""
    view = candidates_view(artefact)
    parts: list[Part] = [Note("There was nothing to choose from.")]
    if view.lines:
        data = {"what": "candidates", "colour": scene.colour, **view.data()}
        parts = [Aid(READING.format(score=view.score_name)), Drawing("exploration", data)]
    if view.left_out:
        parts.append(Note(f"{view.left_out:,} more with lower scores were not offered."))
    if view.cypher:
        parts.append(Fold("The query that followed the first of them", (Code(view.cypher),), slot="cypher"))
    return Card((*parts, *provenance(artefact)), f"{view.title} · {view.text}")


def path_card(artefact: Path, scene: Scene) -> Card:
    """The triples of the way, hop by hop, and what is made of it."""
    view = path_view(artefact)
    parts: list[Part] = [Drawing("exploration", {"what": "path", "colour": scene.colour, **view.data()})]
    if view.failed:
        tries = counted(view.failed, "plan has", "plans have")
        parts.append(Note(f"{tries} failed so far.", "restart_alt"))
    hops = counted(len(view.hops), "hop")
    return Card((*parts, *provenance(artefact)), hops)


def _steps(artefact: Plan) -> list[str]:
    return [f"{step.explore}: {step.text}" for step in artefact.steps]


def _fields(artefact: Plan) -> tuple[TextField]:
    label = "Steps in order, one a line, each “nodes: …” or “relationships: …”"
    return (TextField("edit-lines", label, "\n".join(_steps(artefact)), 180),)


def _change(artefact: Plan, values: Sequence[str]) -> Plan:
    return edits.with_steps(artefact, values[0])


def _gist(record: Record) -> str:
    plans, paths = record.find(Plan), record.find(Path)
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
        edit=Edit(_fields, _change, _steps),
    ),
    Kind(
        key="candidates", title="Candidates", icon="alt_route", moment="The candidates", card=candidates_card
    ),
    Kind(key="path", title="Path", icon="route", moment="The path", card=path_card),
)
