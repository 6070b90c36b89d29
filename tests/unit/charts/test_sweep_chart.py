"""A sweep as a chart and in sentences: the default is marked, nothing is claimed that may be chance."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from core.charts.evaluation_findings import judged_apart
from core.charts.evaluation_table import evaluation_table
from core.charts.sweep_chart import is_scale, sweep_chart
from core.evaluation.measures import Scores
from core.evaluation.plan import Evaluation, Outcomes, Result, Setting, Spec, Sweep, Value
from core.evaluation.statistics import differences, intervals
from core.evaluation.sweep_results import sweep_facts, sweep_sentences
from core.evaluation.sweeps import label_of, parameter_of
from core.strategies import get_strategy

COUNT = 20
KEY = "nDCG@10"


def swept(key: str, *values: Value) -> Evaluation:
    default = parameter_of(get_strategy("rag-fusion"), key, 240).default
    labels = [label_of(key, value) for value in values]
    spec = Spec(
        dataset="d",
        dataset_key="k",
        corpus="c",
        corpus_id="i",
        corpus_version=1,
        settings=tuple(Setting(label=label, strategy="rag-fusion") for label in labels),
        baseline=label_of(key, default),
        sweep=Sweep(parameter=key, values=values, default=default),
    )
    return Evaluation("e", "me", datetime.now(UTC), spec, (), "finished")


def scores(evaluation: Evaluation, **right: int) -> Scores:
    """Of so many questions each value has 1, of the others 0; values by their words."""
    return {
        one.label: {
            f"q{i}": {KEY: float(i < right[f"v{one.label.rpartition(' ')[2]}"]), "calls": 1.0}
            for i in range(COUNT)
        }
        for one in evaluation.spec.settings
    }


def drawn(evaluation: Evaluation, judged: Scores) -> Any:
    spec = evaluation.spec
    assert spec.sweep
    against = differences(judged, spec.baseline, KEY)
    return sweep_chart(spec.sweep, spec.settings, KEY, intervals(judged, KEY), against, spec.baseline)


def test_numbers_are_a_line_with_its_band_and_the_default_marked() -> None:
    evaluation = swept("rrf_k", 1, 60, 1000)
    figure = drawn(evaluation, scores(evaluation, v1=10, v60=10, v1000=20))
    high, low, line = figure.data
    assert line.x == (1, 60, 1000)
    assert line.y == (0.5, 0.5, 1)
    assert all(under <= mean <= over for under, mean, over in zip(low.y, line.y, high.y, strict=True))
    assert low.fill == "tonexty"
    assert line.marker.symbol == ("circle-open", "diamond", "circle")  # filled: it differs from the default
    assert line.text == ("≈", "", "▲")
    assert line.hovertext[2].startswith("<b>RRF constant k: 1000</b><br>nDCG@10: 1.000, 95 % interval")
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.ticktext == ("1", "60", "1000")
    assert (figure.layout.xaxis.title.text, figure.layout.annotations[0].text) == (
        "RRF constant k",
        "default",
    )
    assert figure.layout.yaxis.title.text == "nDCG@10, mean of the questions"


def test_next_to_nothing_is_not_blown_up() -> None:
    evaluation = swept("n", 1, 4)
    figure = drawn(evaluation, scores(evaluation, v1=20, v4=20))
    low, high = figure.layout.yaxis.range
    assert high - low >= 0.1
    assert figure.layout.xaxis.type == "linear"


@pytest.mark.parametrize(
    ("values", "scale"), [((1, 2.5), True), ((True, False), False), (("dense", "hybrid"), False)]
)
def test_only_over_numbers_a_line_says_something(values: tuple[Value, ...], scale: bool) -> None:
    assert is_scale(Sweep(parameter="x", values=values, default=values[0])) == scale


def test_columns_of_the_table_stay_in_the_order_of_the_values() -> None:
    evaluation = swept("rrf_k", 1, 60, 1000)
    judged = scores(evaluation, v1=10, v60=10, v1000=20)
    table = evaluation_table(judged, evaluation.spec.baseline, in_order=True)
    assert [row.strategy for row in table.rows] == list(judged)
    assert [row.baseline for row in table.rows] == [False, True, False]


def test_the_sentences_say_the_default_what_was_recomputed_and_where_every_ranking_is_the_same() -> None:
    evaluation = swept("n", 1, 4)
    one = Result(ranking=("a",), recomputed=True)
    same = Outcomes({(0, "q"): one, (1, "q"): Result(ranking=("a",))})
    said = " ".join(sweep_sentences(evaluation, same))
    assert said.startswith(
        "The default of Queries is 4. Recomputed from stored runs, without a model call: n = 1. "
        "Their calls, tokens and seconds are those of the stored runs. Every value gives the same ranking"
    )
    assert "Asked for fewer, a model might write others" in said
    assert said in judged_apart(evaluation, same, "n = 4")
    facts = sweep_facts(evaluation, same)
    assert facts
    assert (facts["values"], facts["recomputed"], facts["same_rankings"]) == (
        {"n = 1": 1, "n = 4": 4},
        ["n = 1"],
        True,
    )
    other = Outcomes({(0, "q"): Result(ranking=("b",)), (1, "q"): Result(ranking=("a",))})
    assert "Recomputed" not in " ".join(sweep_sentences(evaluation, other))
    assert "same ranking" not in " ".join(sweep_sentences(evaluation, other))
