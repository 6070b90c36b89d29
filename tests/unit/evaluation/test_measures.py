"""A metric is declared once: its group, its value and its place in tables and files follow from that."""

from __future__ import annotations

from typing import Any, cast

import pytest

from core.charts.evaluation_csv import questions_csv
from core.charts.evaluation_table import MAIN_COSTS, OVERVIEW, evaluation_table, looks, number
from core.evaluation.measures import COSTS, METRICS, OTHERS, Metric, metric
from core.evaluation.results import results_of, scores
from tests.examples.evaluations import BASE, evaluation

WORDS = Metric(
    "words", "Words", "Words of the answer.", "Answers", "neither",
    lambda pair: float(len(pair.result.answer.text.split())) if pair.result.answer else None,
    share=False, unit="words", digits=1,
)  # fmt: skip


def test_a_new_metric_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, Metric]", METRICS), WORDS.key, WORDS)
    made, outcomes = evaluation(count=4)
    found = scores(made, outcomes)
    counted = {question: values["words"] for question, values in found[BASE].items()}
    assert counted == {
        question: len(result.answer.text.split())
        for (place, question), result in outcomes.done.items()
        if result.answer and made.spec.settings[place].label == BASE
    }
    table = evaluation_table(found, BASE)
    drawn: Any = table.data(looks({one.label: one.strategy for one in made.spec.settings}))
    groups = {group["title"]: group["rows"] for group in drawn["groups"]}
    assert "Words" in [row["title"] for row in groups["Answers"]]
    assert "words" in questions_csv(results_of(made, outcomes)).splitlines()[0].split(",")
    assert number("words", 3.14) == "3.1 words"


def test_groups_do_not_depend_on_the_order() -> None:
    assert [metric(key).group for key in ("seconds", "EM", "R@5", "supported", "calls")] == [
        COSTS, "Answers", "Gold documents found", "Answers", COSTS,
    ]  # fmt: skip
    assert metric("of a later version").group == OTHERS
    assert MAIN_COSTS == ("calls", "tokens", "seconds", "cost")
    assert set(OVERVIEW) <= METRICS.keys()
