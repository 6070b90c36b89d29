"""KG-RAG's parameters, and what its steps hand on to one another."""

from __future__ import annotations

from pydantic import Field

from core.knowledge.explore.chains import Chain
from core.strategies.base import NodeRuntime, RagState, StrategyParams
from core.strategies.kg_rag_trail import Trail
from core.trace.artefacts import GraphPath, Plan


class Params(StrategyParams):
    """How far and how broadly it explores, and when it must give up."""

    hops: int = Field(
        4,
        ge=1,
        le=4,
        title="Hops",
        description="The longest way from the start. A hypernode counts as one hop. Without a model at most 3.",
    )
    beam: int = Field(
        5,
        ge=1,
        le=10,
        title="Beam",
        description="How many nodes to start from, or chains of relations, go on from a step.",
    )
    tries: int = Field(
        3,
        ge=1,
        le=3,
        title="Failed tries",
        description="The number of plans that may fail before it gives up.",
    )
    keep_path: bool = Field(
        False,
        title="Keep the path",
        description="A new plan keeps the steps that are done. Otherwise it starts again, as in the paper.",
    )
    hypernodes: bool = Field(
        True,
        title="Hypernodes",
        description="Triples that are nodes themselves are explored, too: what is said of a fact, such as since when.",
    )


class State(RagState, total=False):
    """Adds the plan, the number of its steps that are done, the chains that go on, and what was found."""

    plan: Plan
    at: int
    chains: tuple[Chain, ...]
    top: Chain
    """The best chain; only where no model judges."""
    scored_by: str
    """The method of choosing that its score is of: those of two methods cannot be compared."""
    path: GraphPath
    trail: Trail
    """What this plan has found; only where a model judges."""
    last: Trail
    """What was found by the last failed plan that found anything."""


Runtime = NodeRuntime[Params]
