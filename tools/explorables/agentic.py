"""Agentic RAG with handles: the tool is chosen for each part of the question, beside the one of the model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from core.cards.kind import Scene
from core.cards.kinds.decisions import call_data, goals
from core.explorables import FOLDER
from core.strategies.agentic import STRATEGY
from core.strategies.agentic_state import argument_values, in_short
from core.strategies.agentic_tools import DOCUMENTS
from core.trace.artefacts import Table, ToolCall
from core.trace.passages import Passage
from tools.explorables.recorded import gallery_run, head
from tools.explorables.world import world

RUN = "recorded-agentic"
RESULTS = FOLDER / "results" / "agentic.json"
"""Results of the graph's tools: for each call its query, its table and the note on it. See
`tools.explorables.graph_tools`."""
HOW = (
    "Choose another tool for a part of the question: what it brings back is real. The critique is shown only for the "
    "calls that the model made."
)


UNWRITTEN = "An answer would be written here from these passages."


class Asked(NamedTuple):
    """A call that could be made for a part of the question."""

    part: int
    tool: str
    arguments: Mapping[str, Any]
    short: str
    """Its request, in a few words."""


CALLS = (
    Asked(0, "works_of_person", {"work": "designed", "person": "Clara Lisk"}, "works of Clara Lisk"),
    Asked(0, "facts_of_entity", {"entity": "Clara Lisk"}, "all facts of Clara Lisk"),
    Asked(0, "ships_of_yard", {"yard": "Holm Yard"}, "ships of Holm Yard"),
    Asked(0, DOCUMENTS, {}, "search the documents"),
    Asked(1, "people_by_number_of_works", {"work": "designed", "least": 3}, "people by number of works"),
    Asked(
        1, "works_of_person", {"work": "designed", "person": "naval architect"}, "works of “naval architect”"
    ),
    Asked(1, "facts_of_entity", {"entity": "naval architect"}, "all facts of “naval architect”"),
    Asked(1, DOCUMENTS, {}, "search the documents"),
)
"""Calls of the run, and others that were there to be chosen."""


def graph_calls() -> list[Asked]:
    """Return the calls of the graph's tools, in the order of `RESULTS`."""
    return [one for one in CALLS if one.tool != DOCUMENTS]


def make() -> dict[str, Any]:
    """The tree of the run, and what each tool brings back for each part."""
    run = gallery_run(RUN)
    drawn = goals(Scene(run))
    made = run.find(ToolCall)
    if drawn is None or run.started is None or run.answer is None:
        raise ValueError(f"{RUN} has called nothing")
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    tables = dict(zip(map(str, graph_calls()), stored, strict=True))
    cited = {one.chunk for one in run.answer.citations}
    calls = []
    for one in CALLS:
        own = made[one.part]
        asked = own.model_copy(update={"tool": one.tool, "arguments": dict(one.arguments), "why": ""})
        if one.tool == DOCUMENTS:
            found = _nearest(own.question, run.started.params["k"])
            call = asked.model_copy(
                update={
                    "outcome": "found",
                    "about": "",
                    "table": None,
                    "cypher": "",
                    "passages": found,
                    "text": UNWRITTEN,
                    "arguments": {"question": own.question},
                }
            )
        else:
            table = Table.model_validate(tables[str(one)]["table"])
            text = in_short(table, argument_values(one.arguments))
            call = asked.model_copy(
                update={
                    "outcome": "found" if table.rows else "nothing",
                    "about": tables[str(one)]["about"],
                    "cypher": tables[str(one)]["cypher"],
                    "table": table,
                    "text": text,
                    "note": tables[str(one)]["note"],
                }
            )
        is_own = (one.tool, one.arguments) == (own.tool, own.arguments)
        if is_own and call.text != own.text:
            raise ValueError(f"{one.tool} gives something else than in {RUN}")
        shown = call_data(own if is_own else call, cited if is_own else ())
        calls.append({"part": one.part, "label": f"{one.tool}: {one.short}", "own": is_own, "call": shown})
    return head(run, HOW) | {
        "colour": STRATEGY.colour,
        "parts": [goal["text"] for goal in drawn["rounds"][0]["goals"]],
        "calls": calls,
        "critique": drawn["rounds"][0]["critique"],
        "answer": run.answer.short,
    }


def _nearest(question: str, count: int) -> tuple[Passage, ...]:
    return tuple(one for one, _ in world().nearest(question, count))


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of the chosen calls in short, as the tools say them, and whether the run went so.

    Args:
        data: As `make` gives it.
        values: `part1` and `part2`: places of calls among those of the part.
    """
    tables = dict(zip(map(str, graph_calls()), json.loads(RESULTS.read_text(encoding="utf-8")), strict=True))
    texts, own = [], True
    for part in (0, 1):
        one = [call for call in CALLS if call.part == part][int(values[f"part{part + 1}"])]
        own = own and data["calls"][CALLS.index(one)]["own"]
        table = None if one.tool == DOCUMENTS else Table.model_validate(tables[str(one)]["table"])
        texts.append(in_short(table, argument_values(one.arguments)) if table else UNWRITTEN)
    return {"texts": texts, "own": own}
