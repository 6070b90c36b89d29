"""Filters: one grammar that is read and written, and which documents are left."""

from __future__ import annotations

import pytest

from core.corpora.filtering import (
    Condition,
    FieldValues,
    fields_of,
    matching,
    parse_where,
    where_lines,
    where_text,
)
from core.errors import InputError
from tests.cases import cases

DOCUMENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "a": {"type": ("PDF",), "date": ("1994-06-05",), "title": ("Minutes of the Board",)},
    "b": {"type": ("Markdown",), "date": ("1994",), "folder": ("m", "m/x"), "title": ("A letter",)},
    "c": {"type": ("PDF",), "date": ("2001-02",), "tags": ("a|b", "c\\d"), "title": ("Minutes",)},
    "d": {"type": ("PDF",), "title": ("Note",)},
}


@cases(
    ("where", "left"),
    [
        ([], "abcd"),
        (["type=pdf"], "acd"),
        (["type=PDF|markdown", "title~minutes"], "ac"),
        (["title ~ letter|board"], "ab"),
        (["folder=m"], "b"),
        (["date>=1994-07"], "bc"),  # the letter may be of any day in 1994
        (["date<=1994-03"], "b"),
        (["date=1994"], "ab"),
        (["date=1994-06|2001"], "abc"),
        (["date>=1994", "date<=1994-12-31"], "ab"),
        (["tags=a\\|b"], "c"),
        (["tags=c\\\\d"], "c"),
        (["nobody=x"], ""),
    ],
)
def test_which_documents_are_left(where: list[str], left: str) -> None:
    found = parse_where(where)
    assert matching(found, DOCUMENTS) == set(left)
    assert parse_where(where_lines(found)) == found


@cases(
    "where",
    [
        "type",
        "=x",
        "type=",
        "type=|",
        "date=soon",
        "date~19",
        "type>=PDF",
        "x=" + "y" * 300,
        "<b>=1>2",
        "a" + " " * 40_000,
    ],
)
def test_what_cannot_be_read_is_said(where: str) -> None:
    with pytest.raises(InputError, match="The filter"):
        parse_where([where])


def test_a_condition_has_an_end() -> None:
    with pytest.raises(InputError, match="at most 50,000 characters"):
        parse_where(["a=" + "b|" * 30_000])


def test_a_bar_is_meant_only_behind_one_backslash() -> None:
    assert parse_where(["a=b\\|c|d\\"]) == (Condition("a", "=", ("b|c", "d\\")),)


def test_in_words() -> None:
    assert (
        where_text(["type=PDF|Word", "date>=1994", "title~x"])
        == "type is PDF or Word, date is 1994 or later, title contains x"
    )
    assert where_text(["no filter at all"]) == "no filter at all"


def test_fields_that_tell_documents_apart() -> None:
    assert fields_of(DOCUMENTS.values()) == (
        FieldValues("type", {"PDF": 3, "Markdown": 1}, 4),
        FieldValues("folder", {"m": 1, "m/x": 1}, 1),
        FieldValues("date", {"1994": 1, "1994-06-05": 1, "2001-02": 1}, 3),
        FieldValues("tags", {"a|b": 1, "c\\d": 1}, 1),
    )
    assert fields_of([{"type": ("PDF",)}, {"type": ("PDF",)}]) == ()
    assert fields_of([]) == ()
