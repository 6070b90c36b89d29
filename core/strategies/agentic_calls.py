"""The tool calls of Agentic RAG: making them, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import InputError, LoupeError, NotKept
from core.knowledge.records import value_text
from core.retrieval.repeats import in_places
from core.skills.choose_tool import CHOOSE_TOOL, ToolRequest
from core.strategies.agentic_briefing import SHOWN_ROWS
from core.strategies.agentic_results import Result
from core.strategies.agentic_state import Params, Request
from core.strategies.agentic_tools import Toolbox
from core.strategies.base import RunContext
from core.strategies.described import cut
from core.trace.artefacts import Citation, Context, ContextPassage, Table, ToolCall
from core.trace.passages import Passage

TITLE_CHARS = 160
"""Characters of a call's arguments in the title of what it brought."""


async def outcome_of(box: Toolbox, request: Request) -> Result | LoupeError:
    """What a tool brings back, or why it brings back nothing.

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
    found = "failed" if outcome.failed else "found" if outcome.text else "nothing"
    return call.model_copy(
        update={
            **{name: getattr(outcome, name) for name in ("text", "short", "table", "cypher", "attempts")},
            "outcome": found,
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
        for row in table.rows[:SHOWN_ROWS]
    ]
    left = len(table.rows) - len(lines)
    text = "\n".join([*lines, f"and {left} more rows"] if left else lines)
    given = ", ".join(f"{name}: {value_text(value)}" for name, value in request.arguments.items())
    title = f"{request.tool} ({cut(given, TITLE_CHARS)})"
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
    first = in_places((passage, call.number) for call in calls for passage in call.passages)
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=0.0, passage=passage, given=True, source=f"call {number}")
            for rank, (passage, number) in enumerate(first, 1)
        )
    )
