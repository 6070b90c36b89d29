"""Exploring a knowledge graph: the plan, what each step chose from, and the way with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from core.trace.artefacts import Candidate, Candidates, Path, PathTriple, Plan

EXPLORE = {"nodes": "nodes", "relationships": "relations"}
VERDICTS = {"continue": "goes on", "respond": "answer", "refine": "new plan"}


@dataclass(frozen=True)
class PlanView:
    """The steps of a plan; raw text."""

    title: str
    steps: tuple[tuple[str, str], ...]
    """What each explores, and what it looks for."""
    cause: str
    """Why the plan before was given up; empty: it is the first."""


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


def plan_view(artefact: Plan) -> PlanView:
    """The plan as a list."""
    steps = tuple((EXPLORE[step.explore], step.text) for step in artefact.steps)
    return PlanView(f"Plan {artefact.attempt}", steps, artefact.cause)


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
