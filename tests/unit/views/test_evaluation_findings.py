"""What an evaluation found, in words and as CSV."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO

import pytest

from core.evaluation.measures import Scores
from core.evaluation.plan import Setting
from core.evaluation.results import scores, stages
from core.views.evaluation_csv import questions_csv, summary_csv
from core.views.evaluation_findings import caution, fewer_judged, findings, first_list_alone, weak_generator
from core.views.evaluation_measured import facts, settings_rows
from tests.examples.evaluations import BASE, GOOD, SAME, evaluation


def test_one_sentence_on_the_evidence_and_one_on_the_answers() -> None:
    evidence, answers = findings(scores(*evaluation()), BASE)
    assert evidence.startswith("Hybrid finds more than Dense: +0.750 nDCG@10 [+0.6")
    assert evidence.endswith("No significant difference between Dense and Keyword.")
    assert answers.startswith("Hybrid answers better than Dense: +1.000 Accuracy [+1.000, +1.000]")


def test_where_nothing_is_clear_the_sentence_says_so() -> None:
    made, outcomes = evaluation()
    found = scores(made, outcomes)
    evidence, _ = findings({label: found[label] for label in (BASE, SAME)}, BASE)
    assert evidence == "No significant difference between Dense and Keyword in nDCG@10 on 39 questions."
    evidence, _ = findings({BASE: found[BASE]}, BASE)
    assert evidence.startswith("Dense: 0.250 nDCG@10 [0.1")
    assert evidence.endswith("There is nothing to compare it with.")
    assert findings({BASE: {}}, BASE) == ()


def test_less_is_said_as_less() -> None:
    evidence, answers = findings(scores(*evaluation()), GOOD)
    assert evidence.startswith("Dense finds less than Hybrid: −0.750 nDCG@10 [−0.8")
    assert "Keyword answers worse than Hybrid: −1.000 Accuracy" in answers


def test_few_questions_are_a_caution() -> None:
    assert caution(20).startswith("20 questions: only large differences")
    assert caution(1).startswith("1 question: ")
    assert caution(50) == ""


def test_a_weak_generator_that_hurts_is_named() -> None:
    found = scores(*evaluation())
    said = weak_generator(found, GOOD, [BASE], "Tiny")
    assert said.startswith(
        "A weak generator can hurt: Dense searched with what Tiny wrote, and found less than Hybrid"
    )
    assert weak_generator(found, BASE, [GOOD, SAME], "Tiny") == ""
    assert weak_generator(found, GOOD, [], "Tiny") == ""


def test_settings_that_were_judged_on_fewer_passages_are_named() -> None:
    made, outcomes = evaluation()
    counts = (10, 4, 9)
    done = {
        pair: result.model_copy(update={"passages": counts[pair[0]]})
        for pair, result in outcomes.done.items()
    }
    even = replace(outcomes, done=done)
    assert "Dense had 10.0 per question, Hybrid 4.0. A part" in fewer_judged(made, even, BASE)
    assert fewer_judged(made, even, GOOD) == ""
    assert fewer_judged(made, outcomes, BASE) == ""


def test_settings_whose_first_list_fills_what_is_judged_are_named() -> None:
    made, _ = evaluation()
    deep = {"k": 10}
    settings = (
        Setting(label="Deep", strategy="step-back", params=deep),
        Setting(label="Half", strategy="step-back", params={"k": 5}),
        Setting(label="Chain", strategy="ircot", params={"k": 12}),
        Setting(label="Fused", strategy="rag-fusion", params=deep),
        Setting(label="Alone", strategy="closed-book"),
    )
    several = replace(made, spec=made.spec.model_copy(update={"settings": settings}))
    assert "Only the first search is judged of Deep, Chain: the" in first_list_alone(several)
    assert first_list_alone(made) == ""


def test_every_question_as_csv() -> None:
    made, outcomes = evaluation("=cmd()", labels=("-dense", GOOD, SAME))
    found = scores(made, outcomes, {"scripted": (1.0, 10.0)})
    rows = list(csv.DictReader(StringIO(questions_csv(made, outcomes, found, stages(made, outcomes)))))
    assert len(rows) == 3 * 40
    first, last = rows[0], next(row for row in rows if row["error"])
    assert (first["setting"], first["text"], first["run"]) == ("'-dense", "'=cmd() 0", "run-0")
    assert (first["nDCG@10"], first["where it failed"]) == ("1", "given but not used")
    assert (last["question"], last["where it failed"], last["nDCG@10"]) == ("q3", "run failed", "")
    good = next(row for row in rows if row["setting"] == GOOD)
    assert (good["supported"], good["cost"], good["where it failed"]) == ("1", "0.0002", "right")


def test_the_summary_as_csv() -> None:
    rows = list(csv.DictReader(StringIO(summary_csv(scores(*evaluation()), BASE))))
    by = {(row["setting"], row["metric"]): row for row in rows}
    base, good = by[BASE, "nDCG@10"], by[GOOD, "nDCG@10"]
    assert (base["mean"], base["baseline"], base["verdict"]) == ("0.25", "", "")
    assert (good["difference"], good["verdict"], good["compared on"]) == ("0.75", "better", "40")
    assert float(good["p corrected"]) == pytest.approx(2 * float(good["p"]))
    assert by[SAME, "nDCG@10"]["compared on"] == "39"
    assert by[SAME, "nDCG@10"]["difference"] == "0"


def test_how_it_was_measured() -> None:
    made, _ = evaluation()
    told = dict(facts(made))
    assert (told["Questions"], told["Chat model"]) == ("40, a sample with seed 7", "scripted")
    assert [row["Strategy"] for row in settings_rows(made)] == ["Plain retrieval", "Multi-Query", "HyDE"]


def test_without_a_price_nothing_has_a_cost() -> None:
    found: Scores = scores(*evaluation())
    assert "cost" not in found[GOOD]["q0"]
