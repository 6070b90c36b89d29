"""The tree of decisions."""

from __future__ import annotations

from core.cards.kind import Scene, items_of
from core.cards.kinds import KINDS
from core.cards.kinds.decisions import SHOWN_ROWS, call_data, critique_data, goals, tree_data
from core.runs.record import record
from core.trace.artefacts import Critique, ToolCall
from tests import examples
from tests.examples import CRITIQUE, TOOL_CALL, agentic


def test_the_tree_has_every_decision_and_what_the_answer_used() -> None:
    run = record(agentic())
    tree = tree_data(run.find(ToolCall), run.find(Critique), run.answer)
    assert tree["summary"] == "3 tool calls in 2 rounds"
    first, second = tree["rounds"]
    assert [goal["asked"] for goal in first["goals"]] == [
        "Who directed The Matrix?",
        "When was #1 born?",
    ]
    assert first["goals"][1]["text"] == "When was Lana Wachowski born?"
    assert first["critique"]["questions"] == (second["goals"][0]["asked"],)
    calls = [call for part in tree["rounds"] for goal in part["goals"] for call in goal["calls"]]
    assert [call["used"] for call in calls] == [True, False, False]
    assert [call["sign"] for call in calls] == ["✓", "∅", "✓"]
    assert len(calls[1]["attempts"]) == 2
    assert calls[1]["attempts"][0][1]
    assert len(calls[2]["cards"]) == 2
    assert calls[2]["arguments"] == []  # the question stands above
    assert second["critique"]["complete"]


def test_one_drawing_holds_them_all() -> None:
    run = record(agentic())
    inside = set(KINDS["tool_call"].inside(run))
    made = [item.key for item in items_of(run) if isinstance(item.artefact, ToolCall | Critique)]
    assert inside == set(made[1:])


def test_a_long_table_is_cut_and_values_are_text() -> None:
    assert TOOL_CALL.table is not None
    rows = tuple(("Ann", ["Neo", "Tom"], None, {"title": "Heat"}) for _ in range(SHOWN_ROWS + 5))
    table = TOOL_CALL.table.model_copy(update={"columns": ("a", "b", "c", "d"), "rows": rows})
    shown = call_data(TOOL_CALL.model_copy(update={"table": table}))
    assert shown["rows"][0] == ("Ann", "Neo / Tom", "", "Heat")
    assert (len(shown["rows"]), shown["hidden"]) == (SHOWN_ROWS, 5)


def test_a_critique_says_why_the_loop_ends() -> None:
    shown = critique_data(CRITIQUE.model_copy(update={"ends": "Limit reached: 2 rounds."}))
    assert (shown["word"], shown["ends"]) == ("Something is missing", "Limit reached: 2 rounds.")


def test_each_goal_has_its_calls_and_each_round_its_verdict() -> None:
    data = goals(Scene(record(examples.agentic())))
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
    calls = examples.places_of(events, "tool_call")
    assert goals(Scene(record(events[: calls[0] - 1]))) is None
    data = goals(Scene(record(events[: calls[0]])))
    assert data is not None
    assert [one["critique"] for one in data["rounds"]] == [None]
    assert data["cited"] == ""
