"""Agentic RAG's parameters, and what its steps hand on to one another."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from core.strategies.base import NodeRuntime, RagState, Rerank, StrategyParams
from core.trace.artefacts import Critique, SubQuestions, ToolCall
from core.trace.passages import Frozen


class Params(StrategyParams):
    """Which tools there are, how many chunks a search brings in, and how long it goes on."""

    k: int = Field(
        4,
        ge=1,
        le=20,
        title="Chunks per search",
        description="How many chunks a search of the documents brings in.",
    )
    rerank: Rerank = 0
    templates: bool = Field(
        True,
        title="Tool: query templates",
        description="Ready-made questions to the graph that only lack their values.",
    )
    text2cypher: bool = Field(
        True, title="Tool: text2cypher", description="A query to the graph, written for the question."
    )
    documents: bool = Field(
        True, title="Tool: search_documents", description="Search in the chosen documents."
    )
    filters: bool = Field(
        True,
        title="Filters of search_documents",
        description="The tool may be told to search only documents of some type, folder, date or other field that "
        "they have.",
    )
    strategies: bool = Field(
        False,
        title="Tool: run_strategy",
        description="Another strategy, such as HyDE, answers the question from the documents: several calls each time.",
    )
    answer_given: bool = Field(
        True,
        title="Tool: answer_given",
        description="Says that earlier answers hold the answer already. Needs a model that chooses tools.",
    )
    max_rounds: int = Field(
        3,
        ge=1,
        le=5,
        title="Rounds",
        description="How often what is missing may be asked: the first round counts.",
    )
    max_calls: int = Field(
        40,
        ge=1,
        le=40,
        title="Tool calls",
        description="The number of tool calls after which the answer is given.",
    )


class Asked(Frozen):
    """A question that is ready for tools."""

    index: int
    asked: str
    question: str
    note: str = ""


class Request(Frozen):
    """A tool call that is to be made."""

    asked: Asked
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    why: str = ""
    method: str = ""
    """By which the tool was chosen; empty: there was nothing to choose."""


class State(RagState, total=False):
    """Adds the questions, the calls so far, and why the loop ended early."""

    sub_questions: SubQuestions
    critique: Critique
    round: int
    ready: tuple[Asked, ...]
    requests: tuple[Request, ...]
    calls: tuple[ToolCall, ...]
    ended: str


Runtime = NodeRuntime[Params]
