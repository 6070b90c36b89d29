"""What the tools of Agentic RAG bring back: tables and answers from documents, in few words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.knowledge.records import value_text
from core.skills.base import MODEL
from core.skills.grading import as_judged
from core.skills.replies import SHORT_CHARS
from core.strategies.described import cut
from core.trace.artefacts import Answer, Citation, CypherAttempt, Table
from core.trace.passages import Passage

SHOWN_ROWS = 12
"""Rows that a result in short has."""
_ENDS = (".", "!", "?", ":", "…", "”", ")", "。", "！", "？")
PARTLY_CHARS = 400
"""Characters that are kept of a reply that is no answer."""


@dataclass(frozen=True)
class Result:
    """What a tool brought back."""

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
    """What the arguments of a call say already, in lower case."""
    return frozenset(value_text(value).casefold() for value in arguments.values())


def in_short(table: Table, said: Collection[str] = (), rows: int = SHOWN_ROWS) -> str:
    """A table in one line: the first value of each row, behind it the others with the names of their columns.

    Without columns that say the same in every row, and without what the arguments of the call said (in lower case).
    """
    names = [column.replace("_", " ") for column in table.columns]
    wide, kept = range(len(names)), _telling(table, said)
    lines: dict[str, None] = {}
    for row in ([value_text(value) for value in row] for row in table.rows):
        first, *others = [place for place in kept or wide if row[place]] or [-1]
        if first >= 0:
            rest = ", ".join(f"{names[place]}: {row[place]}" for place in others)
            lines[f"{row[first]} ({rest})" if rest else row[first]] = None
    left = len(lines) - rows
    more = f" and {left} more" if left > 0 else " and more" if table.more and lines else ""
    return ("; " if len(kept) > 1 else ", ").join([*lines][:rows]) + more


def main_values(table: Table, said: Collection[str] = ()) -> str:
    """The first of the columns that tell something, alone: what is filled into a later question."""
    kept = _telling(table, said)[:1]
    values = dict.fromkeys(value_text(row[place]) for row in table.rows for place in kept)
    text = ", ".join(filter(None, values))
    return text if len(text) <= SHORT_CHARS and not table.more else ""


def _telling(table: Table, said: Collection[str]) -> list[int]:
    """Places of the columns that say something new."""
    texts = [[value_text(value) for value in row] for row in table.rows]
    return [
        column
        for column in range(len(table.columns))
        if any(row[column] and row[column].casefold() not in said for row in texts)
        and (len(texts) == 1 or len({row[column] for row in texts}) > 1)
    ]


def _one_line(sentences: Sequence[str]) -> str:
    """Sentences one behind the other; a first line without a full stop gets one."""
    return " ".join(one if one.endswith(_ENDS) else f"{one}." for one in filter(None, sentences))


def from_documents(answer: Answer, passages: tuple[Passage, ...]) -> Result:
    """What an answer from documents brings back; of one that does not hold, its words are but a remark."""
    cited = tuple(item.model_copy(update={"sentence": 0}) for item in answer.citations)
    # In short, so that the next question is not filled with an explanation; whether it is sure goes with it.
    text = as_judged(
        answer.model_copy(update={"text": answer.short or _one_line(answer.sentences) or answer.text})
    )
    if answer.abstained:
        said = f"The answer is not in them. The model says: {cut(text, PARTLY_CHARS)}"
        note = f"{answer.note} {said}".strip() if answer.method == MODEL and passages else answer.note
        return Result(passages=passages, citations=cited, note=note)
    return Result(text=text, short=answer.short, passages=passages, citations=cited, note=answer.note)
