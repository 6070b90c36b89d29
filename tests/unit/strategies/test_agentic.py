"""What models are told on the way of an agentic run."""

from __future__ import annotations

from typing import Any

from core.strategies.agentic_briefing import pairs_of, tried
from core.strategies.agentic_results import in_short, main_values
from core.strategies.described import cut
from core.trace.artefacts import Table, ToolCall


def call(number: int, question: str = "Who?", **more: Any) -> ToolCall:
    return ToolCall.model_validate(
        {
            "number": number,
            "index": number - 1,
            "asked": question,
            "question": question,
            "tool": "t",
            "outcome": "found",
        }
        | more
    )


def test_each_listed_question_has_a_place_of_its_own() -> None:
    calls = [
        call(1, text="A"),
        call(2, text="", outcome="nothing"),  # in the same words
        call(3, "When?", text="B", short="b"),
        call(4, "Where?", text="C", round=2, index=0),
        call(5, "When?", text="D", index=2),
    ]
    pairs = pairs_of(calls)
    assert [(pair.question, pair.answer) for pair in pairs] == [
        ("Who?", "A"), ("Who?", ""), ("When?", "B D"), ("Where?", "C"),
    ]  # fmt: skip
    assert pairs_of(calls[:3])[2].short == "b"


def test_values_stand_with_the_names_of_their_columns() -> None:
    table = Table(columns=("person", "film", "film_released"), rows=(("Robert Zemeckis", "Cast Away", 2000),))
    assert in_short(table, {"cast away"}) == "Robert Zemeckis (film released: 2000)"
    assert main_values(table, {"cast away"}) == "Robert Zemeckis"
    two = Table(columns=("person", "films"), rows=(("A", 4), ("B", 3)))
    assert in_short(two) == "A (films: 4); B (films: 3)"
    one = Table(columns=("film",), rows=(("X",), ("Y",)), more=True)
    assert in_short(one) == "X, Y and more"
    assert main_values(one) == ""
    assert in_short(Table(columns=("n",), rows=())) == ""


def test_models_are_given_more_rows_than_people_at_a_glance() -> None:
    table = Table(columns=("film",), rows=tuple((f"Film {n}",) for n in range(60)))
    (pair,) = pairs_of([call(1, text=in_short(table), table=table)])
    assert "Film 11 and 48 more" in in_short(table)
    assert "Film 49 and 10 more" in pair.answer


def test_what_brought_nothing_is_told_in_a_line() -> None:
    calls = [
        call(
            1, outcome="nothing", tool="people_of_film", arguments={"title": "Das Boot"}, note="No such film."
        ),
        call(2, outcome="failed", tool="text2cypher", error="It took too long."),
        call(3),
    ]
    assert tried(calls) == [
        "people_of_film (title: Das Boot): nothing found. No such film.",
        "text2cypher (): failed. It took too long.",
    ]


def test_a_text_is_cut_behind_a_word() -> None:
    assert cut("directed by  Werner Herzog", 22) == "directed by Werner…"
    assert cut("short", 22) == "short"
    assert cut("漢字" * 20, 10) == f"{'漢字' * 5}…"
