"""What an evaluation found, in words and as CSV."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO

import pytest

from core.charts.evaluation_csv import questions_csv, summary_csv
from core.charts.evaluation_findings import (
    caution,
    fewer_judged,
    findings,
    first_list_alone,
    given_apart,
    judged_apart,
    weak_generator,
)
from core.charts.evaluation_settings import facts, settings_rows
from core.charts.evaluation_verdict import expected_precision, paired_spread
from core.evaluation.measures import Scores
from core.evaluation.plan import Evaluation, Setting
from core.evaluation.results import results_of, scores
from tests.examples.evaluations import BASE, GOOD, SAME, evaluation, with_budgets


def test_a_sentence_per_strategy_on_the_evidence_and_on_the_answers() -> None:
    evidence, same, answers, _ = findings(scores(*evaluation()), BASE)
    assert evidence == (
        "Hybrid finds 100 % of the gold documents, Dense 25 %: 75 points more (60 to 88), for 2 model calls per "
        "question instead of 1."
    )
    assert same == "Keyword finds 26 % of the gold documents, Dense 26 %: no difference on any question."
    assert answers.startswith("Hybrid answers 100 % of the questions correctly, Dense 0 %: 100 points more (")


def test_what_was_given_is_held_against_plain_retrieval_with_as_many_passages() -> None:
    made, outcomes = evaluation()
    found = scores(made, with_budgets(outcomes))
    for baseline in (BASE, GOOD):
        said = findings(found, baseline)
        (given,) = [one for one in said if "was given" in one]
        assert given.startswith(
            "Hybrid was given 100 % of the gold documents in 8.0 passages per question, plain retrieval with as many "
            "passages 25 %: 75 points more (60 to 88)."
        )
        assert given.endswith(
            "No significant difference in it between plain retrieval with as many passages and Keyword (26 %, plain "
            "26 %)."
        )
        assert 0 < said.index(given) < len(said) - 1  # after what was found, before the answers
    _, alone, _ = findings({BASE: found[BASE], SAME: found[SAME]}, BASE)
    assert alone == (
        "Keyword was given 26 % of the gold documents in 6.0 passages per question, plain retrieval with as many "
        "passages 26 %: no difference on any question."
    )


def recall(**values: list[float]) -> Scores:
    return {
        name: {
            f"q{place}": {"R@10": value, "calls": 2.0 * (name != "Plain")} for place, value in enumerate(own)
        }
        for name, own in values.items()
    }


def test_how_many_questions_would_tell_is_said_where_chance_is_not_excluded() -> None:
    plain = [0.5, 1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 0.5, 1.0, 1.0]
    better = [1.0, 1.0, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 0.5, 1.0]
    one, chance = findings(recall(Plain=plain, IRCoT=better), "Plain")
    assert one == (
        "IRCoT finds 80 % of the gold documents, Plain 70 %: 10 points more (10 less to 30 more), for 2 model calls "
        "per question instead of none."
    )
    assert chance.startswith("With 10 questions this may be chance. If the difference is real, about ")
    assert chance.endswith(" would show it.")
    _, first, second = findings(recall(Plain=plain, IRCoT=better, HyDE=[*plain[:-1], 0.5]), "Plain")
    assert "With 10 questions this may be chance" in first
    assert "Plain finds 70 % of the gold documents, HyDE 65 %: 5 points less (" in second
    assert "This may be chance. If it is real, about " in second


def test_several_that_do_not_differ_on_any_question_share_a_sentence() -> None:
    plain, better = [0.5, 1.0, 0.0], [1.0, 1.0, 1.0]
    _, _, last = findings(recall(Plain=plain, A=plain, B=better, C=plain), "Plain")
    assert last == "Plain finds 50 % of the gold documents, with no difference on any question to A, C."


def test_an_interval_off_zero_that_may_be_chance_says_why() -> None:
    plain, better = [0.0] * 12, [1.0] * 6 + [0.0] * 6
    (alone,) = findings(recall(Plain=plain, A=better), "Plain")
    assert "chance" not in alone  # p = 2 / 2^6
    _, first, *_ = findings(recall(Plain=plain, A=better, B=[*better[1:], 0.0], C=plain), "Plain")
    assert (
        "With 12 questions this may be chance: the interval leaves 0 out, but with 3 comparisons one such"
        in first
    )


def test_a_second_look_is_said_and_makes_it_harder() -> None:
    plain, better = [0.0] * 12, [1.0] * 6 + [0.0] * 6
    _, said, again = findings(recall(Plain=plain, A=better), "Plain", 3)
    assert "the interval leaves 0 out, but with 3 looks one such is likely by chance" in said
    assert again.startswith("This is the third look at these questions; the intervals are widened for it")
    assert findings({"Plain": {}}, "Plain", 3) == ()


def test_what_will_be_told_is_said_beforehand() -> None:
    assert expected_precision(10, 1) == (
        "With 10 questions, only a difference of about **25 points of recall** or more can be told from chance, if "
        "single questions differ as in most comparisons measured with this app."
    )
    assert "of about **36 points" in expected_precision(10, 3, 3)
    assert expected_precision(10, 1, 2).endswith(", and it is the second look at these questions.")
    assert "as in your last evaluation of this data set" in expected_precision(40, 1, 1, 0.1)
    assert (
        expected_precision(5, 1) == "With 5 questions no difference can be told from chance. Take at least 6."
    )
    assert expected_precision(5, 0) == ""


def test_the_spread_is_that_of_all_who_are_compared() -> None:
    made = recall(Plain=[0.0, 1.0] * 5, A=[1.0, 1.0] * 5, B=[0.0, 1.0] * 5)
    assert paired_spread(made, "Plain", "R@10") == pytest.approx(0.125**0.5)
    assert paired_spread(recall(Plain=[1.0] * 10, A=[1.0] * 10), "Plain", "R@10") == 0.05
    assert paired_spread(recall(Plain=[1.0] * 3, A=[1.0] * 3), "Plain", "R@10") is None
    assert paired_spread({}, "Plain", "R@10") is None


def test_nothing_to_compare_with() -> None:
    found = scores(*evaluation())
    evidence, _ = findings({BASE: found[BASE]}, BASE)
    assert evidence.startswith("Dense finds 25 % of the gold documents (")
    assert evidence.endswith("There is nothing to compare it with.")
    assert findings({BASE: {}}, BASE) == ()


def test_less_is_said_as_less() -> None:
    said = findings(scores(*evaluation()), GOOD)
    assert (
        "Hybrid finds 100 % of the gold documents, Dense 25 %: 75 points less (60 to 88) for Dense, at no more calls."
        in said
    )
    assert any(one.startswith("Hybrid answers 100 % of the questions correctly, Keyword 0 %") for one in said)


def test_few_questions_are_a_caution() -> None:
    assert caution(20).startswith("With 20 questions only large differences")
    assert caution(1).startswith("With 1 question ")
    assert caution(50) == ""


def test_a_weak_generator_that_hurts_is_named() -> None:
    made, outcomes = evaluation()
    found = scores(made, outcomes)

    def writing(*labels: str) -> Evaluation:
        settings = tuple(
            one.model_copy(update={"strategy": "rag-fusion" if one.label in labels else "plain"})
            for one in made.spec.settings
        )
        return replace(made, spec=made.spec.model_copy(update={"settings": settings, "model": "Tiny"}))

    said = weak_generator(writing(BASE), found, GOOD)
    assert said.startswith(
        "A weak generator can hurt: Dense searched with what Tiny wrote, and found less than Hybrid"
    )
    assert weak_generator(writing(GOOD, SAME), found, BASE) == ""
    assert weak_generator(writing(), found, GOOD) == ""


def test_settings_that_were_judged_on_fewer_passages_are_named() -> None:
    made, outcomes = evaluation()
    counts = (10, 4, 9)
    done = {
        pair: result.model_copy(update={"passages": counts[pair[0]]})
        for pair, result in outcomes.done.items()
    }
    even = replace(outcomes, done=done)
    assert "Dense had 10.0 per question, Hybrid 4.0. This may explain part" in fewer_judged(made, even, BASE)
    assert fewer_judged(made, even, GOOD) == ""
    unlabelled = tuple(replace(one, gold={}) for one in made.questions)
    assert fewer_judged(replace(made, questions=unlabelled), even, BASE) == ""  # no ranking is judged
    assert fewer_judged(made, outcomes, BASE) == ""


def test_settings_that_were_given_different_numbers_of_passages_are_named() -> None:
    made, outcomes = evaluation()
    said = given_apart(made, with_budgets(outcomes))
    assert said.startswith(
        "The answers were given different numbers of passages per question: Dense 6.0, Hybrid 8.0, Keyword 6.0."
    )
    assert said in judged_apart(made, with_budgets(outcomes), BASE)
    assert given_apart(made, outcomes) == ""  # as an earlier version noted it


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
    assert "Only the first search of Deep, Chain is judged: the" in first_list_alone(several)
    assert first_list_alone(made) == ""


def test_every_question_as_csv() -> None:
    made, outcomes = evaluation("=cmd()", labels=("-dense", GOOD, SAME))
    found = results_of(made, outcomes, {"scripted": (1.0, 10.0)})
    rows = list(csv.DictReader(StringIO(questions_csv(found))))
    assert len(rows) == 3 * 40
    first, last = rows[0], next(row for row in rows if row["error"])
    assert (first["setting"], first["text"], first["run"]) == ("'-dense", "'=cmd() 0", "run-0")
    assert (first["nDCG@10"], first["where it failed"]) == ("1", "given but not used")
    assert (last["question"], last["where it failed"], last["nDCG@10"]) == ("q3", "run failed", "")
    good = next(row for row in rows if row["setting"] == GOOD)
    assert (good["supported"], good["cost"], good["where it failed"]) == ("1", "0.0002", "right")


def test_the_summary_as_csv() -> None:
    rows = list(csv.DictReader(StringIO(summary_csv(results_of(*evaluation())))))
    by = {(row["setting"], row["metric"]): row for row in rows}
    base, good = by[BASE, "nDCG@10"], by[GOOD, "nDCG@10"]
    assert (base["mean"], base["baseline"], base["verdict"]) == ("0.25", "", "")
    assert (good["difference"], good["verdict"], good["compared on"]) == ("0.75", "better", "40")
    assert float(good["p corrected"]) == pytest.approx(2 * float(good["p"]))
    assert by[SAME, "nDCG@10"]["compared on"] == "39"
    assert by[SAME, "nDCG@10"]["difference"] == "0"


def test_what_was_given_as_csv() -> None:
    made, outcomes = evaluation()
    outcomes = with_budgets(outcomes)
    found = results_of(made, outcomes)
    every = list(csv.DictReader(StringIO(questions_csv(found))))
    hard = next(row for row in every if (row["setting"], row["question"]) == (GOOD, "q1"))
    told = [hard[key] for key in ("evidence_given", "passages_given", "evidence_plain", "evidence_beyond")]
    assert told == ["1", "8", "0", "1"]
    rows = {(row["setting"], row["metric"]): row for row in csv.DictReader(StringIO(summary_csv(found)))}
    good = rows[GOOD, "evidence_beyond"]
    assert (good["baseline"], good["verdict"]) == ("plain retrieval with as many passages", "better")
    assert float(good["difference"]) == 0.75
    assert (BASE, "evidence_beyond") not in rows


def test_how_it_was_measured() -> None:
    made, _ = evaluation()
    told = dict(facts(made))
    assert (told["Questions"], told["Chat model"]) == ("40, a sample with seed 7", "scripted")
    assert [row["Strategy"] for row in settings_rows(made)] == ["Plain retrieval", "Multi-Query", "HyDE"]


def test_without_a_price_nothing_has_a_cost() -> None:
    found: Scores = scores(*evaluation())
    assert "cost" not in found[GOOD]["q0"]
