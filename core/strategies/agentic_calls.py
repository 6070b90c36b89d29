"""The tool calls of Agentic RAG: making them, their record, and the words in which models are told of them."""

from __future__ import annotations

from collections.abc import Sequence

from core.corpora.filtering import FieldValues
from core.errors import InputError, LoupeError, NotKept, ServiceError, StoreError
from core.knowledge.ask.asking import Asker
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import value_text
from core.retrieval.repeats import without_repeats
from core.skills.choose_tool import CHOOSE_TOOL, Surroundings, ToolRequest
from core.strategies.agentic_state import Params, Request, Result, argument_values, in_short
from core.strategies.agentic_tools import Toolbox, fields_line
from core.strategies.base import RunContext
from core.strategies.nodes import cut, documents_of
from core.trace.artefacts import Citation, Context, Pair, Table, ToolCall
from core.trace.passages import Passage

TITLE_CHARS = 160
"""Characters of a call's arguments in the title of what it brought."""
PROMPT_ROWS = 50
"""Rows of a table that models are given."""
ARGUMENT_CHARS, REASON_CHARS = 120, 400
TRIED = 20
"""Calls without a result that they are told of, the last ones."""


async def outcome_of(box: Toolbox, request: Request) -> Result | LoupeError:
    """Call the tool; returns its result, or why there is none.

    Raises:
        NotKept: A recording lacks a reply that the tool asks for.
    """
    if not request.tool:
        return InputError("No tool was chosen, and none is left that could be asked.")
    try:
        return await box.call(ToolRequest(tool=request.tool, arguments=request.arguments))
    except NotKept:  # no failure of the tool: the recording ends here
        raise
    except LoupeError as error:  # one tool that fails does not end the others
        return error


def call_of(
    request: Request,
    outcome: Result | LoupeError,
    number: int,
    round_: int,
    context: RunContext[Params],
    box: Toolbox,
) -> ToolCall:
    """A tool call with what came of it, for the record of the run."""
    call = ToolCall(
        number=number,
        round=round_,
        index=request.asked.index,
        asked=request.asked.asked,
        question=request.asked.question,
        tool=request.tool,
        about=box.about(request.tool),
        offered=tuple(box.tools),
        why=request.why,
        arguments=request.arguments,
        outcome="not run",
        skill=CHOOSE_TOOL.key if request.method else "",
        method=request.method,
        note=request.asked.note,
    )
    if isinstance(outcome, InputError):
        return call.model_copy(update={"error": str(outcome)})
    if isinstance(outcome, LoupeError):
        return call.model_copy(update={"outcome": "failed", "error": str(outcome)})
    passages, citations = outcome.passages, outcome.citations
    if outcome.table is not None and outcome.table.rows and context.graph is not None:
        passage = _rows_passage(outcome.table, request, number, context.graph.graph.name)
        passages, citations = (passage,), (Citation(sentence=0, chunk=passage.chunk, quote=passage.text),)
    state = "failed" if outcome.failed else "found" if outcome.text else "nothing"
    return call.model_copy(
        update={
            **{name: getattr(outcome, name) for name in ("text", "short", "table", "cypher", "attempts")},
            "outcome": state,
            "error": outcome.failed,
            "passages": passages,
            "citations": citations,
            "note": " ".join(filter(None, (call.note, outcome.note))),
        }
    )


def _rows_passage(table: Table, request: Request, number: int, graph: str) -> Passage:
    """Rows as a passage that an answer can cite."""
    lines = [
        ", ".join(f"{name}: {value_text(value)}" for name, value in zip(table.columns, row, strict=True))
        for row in table.rows[:PROMPT_ROWS]
    ]
    left = len(table.rows) - len(lines)
    text = "\n".join([*lines, f"and {left} more rows"] if left else lines)
    arguments = ", ".join(f"{name}: {value_text(value)}" for name, value in request.arguments.items())
    title = f"{request.tool} ({cut(arguments, TITLE_CHARS)})"
    return Passage(
        chunk=f"call-{number}",
        document=graph,
        title=title,
        text=text,
        position=0,
        start=0,
        end=len(text),
        heading=graph,
    )


def gathered(calls: Sequence[ToolCall]) -> Context:
    """The evidence of all calls, every passage once, in the order of the calls."""
    first = without_repeats((passage, call.number) for call in calls for passage in call.passages)
    return Context.of((passage, 0.0, True, f"call {number}") for passage, number in first)


def pairs_of(calls: Sequence[ToolCall]) -> list[Pair]:
    """Each question that was listed, in order, with all that came back for it: `#1` is the first.

    One that was listed twice has two places, since marks count places.
    """
    groups: dict[tuple[int, int], list[ToolCall]] = {}
    for call in sorted(calls, key=lambda call: (call.round, call.index, call.number)):
        groups.setdefault((call.round, call.index), []).append(call)
    return [_pair(group) for group in groups.values()]


def _pair(calls: Sequence[ToolCall]) -> Pair:
    brought = [call for call in calls if call.outcome == "found"]
    answer = " ".join(dict.fromkeys(map(_answer_text, brought)))
    short = brought[0].short if len(brought) == 1 else ""
    return Pair(question=calls[0].question, answer=answer, short=short)


def _answer_text(call: ToolCall) -> str:
    """The result in words, with as many rows as the answer is written from."""
    if call.table is None or not call.table.rows:
        return call.text
    return in_short(call.table, argument_values(call.arguments), PROMPT_ROWS)


def failed_calls(calls: Sequence[ToolCall]) -> list[str]:
    """The calls that brought nothing, each in one line with the reason."""
    lines = [_line(call) for call in calls if call.outcome != "found" and call.tool]
    return list(dict.fromkeys(lines))[-TRIED:]


def _line(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}: {value_text(value)}" for name, value in call.arguments.items())
    outcome = {"nothing": "nothing found", "failed": "failed", "not run": "could not be run"}[call.outcome]
    why = cut(call.error or call.note, REASON_CHARS)
    return f"{call.tool} ({cut(arguments, ARGUMENT_CHARS)}): {outcome}. {why}".strip()


async def surroundings(context: RunContext[Params]) -> Surroundings:
    """The contents of graph and documents, a line each; empty where there is none, or documents may not be searched."""
    graph = await _graph(context.graph) if context.graph is not None else ""
    retriever = context.corpus if context.params.documents else None
    fields = fields_line(await filter_fields(context))
    documents = await documents_of(retriever, fields) if retriever is not None else ""
    return Surroundings(graph=graph, documents=documents)


async def filter_fields(context: RunContext[Params]) -> tuple[FieldValues, ...]:
    """The fields by which a search of the documents may be filtered."""
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
