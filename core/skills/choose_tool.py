"""Choosing tools for a question, with their arguments."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import framed_lines, framed_pairs
from core.strict_json import read_json
from core.trace.artefacts import Pair
from core.wording import whole_characters

SAID_CHARS = 200
NONE = "(none)"
"""What is told in the place of a graph or documents that there are not."""


def _arguments(value: Any) -> Any:
    """Native tool calls carry their arguments as a text of JSON."""
    if isinstance(value, str):
        try:
            value = read_json(value or "{}")
            value = read_json(value) if isinstance(value, str) else value  # some servers encode them twice
            # Escapes may name half a character, which no run can store.
            value = json.loads(whole_characters(json.dumps(value, ensure_ascii=False)))
        except ValueError:
            return {"unreadable": value[:SAID_CHARS]}
    return value if isinstance(value, dict) else {"unreadable": str(value)[:SAID_CHARS]}


class ToolRequest(BaseModel):
    """A tool call as a model asks for it."""

    tool: str
    arguments: Annotated[dict[str, Any], BeforeValidator(_arguments)] = {}


class ToolRequests(BaseModel):
    """The form of the reply: tool calls."""

    calls: list[ToolRequest] = Field(max_length=50)


CHOOSE_TOOL = Skill.of(
    "choose_tool",
    "Choose tools",
    Method(
        MODEL,
        "The model calls tools",
        "One call per question: by native tool calling or, where the endpoint has none, by a JSON schema. None "
        "where there is one tool only and it takes nothing but the question.",
        slots=("question", "pairs"),
    ),
    Method(
        "nearest",
        "The nearest example",
        "No model call: the query template whose examples are nearest by embeddings, its arguments filled by "
        "linking names to entities of the graph; where none is near, the documents. English only.",
    ),
    builtin="nearest",
)


@dataclass(frozen=True)
class Choice:
    """The tools for a question."""

    requests: tuple[ToolRequest, ...]
    why: str = ""
    """How it was chosen, or what the model said instead of calling a tool."""
    method: str = MODEL
    """By which it was chosen; empty: there was nothing to choose."""


@dataclass(frozen=True)
class Surroundings:
    """The graph and the documents that tools look in, a line each; empty: there is none."""

    graph: str = ""
    documents: str = ""


@task(CHOOSE_TOOL)
async def choose_tool(
    context: SkillContext,
    question: str,
    tools: Sequence[dict[str, Any]],
    pairs: Sequence[Pair],
    nearest: Callable[[str], Awaitable[Choice]],
    *,
    around: Surroundings | None = None,
    tried: Sequence[str] = (),
) -> Choice:
    """The tools for a question; none where the model calls none.

    Args:
        tools: As the OpenAI API describes functions.
        nearest: Chooses without a model.
        tried: Calls that brought nothing, in a line each.
    """
    method = context.method(CHOOSE_TOOL)
    if method != MODEL:
        return replace(await nearest(question), method=method)
    around = around or Surroundings()
    prompt = context.messages(
        CHOOSE_TOOL,
        MODEL,
        question=question,
        pairs=framed_pairs(pairs),
        graph=around.graph or NONE,
        documents=around.documents or NONE,
        failed=framed_lines(tried),
    )
    reply = await context.chat.call_tools(
        prompt,
        tools,
        ToolRequests,
        skill=CHOOSE_TOOL.key,
        method=MODEL,
        sampling=Sampling(temperature=0.0, max_tokens=500),
    )
    if isinstance(reply, str):
        words = " ".join(reply.split())[:SAID_CHARS]
        return Choice((), f"The model called no tool, but said: “{words}”")
    return Choice(tuple(reply.calls), "" if reply.calls else "The model called no tool.")
