"""Who found the passages that hold the evidence."""

from core.charts.gold import gold_rows
from core.runs.gold import Gold


def test_found_not_found_and_not_yet_known_are_told_apart() -> None:
    gold = (Gold(document="d1", title="First"), Gold(document="d2", title="Second"))
    rows = gold_rows(gold, {"Plain": {"d1", "d9"}, "Other": None})
    assert [(row.title, row.found) for row in rows] == [
        ("First", {"Plain": True, "Other": None}),
        ("Second", {"Plain": False, "Other": None}),
    ]
