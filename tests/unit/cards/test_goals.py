"""The tree of an agentic run: goals, calls and verdicts, round by round."""

from __future__ import annotations

from core.cards.goals import goals
from core.runs.record import record
from core.trace.events import ArtefactMade
from tests import examples


def test_each_goal_has_its_calls_and_each_round_its_verdict() -> None:
    data = goals(record(examples.agentic()))
    assert data is not None
    found = [
        [
            (goal["text"], [(call["number"], call["brief"], call["used"]) for call in goal["calls"]])
            for goal in one["goals"]
        ]
        for one in data["rounds"]
    ]
    assert found == [
        [
            ("Who directed The Matrix?", [(1, "✓ found · 2 rows", True)]),
            ("When was Lana Wachowski born?", [(2, "∅ found nothing", False)]),
        ],
        [("In which year was Lana Wachowski born?", [(3, "✓ found · 2 passages", False)])],
    ]
    assert [one["critique"]["complete"] for one in data["rounds"]] == [False, True]
    assert data["cited"] == "The answer cites what 1 of 3 calls brought."
    first = data["rounds"][0]["goals"][0]["calls"][0]
    assert first["told"].startswith("people_of_film")
    assert first["told"].endswith("The final answer cites it.")


def test_the_tree_grows_call_by_call() -> None:
    events = examples.agentic()
    calls = [
        place
        for place, event in enumerate(events, 1)
        if isinstance(event, ArtefactMade) and event.artefact.kind == "tool_call"
    ]
    assert goals(record(events[: calls[0] - 1])) is None
    data = goals(record(events[: calls[0]]))
    assert data is not None
    assert [one["critique"] for one in data["rounds"]] == [None]
    assert data["cited"] == ""
