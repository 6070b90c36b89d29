"""A knowledge graph explored: the plan, what there was to choose from, and the path."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from core.trace.artefacts.base import Artefact
from core.trace.passages import Frozen


class PlanStep(Frozen):
    """One step through a knowledge graph."""

    explore: Literal["nodes", "relationships"]
    text: str
    """What is looked for."""


class Plan(Artefact):
    """The steps in which a knowledge graph is to be explored."""

    kind: Literal["plan"] = "plan"
    channel: ClassVar[str | None] = "plan"

    steps: tuple[PlanStep, ...]
    attempt: int = Field(1, ge=1)
    cause: str = ""
    """Why the plan before was given up; empty: it is the first."""


class Candidate(Frozen):
    """A node, or a chain of relations, that a step could go on with."""

    id: str
    """By which it is chosen."""
    label: str
    similarity: float
    chosen: bool = False
    detail: str = ""
    """How many nodes it leads to, or how it was found."""
    start: str = ""
    """Name of the node that its relations start from; empty: it is a node itself."""
    relation: str = ""
    """The last of its relations."""
    inverse: bool = False
    """Whether the last relation is followed from object to subject."""
    sources: tuple[str, ...] = ()
    """Names of the nodes that it goes on from, the first of them."""
    leads: tuple[str, ...] = ()
    """Names of the nodes that it leads to, the first of them; empty: it is a node itself, or nobody looked."""


class Candidates(Artefact):
    """The candidates of one step through a knowledge graph, best first."""

    kind: Literal["candidates"] = "candidates"

    index: int = Field(ge=0)
    """Place of the step in its plan, from 0."""
    attempt: int = Field(1, ge=1)
    explore: Literal["nodes", "relationships"]
    text: str
    """What the step looks for."""
    score_name: str
    """What the similarities are."""
    candidates: tuple[Candidate, ...]
    left_out: int = Field(0, ge=0)
    """Worse ones that were not offered."""
    cypher: str = ""
    """The query that found them; empty: no query was needed."""


class PathTriple(Frozen):
    """A triple on the way, as it stands in the graph."""

    hop: int = Field(ge=1)
    subject: str
    relation: str
    object: str
    inverse: bool = False
    """Whether the way led from its object to its subject."""
    hypernode: bool = False
    """Whether one of its ends is a triple itself, so that the way led through a hypernode."""
    chunk: str = ""
    document: str = ""
    quote: str = ""


class GraphPath(Artefact):
    """The way through a knowledge graph so far, and what is made of it."""

    kind: Literal["path"] = "path"

    index: int = Field(ge=0)
    """The step of the plan after which it was judged, from 0."""
    attempt: int = Field(1, ge=1)
    triples: tuple[PathTriple, ...] = ()
    nodes: tuple[str, ...] = ()
    """Names of the nodes it has led to."""
    hidden: int = Field(0, ge=0)
    """Further nodes that are not listed."""
    verdict: Literal["continue", "respond", "refine"]
    reason: str = ""
    failed: int = Field(0, ge=0)
    """Plans given up so far."""
