"""Answers that cannot be judged count in no mean, and everything that shows means says how many they are."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO

import pytest

from core.charts.evaluation_csv import questions_csv, summary_csv
from core.charts.evaluation_findings import findings
from core.charts.evaluation_table import evaluation_table
from core.cli.evaluate import print_results
from core.evaluation.measures import JUDGED, unjudged, unjudged_sentence
from core.evaluation.results import report, results_of, scores, stages
from core.evaluation.statistics import differences
from core.report import evaluation_report
from core.trace.artefacts import Answer
from tests.examples.evaluations import BASE, BOTH, CHOICE, GOOD, SAME, evaluation

MADE, OUTCOMES = evaluation(CHOICE, count=8, unclear=3)
SCORES = scores(MADE, OUTCOMES)


def test_counts_and_reason() -> None:
    assert unjudged(SCORES) == {BASE: (3, 8)}
    assert unjudged_sentence(unjudged(SCORES)).startswith(
        f"Cannot be judged: 3 of 8 ({BASE}). Such an answer names both"
    )
    made, outcomes = evaluation()
    assert unjudged_sentence(unjudged(scores(made, outcomes))) == ""


def test_means_and_tests_are_over_judged_answers() -> None:
    for key in JUDGED:
        assert sum(key in values for values in SCORES[BASE].values()) == 5
    against = {one.strategy: one.interval for one in differences(SCORES, BASE, "accuracy")}
    assert (against[GOOD].questions, against[GOOD].mean) == (5, 1)
    assert against[SAME].questions == 4  # one more of its runs failed
    (told,) = [one for one in findings(SCORES, GOOD) if "answers" in one and f"{BASE} 0 %" in one]
    assert "100 points less" in told


def test_support_of_a_refusal_does_not_count_whatever_was_stored() -> None:
    made, outcomes = evaluation(count=4)
    refused = Answer(text="The passages name George Marshall [1] and do not say who he was.")
    stored = {
        pair: one.model_copy(update={"supported": False, "answer": refused})
        for pair, one in outcomes.done.items()
    }
    found = scores(made, replace(outcomes, done=stored))
    assert not any("supported" in values for by in found.values() for values in by.values())
    lost = stages(made, replace(outcomes, done=stored))[BASE]
    assert {one.stage for one in lost.values()} == {"abstained", "no gold passage retrieved"}


def test_json() -> None:
    found = report(MADE, OUTCOMES)["strategies"]
    assert (found[BASE]["answers"], found[BASE]["cannot_be_judged"]) == (8, 3)
    assert (found[GOOD]["answers"], found[GOOD]["cannot_be_judged"]) == (8, 0)
    assert found[BASE]["metrics"]["hallucination"] == 1
    assert found[BASE]["metrics"]["unclear"] == 3 / 8


def test_csv() -> None:
    rows = list(csv.DictReader(StringIO(questions_csv(results_of(MADE, OUTCOMES)))))
    left_out = [row for row in rows if row["unclear"] == "1"]
    assert [row["question"] for row in left_out] == ["q0", "q1", "q2"]
    assert all(row["where it failed"] == "not judged" and not row[key] for row in left_out for key in JUDGED)
    summary = list(csv.DictReader(StringIO(summary_csv(results_of(MADE, OUTCOMES), BASE))))
    counts = {row["setting"]: row["questions"] for row in summary if row["metric"] == "accuracy"}
    assert {label: counts[label] for label in (BASE, GOOD, SAME)} == {BASE: "5", GOOD: "8", SAME: "7"}


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(results_of(MADE, OUTCOMES))
    assert f"\nCannot be judged: 3 of 8 ({BASE}). Such an answer" in capsys.readouterr().out


def test_table_and_report() -> None:
    table = evaluation_table(SCORES, BASE, ("accuracy", "nDCG@10"))
    accuracy, found = table.rows[0].cells
    assert accuracy is not None
    assert found is not None
    assert (
        accuracy.detail
        == "5 questions. Cannot be judged: 3 of 8 answers; they count neither as right nor as wrong."
    )
    assert found.detail == "8 questions."
    html = evaluation_report(MADE, OUTCOMES)
    assert f"Cannot be judged: 3 of 8 ({BASE})." in html
    assert BOTH in html
    assert "of 2</td>" in html  # per type: over fewer questions than there are
