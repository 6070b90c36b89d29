"""Agentic RAG as a picture: a tree of questions, the tool calls that answer them, and the verdict on each round."""

from __future__ import annotations

from typing import Any

from core.cards.kinds.decisions import tree_data
from core.runs.record import Record
from core.trace.artefacts import Critique, ToolCall
from core.wording import counted

READING = (
    "The question on top is split into goals; each goes to tools, and a box says what came back. A filled number is a "
    "call that the answer cites. Below each round is what was missing. Choose a call to see its arguments and result."
)


def goals(record: Record) -> dict[str, Any] | None:
    """What the picture shows: `rounds` of goals with their calls, as far as they are; None: no tool was called."""
    calls = record.find(ToolCall)
    if not calls:
        return None
    tree = tree_data(calls, record.find(Critique), record.answer)
    rounds = [
        {
            "number": one["number"],
            "goals": [
                {
                    "text": question["question"] or question["asked"],
                    "calls": [
                        call | {"told": told(call), "brief": brief(call)} for call in question["calls"]
                    ],
                }
                for question in one["questions"]
            ],
            "critique": one["critique"],
        }
        for one in tree["rounds"]
    ]
    return {
        "question": record.started.question if record.started else "",
        "rounds": rounds,
        "summary": tree["summary"],
        "cited": _cited([call for one in rounds for goal in one["goals"] for call in goal["calls"]], record),
    }


def _cited(calls: list[dict[str, Any]], record: Record) -> str:
    """How many calls the answer rests on; empty before there is one."""
    used = sum(call["used"] for call in calls)
    return f"The answer cites what {used} of {counted(len(calls), 'call')} brought." if record.answer else ""


def brief(call: dict[str, Any]) -> str:
    """What a call brought, in a few words."""
    rows, passages = len(call["rows"]) + call["hidden"], len(call["cards"])
    amount = counted(rows, "row") if rows else counted(passages, "passage") if passages else ""
    return " · ".join(filter(None, (f"{call['sign']} {call['word']}", amount)))


def told(call: dict[str, Any]) -> str:
    """A call in a sentence, with its arguments."""
    given = ", ".join(f"{name}: {value}" for name, value in call["arguments"])
    used = " The final answer cites it." if call["used"] else ""
    return f"{call['tool']}{f' with {given}' if given else ''}: {call['word']}.{used}"
