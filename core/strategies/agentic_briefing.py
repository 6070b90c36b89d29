"""What models are told on the way of an agentic run: what there is to look in, what was tried, and what came back."""

from __future__ import annotations

from collections.abc import Sequence

from core.corpora.filtering import FieldValues
from core.errors import ServiceError, StoreError
from core.knowledge.ask.asking import Asker
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import value_text
from core.skills.choose_tool import Surroundings
from core.strategies.agentic_filters import named
from core.strategies.agentic_results import argument_values, in_short
from core.strategies.agentic_state import Params
from core.strategies.base import RunContext
from core.strategies.described import cut, documents_of
from core.trace.artefacts import Pair, ToolCall

SHOWN_ROWS = 50
"""Rows of a table that models are given."""
ARGUMENT_CHARS, REASON_CHARS = 120, 400
TRIED = 20
"""Calls without a result that they are told of, the last ones."""


def pairs_of(calls: Sequence[ToolCall]) -> list[Pair]:
    """Each question that was listed, in order, with all that came back for it: `#1` is the first.

    One that was listed twice has two places, since marks count places.
    """
    found: dict[tuple[int, int], list[ToolCall]] = {}
    for call in sorted(calls, key=lambda call: (call.round, call.index, call.number)):
        found.setdefault((call.round, call.index), []).append(call)
    return [_pair(group) for group in found.values()]


def _pair(calls: Sequence[ToolCall]) -> Pair:
    brought = [call for call in calls if call.outcome == "found"]
    answer = " ".join(dict.fromkeys(map(_whole, brought)))
    short = brought[0].short if len(brought) == 1 else ""
    return Pair(question=calls[0].question, answer=answer, short=short)


def _whole(call: ToolCall) -> str:
    """What came back, with as many rows as the answer is written from."""
    if call.table is None or not call.table.rows:
        return call.text
    return in_short(call.table, argument_values(call.arguments), SHOWN_ROWS)


def tried(calls: Sequence[ToolCall]) -> list[str]:
    """The calls that brought nothing, each in one line with the reason."""
    lines = [_line(call) for call in calls if call.outcome != "found" and call.tool]
    return list(dict.fromkeys(lines))[-TRIED:]


def _line(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}: {value_text(value)}" for name, value in call.arguments.items())
    outcome = {"nothing": "nothing found", "failed": "failed", "not run": "could not be run"}[call.outcome]
    why = cut(call.error or call.note, REASON_CHARS)
    return f"{call.tool} ({cut(arguments, ARGUMENT_CHARS)}): {outcome}. {why}".strip()


async def surroundings(context: RunContext[Params]) -> Surroundings:
    """What graph and documents hold, in a line each; empty where there is none, or documents may not be searched."""
    graph = await _graph(context.graph) if context.graph is not None else ""
    retriever = context.corpus if context.params.documents else None
    fields = named(await filter_fields(context))
    documents = await documents_of(retriever, fields) if retriever is not None else ""
    return Surroundings(graph=graph, documents=documents)


async def filter_fields(context: RunContext[Params]) -> tuple[FieldValues, ...]:
    """By what a search of the documents may be filtered."""
    if context.corpus is None or not (context.params.documents and context.params.filters):
        return ()
    try:
        return await context.corpus.fields()
    except StoreError:  # the search that comes next will say so
        return ()


async def _graph(explorer: Explorer) -> str:
    try:
        return f"“{explorer.graph.name}”: {await Asker(explorer).holds()}"
    except (ServiceError, StoreError):  # the tool that is called next will say so
        return f"“{explorer.graph.name}”"
