"""The page Evaluate: its form, and an evaluation from its beginning in the form to its end."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.evaluation import runner
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import read_folder
from core.evaluation.runner import evaluations_of
from core.runs.workbench import Workbench
from tests.app.drawings import BETWEEN
from tests.app.opening import (
    click,
    drawings,
    drawn,
    has,
    keys,
    links,
    opened,
    value,
)
from tests.app.pages import forecast
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/evaluate.py"
LABEL = "Words <img src=x onerror=alert(1)> ![p](http://attacker.example/p.png) :red[x]"


def rows(page: AppTest) -> list[str]:
    """Keys of the rows of the form."""
    chosen = [str(one.key) for one in page.selectbox]
    return [
        key.removesuffix("strategy") for key in chosen if re.fullmatch(r"evaluation-row-\d+-strategy", key)
    ]


def name(page: AppTest, row: str, label: str) -> None:
    """Open the settings of a row, and write its name in tables."""
    page.session_state[f"{row}settings"] = True
    page.run()
    page.text_input(key=f"{row}label").set_value(label).run()


def test_plain_retrieval_and_two_strategies_stand_in_the_form_at_first(bench: Workbench) -> None:
    page = opened(PAGE, "me")
    chosen = [page.selectbox(key=f"{row}strategy").value for row in rows(page)]
    assert chosen == ["plain", "multi-query", "rag-fusion"]


def test_the_form_says_what_it_will_take(bench: Workbench) -> None:
    page = opened(PAGE, "me")
    page.selectbox(key="evaluation-lineup").set_value("Dense, keyword, hybrid").run()
    assert "60 runs, no model call" in forecast(page)  # a sample of 20 questions, three searches
    assert has(
        page, "With 20 questions, only a difference of about **18 points of recall** or more can be told"
    )
    page.segmented_control(key="evaluation-judge").set_value("Answers too").run()
    page.number_input(key="evaluation-count-demo_world").set_value(8).run()
    name(page, rows(page)[1], LABEL)
    drawn(page)
    assert "Forecast: 24 runs, 24 model calls" in forecast(page)
    assert LABEL in page.selectbox(key="evaluation-baseline-3").options
    page.toggle(key="evaluation-closed-demo_world").set_value(True).run()
    assert "Forecast: 32 runs, 32 model calls" in forecast(page)  # and closed book


def test_what_cannot_be_evaluated_is_said_before_it_begins(bench: Workbench) -> None:
    page = opened(PAGE, "me")
    page.selectbox(key=f"{rows(page)[0]}strategy").set_value("closed-book").run()
    assert has(page, "Closed book retrieves nothing")
    assert page.button(key="evaluation-start").disabled
    page.selectbox(key="evaluation-lineup").set_value("Multi-hop: take the question apart").run()
    assert len(rows(drawn(page))) == 4
    first, *others = rows(page)
    click(page, f"{first}remove")
    assert rows(page) == others
    click(page, "evaluation-add")
    assert rows(page)[:3] == others
    assert len(rows(page)) == 4
    assert not page.button(key="evaluation-start").disabled
    assert not page.warning


def test_rows_end_where_there_must_be_two_or_there_are_eight(bench: Workbench) -> None:
    page = opened(PAGE, "me")
    click(page, f"{rows(page)[0]}remove")
    assert len(rows(page)) == 2
    assert not [key for key in keys(page) if key.endswith("-remove")]
    for _ in range(6):
        click(page, "evaluation-add")
    assert len(rows(page)) == 8
    assert page.button(key="evaluation-add").disabled


def test_two_settings_of_one_name_cannot_be_told_apart(bench: Workbench) -> None:
    page = opened(PAGE, "me")
    for row in rows(page)[:2]:
        name(page, row, "The same")
    assert page.button(key="evaluation-start").disabled
    assert page.warning
    assert "The same" in page.warning[0].value


def test_an_evaluation_is_run_paused_gone_on_with_and_compared(
    ready: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dataset = replace(read_folder(small_data_set(tmp_path / "small", 6)), name="Small")
    data = data_sets_of(ready).store.add(dataset, "runner")
    page = opened(PAGE, "runner")
    page.selectbox(key="evaluation-data").set_value(data).run()
    page.selectbox(key="evaluation-lineup").set_value("Dense, keyword, hybrid").run()
    page.segmented_control(key="evaluation-judge").set_value("Answers too").run()
    name(page, rows(page)[1], LABEL)
    assert "Forecast: 24 runs, 24 model calls" in forecast(page)

    # Fast at first, so that there is something to see; then one by one, so slow that it is paused before it is over.
    monkeypatch.setattr(runner, "AT_ONCE", 1)
    scripted.script(Rule(times=9), Rule(delay=2.0))
    click(page, "evaluation-start")
    evaluations = evaluations_of(ready)
    (job,) = evaluations.running()
    while not (job.done or (job.pairs_done >= 8 and has(page, "### Interim differences"))):
        time.sleep(BETWEEN)
        page.run()  # what is found so far is not counted again with every redraw
    drawn(page)
    key = value(page, "evaluation")
    assert key == job.id
    assert LABEL in [column["name"] for column in drawings(page, "groups")[0]["columns"]]
    click(page, "evaluation-pause")
    paused = job.result(60)
    assert paused.state == "paused"
    done = len(evaluations.store.outcomes(key).done)
    page.run()
    left = 24 - done
    assert page.button(key="evaluation-continue").label == f"Continue: {left} runs left"

    # One question is refused; what was done is not asked again.
    monkeypatch.undo()
    refused = re.escape(dataset.questions[-1].text)
    scripted.script(Rule(skill="answer", told={"question": refused}, status=400, reply=f"No. {LABEL}"))
    finish(page, ready, key)
    assert page.button(key="evaluation-continue").label == "Try the 3 failed again"
    assert [one for one in page.expander if "3 failed: no metric counts them" in one.label]
    scripted.script()
    finish(page, ready, key)
    assert "evaluation-continue" not in keys(page)
    assert len(evaluations.store.outcomes(key).done) == 24
    assert has(page, "of the questions correctly")
    assert has(page, "Closed book answers without documents")

    # A tile leads to the stored runs, and to Compare with everything filled in.
    metric = page.selectbox(key=f"metric-{key}").value
    points = [{"customdata": [dataset.questions[0].id, LABEL]}]
    page.session_state[f"tiles-{key}-{metric}"] = {"selection": {"points": points}}
    page.run()
    assert sum("runs?run=" in link for link in links(page)) == 4
    assert has(page, "★")
    click(page, "to-compare-tile")
    assert page.text_area(key="question").value == dataset.questions[0].text
    assert (
        len([one for one in page.selectbox if re.search(r"compare-column-\d+-strategy", str(one.key))]) == 4
    )
    click(page, "compare-ask")
    for run in ready.comparisons.get(value(page, "comparison")).runs:
        found = ready.launcher.job(run)
        assert found is not None
        found.result(60)
    page.run()
    shown = drawings(page, "columns")[0]["columns"]
    assert any("of evidence" in column["outcome"]["evidence"] for column in shown)


def finish(page: AppTest, bench: Workbench, key: str) -> None:
    """Go on, to the end."""
    page.button(key="evaluation-continue").click().run()
    job = evaluations_of(bench).job(key)
    assert job is not None
    assert job.result(60).state == "finished"
    drawn(page.run())
