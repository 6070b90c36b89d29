"""What a query returned as plain values."""

from __future__ import annotations

from typing import Any

from core.knowledge.records import CELL_CHARS, CELL_ITEMS
from core.knowledge.store.plain_values import RESULT_CHARS, PlainValues
from tests.cases import cases


@cases(
    ("value", "plain", "cut"),
    [
        ({"a": 1, 2: [True, None]}, {"a": 1, "2": [True, None]}, False),
        ((1, "b"), [1, "b"], False),
        (float("inf"), "inf", False),
        (0.5, 0.5, False),
        ("x" * (CELL_CHARS + 1), "x" * CELL_CHARS, True),
        (list(range(CELL_ITEMS + 1)), list(range(CELL_ITEMS)), True),
        (
            {str(n): n for n in range(CELL_ITEMS + 1)},
            {str(n): n for n in range(CELL_ITEMS)},
            True,
        ),
    ],
)
def test_a_value_is_as_json_can_hold_it_and_not_too_long(value: Any, plain: Any, cut: bool) -> None:
    made = PlainValues()
    assert made.value(value) == plain
    assert made.cut is cut


def test_what_is_nested_too_deep_is_cut() -> None:
    value: Any = "end"
    for _ in range(20):
        value = [value]
    made = PlainValues()
    assert "end" not in str(made.value(value))
    assert made.cut


def test_a_result_is_full_at_some_size_however_few_its_values() -> None:
    made = PlainValues()
    for _ in range(2):
        assert not made.full
        made.value(["x" * (RESULT_CHARS // 2)])
    assert made.full
    assert made.value({"a": 1}) == "…"
