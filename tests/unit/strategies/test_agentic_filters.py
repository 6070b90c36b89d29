"""The arguments by which a model filters what a search looks at, and the filter that it writes with them."""

from __future__ import annotations

from pydantic import create_model

from core.corpora.filtering import FieldValues, fields_of, written
from core.strategies.agentic_filters import DATE_FROM, DATE_TO, arguments, named, offered, where_of

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
    assert [field.name for field in offered(FIELDS)] == ["type", "folder", "date", "kind"]
    schema = create_model("Search", **arguments(FIELDS)).model_json_schema()["properties"]
    assert list(schema) == ["type", "folder", DATE_FROM, DATE_TO, "kind"]
    assert schema["type"]["enum"] == ["PDF", "Word"]
    assert schema["kind"]["enum"] == ["letter"], "a long value is none that a model should copy"
    assert "enum" not in schema["folder"]
    assert "1994 to 2001-02" in schema[DATE_TO]["description"]
    assert named(FIELDS).startswith("type (PDF, Word); folder (f0, f1,")
    assert "date (1994 to 2001-02)" in named(FIELDS)


def test_what_a_model_gives_is_read_with_patience() -> None:
    search = create_model("Search", **arguments(FIELDS))
    given = search(type=["PDF", "Word"], date_from=1994, date_to="soon", kind=None, folder=" ").model_dump()
    assert written(where_of(given)) == ("type=PDF|Word", "date>=1994")
    assert where_of(search().model_dump()) == ()


def test_where_nothing_tells_documents_apart_there_is_no_argument() -> None:
    assert arguments(fields_of([{"type": ("PDF",)}] * 3)) == {}
    assert named(()) == ""
