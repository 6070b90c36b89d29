"""The table of what a recording holds: questions, strategies, and what came of each run."""

from __future__ import annotations

from core.cards.starters import recorded_grid
from core.strategies import strategies
from tests.unit.models.recordings.samples import run

USUAL = strategies()["plain"].params().k
RUNS = (
    run("Where?", params={}, calls=1, verdict="wrong"),
    run("Who?", params={"k": 10}, calls=1, verdict="wrong"),
    run("Who?", params={"k": USUAL}, calls=1, verdict="right"),
    run("Who?", strategy="hyde", params={}, calls=2, verdict="refusal"),
    run("When?", strategy="hyde", params={}),
    run("Who?", strategy="of another version", params={}),
    run("", strategy="graph", params={}),
)


def test_questions_that_went_through_every_strategy_stand_first_and_others_as_they_are_offered() -> None:
    grid = recorded_grid(RUNS, ["When?", "Where?", "Who?"])
    assert [(row.question, row.whole) for row in grid.rows] == [
        ("Who?", True),
        ("When?", False),
        ("Where?", False),
    ]
    assert grid.columns == ("plain", "hyde")


def test_a_cell_is_the_run_with_the_usual_settings() -> None:
    grid = recorded_grid(RUNS)
    assert grid.run(0, "plain") == RUNS[2]
    assert grid.run(0, "ircot") is None
    assert grid.run(9, "plain") is None


def test_a_cell_is_the_run_that_searched_as_most_runs_of_its_strategy_did() -> None:
    hybrid, dense, other = (
        run("Who?", retriever="hybrid", verdict="wrong"),
        run("Who?", retriever="dense", verdict="refusal"),
        run("Why?", retriever="dense"),
    )
    assert recorded_grid([hybrid, dense, other]).rows[0].runs == {"plain": dense}
    assert recorded_grid([hybrid]).rows[0].runs == {"plain": hybrid}


def test_signs_have_words_and_nothing_is_said_by_colour_alone() -> None:
    data = recorded_grid(RUNS, ["When?"]).data()
    assert data["rows"][0]["cells"] == [
        {"sign": "✓", "tone": "right", "label": "Plain retrieval: right, 1 model call"},
        {"sign": "–", "tone": "refusal", "label": "HyDE: no answer, 2 model calls"},
    ]
    assert data["rows"][1]["cells"] == [None, {"sign": "•", "tone": "none", "label": "HyDE: recorded"}]
    assert [one["sign"] for one in data["legend"]] == ["✓", "✗", "–", "•"]
