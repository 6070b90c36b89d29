"""A question turned into a Cypher query: written by the model and repaired with the database's own words, or taken
from a template."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from core.errors import InputError
from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import NOTHING
from core.trace.artefacts import CypherAttempt, Table
from core.trace.events import Message

REPAIRS = 2
"""How often a query that fails is sent back with the error."""
TOKENS = 600
"""Longest reply: a thought and a query."""
BUILTIN_TOKENS = 200
"""The built-in model has no thoughts, and what runs on is nonsense to wait for. The longest gold query to the movies
graph has 192 characters."""
_FENCE = re.compile(r"```[a-zA-Z]*+\s*+(.*?)```", re.DOTALL)
_START = re.compile(r"\b(?:MATCH|OPTIONAL\s+MATCH|WITH|UNWIND|RETURN|CALL)\b", re.IGNORECASE)

TEXT2CYPHER = Skill.of(
    "text2cypher",
    "Write a graph query",
    Method(
        MODEL,
        "The model writes Cypher",
        "One call; the model reads the schema, values from the graph and examples. A query that fails is sent back "
        f"with the database's own error, at most {REPAIRS} times. The built-in model cannot do it: of 96 "
        "questions to the movies graph it answered none.",
        slots=("question", "schema", "examples"),
    ),
    Method(
        "template",
        "The nearest template",
        "No model call, and no query is written: a template is chosen whose examples are nearest by embeddings, "
        "and names in the question become its arguments. What no template asks for stays without an answer. "
        "English only.",
    ),
    builtin="template",
)


@dataclass(frozen=True)
class Written:
    """The query to a question, and what it gave."""

    attempts: tuple[CypherAttempt, ...]
    """In order; the last attempt gave the table, if there is a table."""
    table: Table | None
    """None: no query ran."""
    note: str = ""


@task(TEXT2CYPHER)
async def text2cypher(
    context: SkillContext,
    question: str,
    *,
    schema: str,
    examples: Sequence[tuple[str, str]],
    run: Callable[[str], Awaitable[Table]],
    template: Callable[[str], Awaitable[Written]],
) -> Written:
    """A query for a question, run.

    Args:
        schema: Of the graph, with examples of its values.
        examples: Questions with queries that fit the schema.
        run: Runs a query behind the guard; raises InputError with what is wrong with it.
        template: Does it without a model.

    Raises:
        ModelError: The endpoint failed.
        ServiceError, StoreError: The graph server failed.
    """
    method = context.method(TEXT2CYPHER)
    if method != MODEL:
        return await template(question)
    shown = "\n\n".join(f"Question: {example}\n{cypher}" for example, cypher in examples) or NOTHING
    messages = context.messages(TEXT2CYPHER, method, question=question, schema=schema, examples=shown)
    attempts: list[CypherAttempt] = []
    for _ in range(1 + REPAIRS):
        reply = await context.chat.text(
            messages,
            skill=TEXT2CYPHER.key,
            method=method,
            sampling=Sampling(temperature=0.0, max_tokens=BUILTIN_TOKENS if context.builtin else TOKENS),
        )
        cypher = query_in(reply)
        try:
            table = await run(cypher)
        except InputError as error:
            attempts.append(CypherAttempt(cypher=cypher, error=str(error)))
            request = f"That query cannot be run: {error}\nReply with the corrected query alone."
            turns = Message(role="assistant", content=reply), Message(role="user", content=request)
            messages = (*messages, *turns)
        else:
            return Written((*attempts, CypherAttempt(cypher=cypher)), table)
    return Written(tuple(attempts), None, f"{len(attempts)} queries were tried, and none of them ran.")


def query_in(reply: str) -> str:
    """The query in a reply: without a thought, a code fence, and words in front of it."""
    text = reply
    if fenced := _FENCE.search(text):
        text = fenced[1]
    text = text.replace("```", "").strip()
    start = _START.search(text)
    return text[start.start() :].strip() if start else text
