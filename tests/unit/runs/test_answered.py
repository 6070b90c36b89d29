"""Which demo questions the built-in model was seen to answer."""

from __future__ import annotations

import json
from csv import DictReader
from typing import Any

from core.corpora.demo import DEMOS, STARTERS, WORLD
from core.runs.gallery import ANSWERED, answered
from core.strategies import strategies


def lines(name: str = "") -> list[dict[str, Any]]:
    """The demo questions of every language, or those of the files with another name beside theirs."""
    files = [WORLD / demo.questions for demo in DEMOS]
    return [
        json.loads(line)
        for file in files
        for line in file.with_name(name or file.name).read_text(encoding="utf-8").splitlines()
    ]


def test_what_was_seen_is_about_questions_and_strategies_that_are_there() -> None:
    with ANSWERED.open(encoding="utf-8", newline="") as file:
        rows = list(DictReader(file, delimiter="\t"))
    assert {row["question"] for row in rows} <= {one["id"] for one in (*lines(), *lines(STARTERS))}
    able = {key for key, one in strategies().items() if not one.lacking(True)}
    assert {row["strategy"] for row in rows} == able
    assert {row["verdict"] for row in rows} == {"right", "wrong", "none"}
    assert len({(row["strategy"], row["question"]) for row in rows}) == len(rows)


def test_every_starter_is_answered_by_a_strategy_that_it_was_written_for() -> None:
    for one in lines(STARTERS):
        assert one["id"] in answered(one["strategies"]), one["text"]


def test_of_several_strategies_one_is_enough() -> None:
    both = answered(["plain", "decomposition-sequential"])
    assert both == answered(["plain"]) | answered(["decomposition-sequential"])
    assert answered(["no such strategy"]) == frozenset()
