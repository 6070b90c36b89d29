"""A sweep as table, sentence and chart: the default is marked, nothing is claimed that may be chance."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from core.charts.sweep_chart import sweep_chart
from core.charts.sweep_table import sweep_table, sweep_view
from core.evaluation.measures import Scores
from core.evaluation.plan import Evaluation, Outcomes, Result, Setting, Spec, Sweep, Value
from core.evaluation.sweep_results import SweepResult
from core.evaluation.sweeps import Parameter, label_of, parameters
from core.strategies import get_strategy

COUNT = 20
HOSTILE = "<img src=x onerror=alert(1)>%{x}"


def swept(key: str, *values: Value, recomputed: frozenset[str] = frozenset()) -> SweepResult:
    parameter = parameters(get_strategy("rag-fusion"), 240)[key]
    return read(parameter, values, recomputed)


def read(parameter: Parameter, values: tuple[Value, ...], recomputed: frozenset[str]) -> SweepResult:
    labels = [label_of(parameter.key, value) for value in values]
    default = label_of(parameter.key, parameter.default)
    spec = Spec(
        dataset="d",
        dataset_key="k",
        corpus="c",
        corpus_id="i",
        corpus_version=1,
        settings=tuple(Setting(label=label, strategy="rag-fusion") for label in labels),
        sweep=Sweep(parameter=parameter.key, values=values),
    )
    evaluation = Evaluation("e", "me", datetime.now(UTC), spec, (), "finished")
    return SweepResult(
        parameter,
        dict(zip(labels, values, strict=True)),
        default if default in labels else labels[0],
        evaluation,
        Outcomes(),
        recomputed,
    )


def scores(found: SweepResult, **right: int) -> Scores:
    """Of so many questions each value has 1, of the others 0; values by their words."""
    return {
        label: {
            f"q{i}": {"nDCG@10": float(i < right[f"v{label.rpartition(' ')[2]}"]), "calls": 1.0}
            for i in range(COUNT)
        }
        for label in found.values
    }


def test_rows_in_the_order_of_the_values_and_costs_beside_them() -> None:
    found = swept("rrf_k", 1, 60, 1000, recomputed=frozenset({"rrf_k = 1", "rrf_k = 1000"}))
    judged = scores(found, v1=10, v60=10, v1000=20)
    table = sweep_table(found, sweep_view(found, judged, "nDCG@10"), judged)
    assert table["RRF constant k"] == ["1 ↻", "60 (default)", "1000 ↻"]
    low, base, high = table["Difference to the default"]
    assert (low, base) == ("0.000 (0.000 to 0.000)", "")
    assert high.startswith("+0.500 (+0.")
    assert table["Verdict"] == ["≈ no significant difference", "compared with this", "▲ better"]
    assert table["nDCG@10"][1].startswith("0.500 (0.")
    assert table["Model calls"] == ["1.00"] * 3


@pytest.mark.parametrize(
    ("right", "sentence"),
    [
        (
            {"v1": 10, "v60": 10, "v1000": 20},
            "nDCG@10 is highest at 1000: 1.000, +0.500 against the default 60: better. "
            "1 of 2 other values differs significantly from the default 60.",
        ),
        (
            {"v1": 11, "v60": 10, "v1000": 9},
            "nDCG@10 is highest at 1: 0.550, +0.050 against the default 60: no significant difference.",
        ),
        (
            {"v1": 9, "v60": 10, "v1000": 10},
            "nDCG@10 is highest at the default 60: 0.500. No value differs significantly from the default 60.",
        ),
    ],
)
def test_the_sentence_says_what_it_comes_to(right: dict[str, int], sentence: str) -> None:
    found = swept("rrf_k", 1, 60, 1000)
    assert sweep_view(found, scores(found, **right), "nDCG@10").reading == sentence


def test_where_every_ranking_is_the_same_it_says_so() -> None:
    found = swept("rrf_k", 1, 60)
    same = {(place, f"q{i}"): Result(ranking=("a",)) for place in range(2) for i in range(COUNT)}
    found = replace(found, outcomes=Outcomes(same))
    reading = sweep_view(found, scores(found, v1=10, v60=10), "nDCG@10").reading
    assert reading.startswith("Every value gives the same ranking for every question")
    assert sweep_view(found, {label: {} for label in found.values}, "nDCG@10").reading == (
        "No question has a value of nDCG@10."
    )


def test_numbers_are_a_line_with_its_band_and_the_default_marked() -> None:
    found = swept("rrf_k", 1, 60, 1000)
    view = sweep_view(found, scores(found, v1=10, v60=10, v1000=20), "nDCG@10")
    figure = sweep_chart(found, view)
    high, low, line = figure.data
    assert line.x == (1, 60, 1000)
    assert line.y == (0.5, 0.5, 1)
    assert all(under <= mean <= over for under, mean, over in zip(low.y, line.y, high.y, strict=True))
    assert low.fill == "tonexty"
    assert line.marker.symbol == ("circle-open", "diamond", "circle")  # filled: it differs from the default
    assert line.text == ("≈", "", "▲")
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.ticktext == ("1", "60", "1000")
    assert (figure.layout.xaxis.title.text, figure.layout.annotations[0].text) == (
        "RRF constant k",
        "default",
    )
    assert figure.layout.yaxis.title.text == "nDCG@10, mean of the questions"
    difference = sweep_chart(found, view, difference=True)
    assert difference.data[2].y == (0, 0, 0.5)
    assert difference.layout.yaxis.title.text == "nDCG@10, difference"


def test_next_to_nothing_is_not_blown_up() -> None:
    found = swept("n", 1, 4)
    figure = sweep_chart(found, sweep_view(found, scores(found, v1=20, v4=20), "nDCG@10"))
    low, high = figure.layout.yaxis.range
    assert high - low >= 0.1
    assert figure.layout.xaxis.type == "linear"


def test_categories_are_bars_from_zero() -> None:
    found = swept("include_original", True, False)
    figure = sweep_chart(found, sweep_view(found, scores(found, von=12, voff=2), "nDCG@10"))
    bars: Any = figure.data[0]
    assert bars.y == (0.6, 0.1)
    assert bars.text == ("<b>0.600</b> ", "<b>0.100</b> ▼")
    assert bars.error_y.array[0] > 0
    assert figure.layout.xaxis.ticktext == ("on<br>(default)", "off")
    assert figure.layout.yaxis.rangemode == "tozero"


def test_foreign_text_stays_text() -> None:
    parameter = Parameter("x", HOSTILE, "", "a", ("a", HOSTILE), numeric=False)
    found = read(parameter, ("a", HOSTILE), frozenset())
    judged = {label: {"q": {"nDCG@10": 1.0}} for label in found.values}
    for difference in (False, True):
        figure = sweep_chart(found, sweep_view(found, judged, "nDCG@10"), difference=difference)
        shown = [*figure.data[0].hovertext, *figure.data[0].text, *figure.layout.xaxis.ticktext]
        for text in (*shown, figure.layout.xaxis.title.text):
            assert "<img" not in text
            assert "%{x}" not in text
