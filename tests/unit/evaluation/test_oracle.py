"""The best setting of each question, chosen afterwards, and the distance of a router to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.charts.evaluation_charts import mean_bars, pareto_chart
from core.charts.evaluation_csv import summary_csv
from core.charts.evaluation_findings import oracle_sentence
from core.charts.evaluation_table import evaluation_table, looks
from core.evaluation.measures import Scores
from core.evaluation.oracle import ORACLE, Oracle, oracle_of
from core.evaluation.plan import Outcomes, Setting, Sweep
from core.evaluation.results import Results, report, scores
from core.evaluation.statistics import differences, intervals
from tests.examples.evaluations import BASE, GOOD, SAME, evaluation


def rows(key: str, *values: float, calls: float) -> dict[str, dict[str, float]]:
    return {f"q{place}": {key: value, "calls": calls} for place, value in enumerate(values)}


QUALITY = "accuracy"
SCORES: Scores = {
    "plain": rows(QUALITY, 1, 0, 1, 0, calls=1),
    "several": rows(QUALITY, 0, 1, 1, 0, calls=4),
    "router": rows(QUALITY, 1, 0, 1, 0, calls=2),
}
BEST = Oracle(SCORES, ("several", "plain"), ("router",), QUALITY)


def test_it_takes_the_best_of_each_question_and_of_equals_the_cheapest() -> None:
    assert BEST.picks() == {"q0": "plain", "q1": "several", "q2": "plain", "q3": "plain"}
    assert BEST.counts() == {"plain": 3, "several": 1}
    assert BEST.values(QUALITY) == {"q0": 1, "q1": 1, "q2": 1, "q3": 0}
    assert BEST.values("calls") == {"q0": 1, "q1": 4, "q2": 1, "q3": 1}
    mean = BEST.mean(QUALITY)
    assert mean is not None
    assert (mean.mean, mean.questions) == (0.75, 4)
    both = BEST.both(QUALITY, "calls")
    assert both is not None
    assert both[1].mean == 7 / 4


def test_of_what_is_equally_good_and_fast_the_clock_does_not_choose() -> None:
    timed: Scores = {
        "a": {"q": {QUALITY: 1.0, "calls": 0.0, "seconds": 0.31}},
        "b": {"q": {QUALITY: 1.0, "calls": 0.0, "seconds": 0.29}},
        "slow": {"q": {QUALITY: 1.0, "calls": 0.0, "seconds": 3.0}},
    }
    assert Oracle(timed, ("slow", "a", "b"), (), QUALITY).picks() == {"q": "a"}


def test_the_distance_is_over_the_same_questions() -> None:
    apart = BEST.distances(QUALITY)
    assert {label: one.mean for label, one in apart.items()} == {
        "plain": -0.25,
        "several": -0.25,
        "router": -0.25,
    }
    assert apart["router"].low <= -0.25 <= apart["router"].high <= 0
    fewer = {**SCORES, "router": {"q1": {QUALITY: 0.0}}}
    assert Oracle(fewer, BEST.among, BEST.routers, QUALITY).distances(QUALITY)["router"].questions == 1


def test_less_is_better_where_it_is() -> None:
    wrong: Scores = {"a": rows("hallucination", 1, 0, calls=1), "b": rows("hallucination", 0, 0, calls=2)}
    best = Oracle(wrong, ("a", "b"), (), "hallucination")
    assert best.values("hallucination") == {"q0": 0, "q1": 0}
    assert best.picks() == {"q0": "b", "q1": "a"}


def test_only_questions_that_all_have_a_value_of_and_only_settings_that_have_any() -> None:
    some: Scores = {
        "silent": {"q0": {"calls": 1.0}, "q1": {"calls": 1.0}},
        "a": {"q0": {"nDCG@10": 0.2}, "q1": {"nDCG@10": 0.3}},
        "b": {"q1": {"nDCG@10": 0.1}},
    }
    assert Oracle(some, ("silent", "a", "b"), (), "nDCG@10").picks() == {"q1": "a"}
    assert Oracle(some, ("silent", "a"), (), "nDCG@10").picks() == {}
    assert Oracle(some, ("silent", "a"), (), "nDCG@10").mean("nDCG@10") is None


def test_a_metric_that_is_no_merit_has_no_best() -> None:
    assert BEST.values("abstained") == {}
    assert BEST.values("evidence_beyond") == {}


def test_who_chooses_a_way_is_not_among_the_choices() -> None:
    made, outcomes = evaluation(labels=("plain", "ircot", "adaptive"))
    settings = [Setting(label=one, strategy=one) for one in ("plain", "ircot", "adaptive")]
    made = replace(made, spec=made.spec.model_copy(update={"settings": tuple(settings)}))
    best = oracle_of(made, scores(made, outcomes))
    assert best is not None
    assert (best.among, best.routers) == (("plain", "ircot"), ("adaptive",))
    assert oracle_sentence(best).count("adaptive is ") == 1
    alone = replace(made, spec=made.spec.model_copy(update={"settings": (settings[0], settings[2])}))
    assert oracle_of(alone, scores(alone, outcomes)) is None


def test_a_sweep_and_a_single_setting_have_none() -> None:
    made, outcomes = evaluation()
    found = scores(made, outcomes)
    assert oracle_of(made, found) is not None
    swept = made.spec.model_copy(update={"sweep": Sweep(parameter="k", values=(1, 2), default=1)})
    assert oracle_of(replace(made, spec=swept), found) is None
    assert oracle_of(made, {BASE: found[BASE]}) is None
    assert oracle_of(made, {label: {} for label in found}) is None


def test_it_is_in_the_results_and_in_no_test() -> None:
    made, outcomes = evaluation()
    found = report(made, outcomes)
    assert ORACLE not in found["strategies"]
    best = found["oracle"]
    assert best["among"] == [BASE, GOOD, SAME]
    assert best["metrics"]["nDCG@10"] == pytest.approx(found["strategies"][GOOD]["metrics"]["nDCG@10"])
    assert best["distances"][GOOD]["nDCG@10"]["mean"] == pytest.approx(0)
    by_question = scores(made, outcomes)
    held = {one.strategy: one.p_holm for one in differences(by_question, BASE, "nDCG@10")}
    assert held.keys() == {GOOD, SAME}
    assert held[GOOD] == found["strategies"][GOOD]["differences"]["nDCG@10"]["p"]


def test_every_table_and_chart_marks_it_as_no_strategy() -> None:
    table = evaluation_table(SCORES, "plain", (QUALITY, "calls"), BEST)
    last = table.rows[-1]
    assert (last.strategy, last.baseline) == (ORACLE, False)
    cell = last.cells[0]
    assert cell is not None
    assert (cell.mean, cell.difference, cell.verdict) == ("0.750", "", None)
    assert "plain 3, several 1" in cell.detail
    assert "The oracle is no strategy" in table.aid
    columns = table.data(looks(dict.fromkeys(SCORES, "plain")))["columns"]
    assert isinstance(columns, list)
    assert [column["bound"] for column in columns] == [False, False, False, True]
    router = next(row for row in table.rows if row.strategy == "router").cells[0]
    assert router is not None
    assert router.apart.startswith("−0.250 [")
    other = next(row for row in table.rows if row.strategy == "several").cells[0]
    assert other is not None
    assert other.apart == ""
    assert "To the oracle: −0.250" in other.detail

    means, costs = (intervals(SCORES, key) for key in (QUALITY, "calls"))
    bars = mean_bars(means, QUALITY, {}, BEST.mean(QUALITY))
    assert bars.layout.yaxis.ticktext[-1] == f"↑ · {ORACLE}"
    assert len(mean_bars(means, QUALITY, {}).data[0].x) == len(means)
    chart = pareto_chart(means, costs, (QUALITY, "calls"), {}, BEST)
    line, *dots = chart.data
    assert max(line.y) == 0.5  # the line of what can be had does not know of it
    assert max(dot.y[0] for dot in dots) == 0.75

    text = summary_csv(Results(evaluation()[0], Outcomes(), SCORES, {}, BEST), "plain").splitlines()
    assert text[0].endswith("verdict,to oracle,to oracle low,to oracle high")
    assert len({line.count(",") for line in text if '"' not in line}) == 1
    assert any(line.startswith('"Oracle, chosen afterwards",accuracy,4,0.75') for line in text)
