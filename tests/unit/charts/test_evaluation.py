"""An evaluation as tables and charts: differences lead, nothing by colour alone, foreign text stays text."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from core.charts.evaluation_charts import (
    difference_chart,
    mean_bars,
    pareto_chart,
    pareto_front,
    type_bars,
)
from core.charts.evaluation_grid import STAGE_LOOKS, failure_chart, failures, gold_kept, heat_map
from core.charts.evaluation_table import EvaluationTable, evaluation_table, looks, number
from core.errors import InputError
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import STAGES, PairStage
from core.evaluation.measures import Scores
from core.evaluation.results import scores
from core.evaluation.statistics import Interval, compare, differences, intervals
from core.strategies import strategies
from tests.examples.evaluations import BASE, GOOD, SAME, evaluation, with_budgets

HOSTILE = "<img src=x onerror=alert(1)>%{x}"
COUNT = 20
SCORES: Scores = {
    "Plain": {f"q{i}": {"R@5": 0.0 if i < 10 else 1.0, "calls": 1.0} for i in range(COUNT)},
    "HyDE": {f"q{i}": {"R@5": 0.0 if i < 11 else 1.0, "calls": 2.0} for i in range(COUNT)},
    "IRCoT": {f"q{i}": {"R@5": 1.0, "calls": 6.0} for i in range(COUNT)},
    HOSTILE: {"q0": {"R@5": 1.0}},
}
LOOK = looks({"Plain": "plain", "HyDE": "hyde", "IRCoT": "ircot", HOSTILE: "unknown"})


def cell(table: EvaluationTable, strategy: str, metric: str) -> Any:
    place = [one.key for one in table.metrics].index(metric)
    return next(row for row in table.rows if row.strategy == strategy).cells[place]


def test_the_table_leads_with_differences() -> None:
    table = evaluation_table(SCORES, "Plain")
    assert [one.key for one in table.metrics] == ["R@5", "calls"]
    # The baseline, then by gain on the first metric.
    assert [row.strategy for row in table.rows] == ["Plain", HOSTILE, "IRCoT", "HyDE"]
    better = cell(table, "IRCoT", "R@5")
    assert (better.difference, better.mean, better.verdict, better.mark) == ("+0.500", "1.000", "better", "▲")
    assert better.interval.startswith("[+0.")
    assert "20 questions: higher than Plain on 10, lower on 0, the same on 10" in better.detail
    unclear = cell(table, "HyDE", "R@5")
    assert (unclear.difference, unclear.verdict) == ("−0.050", "no significant difference")
    assert cell(table, "HyDE", "calls").verdict == "worse"  # more of them
    base = cell(table, "Plain", "R@5")
    assert (base.difference, base.verdict, base.mean) == ("", None, "0.500")
    assert cell(table, HOSTILE, "calls") is None
    assert table.reading == (
        "Recall@5 against Plain, 3 compared: 1 is better; for 2 there is no significant difference."
    )


def test_evidence_stands_first_with_the_number_of_plain_retrieval_beside_it() -> None:
    made, outcomes = evaluation()
    found = scores(made, with_budgets(outcomes))
    for baseline in (BASE, GOOD):  # it is compared with plain retrieval whatever the baseline is
        table = evaluation_table(found, baseline)
        data: Any = table.data(looks({one.label: one.strategy for one in made.spec.settings}))
        first = data["groups"][0]
        assert first["title"] == "Gold documents found"
        assert [row["title"] for row in first["rows"]][:3] == [
            "Gold documents beyond plain", "Gold documents given", "Passages given",
        ]  # fmt: skip
        good = cell(table, GOOD, "evidence_beyond")
        assert (good.difference, good.mark, good.mean) == ("+0.750", "▲", "1.000, plain 0.250")
        assert "higher than plain retrieval with as many passages on 30" in good.detail
        assert cell(table, SAME, "evidence_beyond").mark == "≈"
        assert cell(table, BASE, "evidence_beyond") is None  # plain retrieval itself
    assert cell(evaluation_table(found, BASE), GOOD, "passages_given").mean == "8.00"
    figure = difference_chart(compare(found, BASE, "evidence_beyond"), LOOK)
    assert figure.layout.xaxis.title.text == "Gold documents beyond plain"
    assert heat_map(found, "evidence_beyond", {}, LOOK).data[0].marker.cmin == -1


def test_the_table_says_where_a_difference_is_over_fewer_questions_than_a_mean() -> None:
    base = {f"q{i}": {"R@5": 0.0} for i in range(4)}
    fewer = {name: {"R@5": 1.0} for name in ("q0", "q1")}
    assert evaluation_table({"base": base, "fewer": fewer}, "base").shared
    assert not evaluation_table({"base": base, "same": base}, "base").shared


def test_an_interval_that_seems_to_contradict_its_verdict_is_explained() -> None:
    base = {f"q{i}": {"R@5": 0.0} for i in range(20)}
    wins: Scores = {str(name): {f"q{i}": {"R@5": float(i < 7)} for i in range(20)} for name in range(4)}
    found = cell(evaluation_table({"base": base, **wins}, "base"), "0", "R@5")
    assert found.verdict == "no significant difference"
    assert "p = 0.062" in found.detail
    assert found.detail.endswith("among several comparisons one such is likely by chance.")
    few = evaluation_table({"base": {"q": {"R@5": 0.0}}, "new": {"q": {"R@5": 1.0}}}, "base")
    assert cell(few, "new", "R@5").detail.endswith("on so few questions that may be chance.")


def test_where_less_is_better_the_least_is_first() -> None:
    table = evaluation_table(SCORES, "IRCoT", ["calls"])
    assert [row.strategy for row in table.rows] == ["IRCoT", "Plain", "HyDE", HOSTILE]
    assert table.reading == "Model calls against IRCoT, 2 compared: 2 are better."


def test_the_order_of_the_columns_does_not_hang_on_the_metrics_that_are_shown() -> None:
    both = {
        "base": {"q": {"R@5": 0.5, "R@10": 0.5}},
        "b": {"q": {"R@5": 1.0, "R@10": 0.6}},
        "c": {"q": {"R@5": 0.6, "R@10": 1.0}},
    }
    for keys in ((), ("R@10", "R@5"), ("R@5", "R@10")):
        assert [row.strategy for row in evaluation_table(both, "base", keys).rows] == ["base", "c", "b"]


def test_letters_of_marks_that_lie_together_stand_on_different_sides() -> None:
    means = {name: Interval(mean, mean, mean, 9) for name, mean in (("a", 0.5), ("b", 0.51), ("c", 0.9))}
    figure = pareto_chart(means, dict.fromkeys(means, Interval(0, 0, 0, 9)), ("R@5", "calls"), {})
    marks = figure.data[1:]
    assert [one.textposition for one in marks] == ["middle right", "middle left", "middle right"]
    assert not any(one.cliponaxis for one in marks)  # at no cost they lie on the axis


def test_a_table_of_nothing() -> None:
    table = evaluation_table({"Plain": {}}, "Plain")
    assert (table.metrics, table.reading, [row.cells for row in table.rows]) == ((), "", [()])
    with pytest.raises(InputError, match="baseline"):
        evaluation_table(SCORES, "old", ["R@5"])


def test_numbers() -> None:
    assert number("R@5", 0.12345) == "0.123"
    assert number("R@5", -0.1, signed=True) == "−0.100"
    assert number("tokens", 12345.6) == "12,346"
    assert number("seconds", 1.5) == "1.50 s"


def test_looks() -> None:
    found = looks({"a": "plain", "b": "plain", "c": "gone"})
    assert [one.pattern for one in found.values()] == ["", "/", ""]
    assert found["a"].colour == found["b"].colour == strategies()["plain"].colour
    assert len({one.mark for one in found.values()}) == len({one.symbol for one in found.values()}) == 3


def test_failures_as_rows() -> None:
    questions = [LabelledQuestion(id_, f"{id_}?", "t", (), {}) for id_ in ("q1", "q2")]
    lost, fine = PairStage("given but not used", 2, 2, 1, 0), PairStage("right", 1, 1, 1, 1)
    crashed = PairStage("run failed", 0, 0, 0, 0)
    rows = failures({"Plain": {"q1": fine, "q2": lost}, "HyDE": {"q2": crashed, "gone": lost}}, questions)
    assert rows == [(questions[1], "Plain", lost), (questions[1], "HyDE", crashed)]
    assert gold_kept(lost) == "Of 2 gold: 2 retrieved, 1 given, 0 cited."
    assert gold_kept(crashed) == ""


@pytest.mark.parametrize(
    ("points", "front"),
    [
        ({"a": (1, 0.5), "b": (2, 0.4), "c": (3, 0.9), "d": (3, 0.8)}, ("a", "c")),
        ({"a": (1, 0.5), "b": (1, 0.5)}, ("a", "b")),
        ({"a": (1, 0.5), "b": (2, 0.5)}, ("a",)),
        ({}, ()),
    ],
)
def test_pareto_front(points: dict[str, tuple[float, float]], front: tuple[str, ...]) -> None:
    assert pareto_front(points) == front


def test_the_difference_chart_says_the_verdict() -> None:
    figure = difference_chart(differences(SCORES, "Plain", "R@5"), LOOK)
    hyde, ircot, _ = figure.data
    assert hyde.text == ("≈ no significant difference",)
    assert hyde.marker.symbol.endswith("-open")
    assert ircot.text == ("<b>▲ better</b>",)
    assert ircot.marker.color == strategies()["ircot"].colour
    assert ircot.error_x.array[0] > 0
    assert figure.layout.xaxis.title.text == "Recall@5: difference to A"
    assert figure.layout.yaxis.ticktext[0] == "B · HyDE"


def test_bars_have_intervals_and_numbers() -> None:
    found = intervals(SCORES, "R@5")
    bars = mean_bars(found, "R@5", LOOK).data[0]
    assert bars.x == tuple(one.mean for one in found.values())
    assert bars.text[0] == "<b>0.500</b>"
    assert bars.error_x.array[0] == pytest.approx(found["Plain"].high - found["Plain"].mean)


def test_quality_against_cost() -> None:
    figure = pareto_chart(intervals(SCORES, "R@5"), intervals(SCORES, "calls"), ("R@5", "calls"), LOOK)
    front, plain, hyde, ircot = figure.data  # what has no cost is left out
    assert (front.x, front.y) == ((1, 6), (0.5, 1))
    assert (plain.marker.symbol, hyde.marker.symbol) == ("circle", "square-open")
    assert ircot.text == ("<b>C</b>",)
    assert figure.layout.xaxis.title.text == "Model calls per question, mean"
    few = {
        "Plain": Interval(0.2, 0.1, 0.3, 9),
        "IRCoT": Interval(0.1, 0, 0.2, 9),
        "HyDE": Interval(0.4, 0, 1, 9),
    }
    figure = pareto_chart(few, intervals(SCORES, "calls"), ("hallucination", "calls"), LOOK)
    assert figure.data[0].y == (0.2, 0.1)  # less is better


def test_types_of_questions() -> None:
    types = {f"q{i}": "bridge" if i < 10 else HOSTILE for i in range(COUNT)}
    figure = type_bars(SCORES, "R@5", types, LOOK)
    plain = figure.data[0]
    assert (plain.x, plain.y) == ((0, 1), (0, 1))  # a row per type
    assert figure.layout.yaxis.ticktext[0] == "bridge<br>(10 questions)"
    assert figure.data[3].y == (0,)
    assert plain.error_x.array[0] == 0
    assert isnan(figure.data[3].error_x.array[0])  # one question has no interval


def test_tiles_are_ordered_and_can_be_clicked() -> None:
    figure = heat_map(SCORES, "R@5", {"q0": HOSTILE}, LOOK)
    tiles = figure.data[0]
    assert len(tiles.x) == 3 * COUNT + 1
    last = max(range(len(tiles.x)), key=lambda one: tiles.x[one])
    assert tiles.customdata[0][0] == "q1"  # harder than q0, which one more strategy finds
    assert tiles.marker.color[last] == 1
    assert (tiles.text[0], tiles.text[last]) == ("0", "1")
    assert {tuple(one) for one in tiles.customdata} == {
        (id_, name) for name, found in SCORES.items() for id_ in found
    }
    assert heat_map({}, "R@5", {}, {}).data[0].x == ()


def test_stages_have_a_colour_and_a_pattern_each() -> None:
    assert set(STAGE_LOOKS) == set(STAGES)
    assert len(set(STAGE_LOOKS.values())) == len(STAGES)
    outcomes = {"Plain": {"a": PairStage("right", 1, 1, 1, 1), "b": PairStage("used but wrong", 1, 1, 1, 1)}}
    wrong, right = failure_chart(outcomes, LOOK).data
    assert (wrong.name, wrong.x, wrong.marker.pattern.shape) == ("Used but wrong", (1,), "-")
    assert (right.name, right.customdata[0]) == ("Right", ["Plain", "right"])


def test_foreign_text_stays_text() -> None:
    found = intervals(SCORES, "R@5")
    outcomes = {HOSTILE: {"q0": PairStage("right", 1, 1, 1, 1)}}
    types = {f"q{i}": HOSTILE for i in range(COUNT)}
    for figure in (
        difference_chart(differences(SCORES, HOSTILE, "R@5"), LOOK),
        difference_chart(differences(SCORES, "Plain", "R@5"), LOOK),
        mean_bars(found, "R@5", LOOK),
        pareto_chart(found, dict.fromkeys(found, Interval(1, 1, 1, 1)), ("R@5", "calls"), LOOK),
        type_bars(SCORES, "R@5", types, LOOK),
        heat_map(SCORES, "R@5", dict.fromkeys(types, HOSTILE), LOOK),
        failure_chart(outcomes, LOOK),
    ):
        for trace in figure.data:
            for shown in (trace.name, *(trace.hovertext or ()), *(trace.text or ())):
                assert "<img" not in (shown or "")
                assert "%{x}" not in (shown or "")
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            assert "<img" not in "".join((axis.title.text or "", *(axis.ticktext or ())))
