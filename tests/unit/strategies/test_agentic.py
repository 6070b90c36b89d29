"""What models are told on the way of an agentic run."""

from __future__ import annotations

from typing import Any

from pydantic import create_model

from core.corpora.filtering import FieldValues, fields_of, where_lines
from core.strategies.agentic_calls import failed_calls, pairs_of
from core.strategies.agentic_state import in_short, main_values
from core.strategies.agentic_tools import (
    DATE_FROM,
    DATE_TO,
    fields_line,
    filter_arguments,
    offered_fields,
    written_filter,
)
from core.strategies.nodes import cut
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
    assert failed_calls(calls) == [
        "people_of_film (title: Das Boot): nothing found. No such film.",
        "text2cypher (): failed. It took too long.",
    ]


def test_a_text_is_cut_behind_a_word() -> None:
    assert cut("directed by  Werner Herzog", 22) == "directed by Werner…"
    assert cut("short", 22) == "short"
    assert cut("漢字" * 20, 10) == f"{'漢字' * 5}…"


FIELDS = (
    FieldValues("type", {"PDF": 3, "Word": 1}, 4),
    FieldValues("folder", {f"f{number}": 1 for number in range(50)}, 50),
    FieldValues("date", {"1994": 1, "2001-02": 2}, 3),
    FieldValues("kind", {"letter": 2, "x" * 100: 1}, 3),
    FieldValues("author", {f"Ann {number}": 1 for number in range(50)}, 50),
    FieldValues("question", {"a": 1, "b": 1}, 2),
    FieldValues("자료", {"a": 1, "b": 1}, 2),
)


def test_few_valued_fields_are_a_choice_and_others_that_make_no_argument_are_none() -> None:
    assert [field.name for field in offered_fields(FIELDS)] == ["type", "folder", "date", "kind"]
    schema = create_model("Search", **filter_arguments(FIELDS)).model_json_schema()["properties"]
    assert list(schema) == ["type", "folder", DATE_FROM, DATE_TO, "kind"]
    assert schema["type"]["enum"] == ["PDF", "Word"]
    assert schema["kind"]["enum"] == ["letter"], "a long value is none that a model should copy"
    assert "enum" not in schema["folder"]
    assert "1994 to 2001-02" in schema[DATE_TO]["description"]
    assert fields_line(FIELDS).startswith("type (PDF, Word); folder (f0, f1,")
    assert "date (1994 to 2001-02)" in fields_line(FIELDS)


def test_what_a_model_gives_is_read_with_patience() -> None:
    search = create_model("Search", **filter_arguments(FIELDS))
    given = search(type=["PDF", "Word"], date_from=1994, date_to="soon", kind=None, folder=" ").model_dump()
    assert where_lines(written_filter(given)) == ("type=PDF|Word", "date>=1994")
    assert written_filter(search().model_dump()) == ()


def test_where_nothing_tells_documents_apart_there_is_no_argument() -> None:
    assert filter_arguments(fields_of([{"type": ("PDF",)}] * 3)) == {}
    assert fields_line(()) == ""
