"""A table of cases in one test: each is tried, and each that fails is told."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.cases import cases


def test_every_case_is_tried_and_those_that_fail_are_told() -> None:
    tried: list[int] = []

    @cases(("number", "text"), [(1, "a"), (2, "b"), (3, "c"), (4, "d")])
    def check(number: int, text: str, folder: Path) -> None:
        tried.append(number)
        assert number != 2
        if number == 3:
            with pytest.raises(ValueError):
                int("3")
        if number == 4:
            raise RuntimeError(f"{folder}: {text}")

    assert list(inspect.signature(check).parameters) == ["folder"]  # a fixture
    with pytest.raises(BaseExceptionGroup, match="3 of 4 cases") as told:
        check(folder=Path("here"))
    assert tried == [1, 2, 3, 4]
    assert [type(error).__name__ for error in told.value.exceptions] == [
        "AssertionError", "Failed", "RuntimeError",
    ]  # fmt: skip
    assert told.value.exceptions[0].__notes__[-1] == "The case: {'number': 2, 'text': 'b'}"


def test_nothing_is_said_where_all_are_right() -> None:
    @cases("number", range(3))
    def check(number: int) -> None:
        assert number < 3

    check()


def test_a_table_without_cases_is_a_fault() -> None:
    with pytest.raises(AssertionError):
        cases("number", [])


def test_what_only_pytest_knows_how_to_read_is_a_fault() -> None:
    with pytest.raises(AssertionError):
        cases("number", [1, pytest.param(2, id="two")])
