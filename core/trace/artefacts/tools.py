"""Tools that answer, and whether what they brought is enough."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from core.trace.artefacts.answers import Citation
from core.trace.artefacts.base import Artefact
from core.trace.passages import Frozen, Passage


class CypherAttempt(Frozen):
    """A query as it was written, and what became of it."""

    cypher: str
    error: str = ""
    """Why it was refused or failed, as a sentence; empty: it ran."""


class Table(Frozen):
    """Rows that a query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """Plain values: texts, numbers, lists, or properties of a node by name."""
    more: bool = False
    """Whether there are more rows than were kept."""


class ToolCall(Artefact):
    """A question that went to a tool, and what came back."""

    kind: Literal["tool_call"] = "tool_call"

    number: int = Field(ge=1)
    """Its place among the run's calls."""
    round: int = Field(1, ge=1)
    index: int = Field(ge=0)
    """Place of its question among those of its round, from 0."""
    asked: str
    """The question as it was listed."""
    question: str
    """The question with earlier answers filled in."""
    tool: str
    """Its name; empty: none was chosen."""
    about: str = ""
    """What its description says, by which it was chosen."""
    offered: tuple[str, ...] = ()
    """Names of the tools that there were."""
    why: str = ""
    """How it came to be chosen, where that can be said."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    outcome: Literal["found", "nothing", "failed", "not run"]
    error: str = ""
    """Why it failed or was not run, as a sentence."""
    text: str = ""
    """What came back, in few rows or sentences."""
    short: str = ""
    """The answer itself, as of `Answer`: what takes the place of a mark such as “#1” in a later question."""
    table: Table | None = None
    cypher: str = ""
    """The query that gave the table."""
    attempts: tuple[CypherAttempt, ...] = ()
    """Queries that were written for it, in order."""
    passages: tuple[Passage, ...] = ()
    """What it brings into the evidence."""
    citations: tuple[Citation, ...] = ()
    """Where `text` comes from; its sentences count as one."""


class Critique(Artefact):
    """A verdict on the answers so far, and what is asked next."""

    kind: Literal["critique"] = "critique"

    round: int = Field(1, ge=1)
    complete: bool
    reason: str = ""
    questions: tuple[str, ...] = ()
    """Asked in the next round; empty: there is none."""
    ends: str = ""
    """Why the loop ends although something is missing, as a sentence."""
