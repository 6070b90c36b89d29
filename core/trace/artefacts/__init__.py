"""Artefacts: the things a strategy makes on its way, told apart by `kind`; other packages may add kinds.

Each kind has exactly one card (`core.cards`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from core.trace.artefacts.answers import Answer, Citation, Context, ContextPassage, citing
from core.trace.artefacts.base import Artefact, OrAdded
from core.trace.artefacts.decompositions import Pair, SubAnswer, SubQuestions, Thought
from core.trace.artefacts.grades import (
    Grade,
    RefinedPassage,
    Refinement,
    Route,
    RouteVote,
    Strip,
    Way,
    WayName,
)
from core.trace.artefacts.graphs import Candidate, Candidates, GraphPath, PathTriple, Plan, PlanStep
from core.trace.artefacts.queries import (
    DroppedQuery,
    HypotheticalDocuments,
    Queries,
    Query,
    Rewrite,
    StepBack,
)
from core.trace.artefacts.rankings import (
    EVAL_CUTOFF,
    Baseline,
    FusedRow,
    Fusion,
    MentionLink,
    PooledRanking,
    RankedList,
    Ranking,
    RankRow,
    Walk,
    WalkedPassage,
)
from core.trace.artefacts.tools import Critique, CypherAttempt, Table, ToolCall

__all__ = [
    "EVAL_CUTOFF",
    "Answer",
    "AnyArtefact",
    "Artefact",
    "Baseline",
    "Candidate",
    "Candidates",
    "Citation",
    "Context",
    "ContextPassage",
    "Critique",
    "CypherAttempt",
    "DroppedQuery",
    "FusedRow",
    "Fusion",
    "Grade",
    "GraphPath",
    "HypotheticalDocuments",
    "MentionLink",
    "Pair",
    "PathTriple",
    "Plan",
    "PlanStep",
    "PooledRanking",
    "Queries",
    "Query",
    "RankRow",
    "RankedList",
    "Ranking",
    "RefinedPassage",
    "Refinement",
    "Rewrite",
    "Route",
    "RouteVote",
    "StepBack",
    "Strip",
    "SubAnswer",
    "SubQuestions",
    "Table",
    "Thought",
    "ToolCall",
    "Walk",
    "WalkedPassage",
    "Way",
    "WayName",
    "citing",
]

AnyArtefact = Annotated[
    Queries
    | Ranking
    | PooledRanking
    | Fusion
    | Walk
    | SubQuestions
    | SubAnswer
    | StepBack
    | HypotheticalDocuments
    | Thought
    | Grade
    | Route
    | Refinement
    | Rewrite
    | Plan
    | Candidates
    | GraphPath
    | ToolCall
    | Critique
    | Baseline
    | Context
    | Answer,
    Field(discriminator="kind"),
    OrAdded(),
]
"""Every kind of artefact. A new kind is added here and has a card in `core.cards.kinds`: see docs/add-a-kind.md. Those
of other packages come in by `OrAdded`."""
