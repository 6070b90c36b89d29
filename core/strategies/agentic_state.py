"""Agentic RAG's parameters, the values that its steps hand on to one another, and the results of its tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from core.knowledge.records import value_text
from core.skills.answer import SHORT_CHARS
from core.skills.base import OWN
from core.skills.grading import as_judged
from core.strategies.base import NodeRuntime, RagState, Rerank, StrategyParams
from core.strategies.nodes import cut
from core.trace.artefacts import Answer, Citation, Critique, CypherAttempt, SubQuestions, Table, ToolCall
from core.trace.passages import Frozen, Passage

SHOWN_ROWS = 12
"""Rows that a result in short has."""
_ENDS = (".", "!", "?", ":", "…", "”", ")", "。", "！", "？")
PARTLY_CHARS = 400
"""Characters that are kept of a reply that is no answer."""


class Params(StrategyParams):
    """The tools that there are, how many chunks a search brings in, and how long it goes on."""

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
        description="Queries to the graph that were written in advance and lack only their values.",
    )
    text2cypher: bool = Field(
        True,
        title="Tool: text2cypher",
        description="A query to the graph that the model writes for the question.",
    )
    documents: bool = Field(
        True, title="Tool: search_documents", description="Search in the chosen documents."
    )
    filters: bool = Field(
        True,
        title="Filters of search_documents",
        description="The model may limit a search to documents of some type, folder, date or other field.",
    )
    strategies: bool = Field(
        False,
        title="Tool: run_strategy",
        description="Another strategy, such as HyDE, answers a part from the documents, with several calls each time.",
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
        description="How many rounds of questions there may be. After each, a critique may ask for more.",
    )
    max_calls: int = Field(
        40,
        ge=1,
        le=40,
        title="Tool calls",
        description="After this many tool calls, the answer is written from what there is.",
    )


class ReadyQuestion(Frozen):
    """A question that is ready for tools."""

    index: int
    asked: str
    question: str
    note: str = ""


class Request(Frozen):
    """A tool call that is to be made."""

    asked: ReadyQuestion
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
    ready: tuple[ReadyQuestion, ...]
    requests: tuple[Request, ...]
    calls: tuple[ToolCall, ...]
    ended: str


Runtime = NodeRuntime[Params]


@dataclass(frozen=True)
class Result:
    """The result of a tool."""

    text: str = ""
    """In few rows or sentences; empty: nothing."""
    short: str = ""
    """The answer itself; empty: there is no such form of it."""
    table: Table | None = None
    cypher: str = ""
    attempts: tuple[CypherAttempt, ...] = ()
    passages: tuple[Passage, ...] = ()
    citations: tuple[Citation, ...] = ()
    note: str = ""
    failed: str = ""
    """Why there is no result, as a sentence."""


def argument_values(arguments: Mapping[str, Any]) -> frozenset[str]:
    """The values among the arguments of a call, in lower case."""
    return frozenset(value_text(value).casefold() for value in arguments.values())


def in_short(table: Table, known: Collection[str] = (), rows: int = SHOWN_ROWS) -> str:
    """A table in one line: the first value of each row, behind it the others with the names of their columns.

    Columns that say the same in every row are left out, and those whose values are known from the arguments of the call
    (in lower case).
    """
    names = [column.replace("_", " ") for column in table.columns]
    wide, telling = range(len(names)), _telling(table, known)
    lines: dict[str, None] = {}
    for row in ([value_text(value) for value in row] for row in table.rows):
        first, *others = [place for place in telling or wide if row[place]] or [-1]
        if first >= 0:
            rest = ", ".join(f"{names[place]}: {row[place]}" for place in others)
            lines[f"{row[first]} ({rest})" if rest else row[first]] = None
    left = len(lines) - rows
    more = f" and {left} more" if left > 0 else " and more" if table.more and lines else ""
    return ("; " if len(telling) > 1 else ", ").join([*lines][:rows]) + more


def main_values(table: Table, known: Collection[str] = ()) -> str:
    """The first of the columns that tell something, alone: what is filled into a later question."""
    columns = _telling(table, known)[:1]
    values = dict.fromkeys(value_text(row[place]) for row in table.rows for place in columns)
    text = ", ".join(filter(None, values))
    return text if len(text) <= SHORT_CHARS and not table.more else ""


def _telling(table: Table, known: Collection[str]) -> list[int]:
    """Places of the columns that say something new."""
    texts = [[value_text(value) for value in row] for row in table.rows]
    return [
        column
        for column in range(len(table.columns))
        if any(row[column] and row[column].casefold() not in known for row in texts)
        and (len(texts) == 1 or len({row[column] for row in texts}) > 1)
    ]


def _one_line(sentences: Sequence[str]) -> str:
    """Join sentences to one line; a first line without a full stop gets one."""
    return " ".join(
        sentence if sentence.endswith(_ENDS) else f"{sentence}." for sentence in filter(None, sentences)
    )


def from_documents(answer: Answer, passages: tuple[Passage, ...]) -> Result:
    """An answer from documents as a result; of one that does not hold, its words are but a remark."""
    cited = tuple(item.model_copy(update={"sentence": 0}) for item in answer.citations)
    # In short, so that the next question is not filled with an explanation; whether it is sure goes with it.
    text = as_judged(
        answer.model_copy(update={"text": answer.short or _one_line(answer.sentences) or answer.text})
    )
    if answer.abstained:
        remark = f"The answer is not in them. The model says: {cut(text, PARTLY_CHARS)}"
        note = f"{answer.note} {remark}".strip() if answer.method in OWN and passages else answer.note
        return Result(passages=passages, citations=cited, note=note)
    return Result(text=text, short=answer.short, passages=passages, citations=cited, note=answer.note)
