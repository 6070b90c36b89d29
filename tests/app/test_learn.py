"""The worked example of a lesson, run and stopped."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.runs.gallery import DEMO_GRAPH
from core.runs.record import record
from core.runs.workbench import Workbench
from core.strategies.lessons import examples
from core.ui.learn.worked_example import StartedRun
from tests.app.opening import click, drawn, has, keys, links, opened
from tests.app.pages import said
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/learn.py"


def shown(page: AppTest, strategy: str = "rag-fusion") -> StartedRun:
    """What runs, or ran, on the page."""
    found: StartedRun = page.session_state[f"example-{strategy}"]
    return found


def with_a_model(page: AppTest) -> AppTest:
    """With the questions that were tried with a model, which is asked when they are run."""
    return drawn(page.segmented_control(key="example-who").set_value(1).run())


def ended(page: AppTest, bench: Workbench, strategy: str = "rag-fusion") -> AppTest:
    job = bench.launcher.job(shown(page, strategy).run)
    assert job is not None
    job.result(60)
    search = shown(page, strategy).search
    assert search is not None
    search.result(60)
    return drawn(page.run())


def test_a_worked_example_is_run_and_its_evidence_marked(ready: Workbench, scripted: ScriptedServer) -> None:
    found = examples("rag-fusion")[-1]
    assert found.helps is not None
    asked = next(
        one
        for one in ready.corpora.catalogue.corpus(DEMO_CORPUS).questions
        if one.text == found.helps.question
    )
    searched = json.dumps({"queries": [one.quote for one in asked.evidence]})
    scripted.script(Rule(skill="search_queries", reply=searched))
    page = with_a_model(opened(PAGE, lesson="rag-fusion"))
    assert "your run may come out differently" in said(page)
    ended(click(page, "run-helps"), ready)
    assert "Done in" in said(page)
    marks = [one.value for one in page.markdown if "-badge[" in one.value and "Plain retrieval" in one.value]
    assert marks
    assert not [mark for mark in marks if "…]" in mark]
    assert any("green-badge[✓ RAG-Fusion]" in mark.replace("\\", "").replace("\u2060", "") for mark in marks)
    assert not page.button(key="run-helps").disabled
    assert any(f"run={shown(page).run}" in link for link in links(page))


def test_a_worked_example_is_played_from_the_recording_that_it_was_observed_with(ready: Workbench) -> None:
    page = opened(PAGE, lesson="rag-fusion")
    assert "recorded" in page.segmented_control(key="example-who").options[0]
    assert "your run may" not in said(page)
    ended(click(page, "run-helps"), ready)
    name = examples("rag-fusion")[0].recording
    run = record(ready.store.events(shown(page).run))
    assert run.state == "finished"
    assert {call.recorded for call in run.calls} == {name}


@pytest.mark.parametrize("strategy", ["kg-rag", "agentic"])
def test_a_worked_example_explores_the_demo_graph(ready: Workbench, strategy: str) -> None:
    page = with_a_model(opened(PAGE, lesson=strategy))
    assert "The question is there to show" in said(page)
    ended(click(page, "run-fails"), ready, strategy)
    assert "Done in" in said(page)
    started = ready.store.started(shown(page, strategy).run)
    assert started is not None
    assert started.graph == DEMO_GRAPH


def test_a_worked_example_is_stopped(ready: Workbench, scripted: ScriptedServer) -> None:
    page = with_a_model(opened(PAGE, lesson="rag-fusion"))
    scripted.script(Rule(delay=120))
    click(page, "run-fails")
    assert page.button(key="run-helps").disabled
    ended(click(page, "stop-example"), ready)
    assert has(page, "This run was stopped") or any(
        "This run was stopped" in str(one.proto.title) for one in page.warning
    )
    assert "stop-example" not in keys(page)
    assert not page.button(key="run-fails").disabled
    assert page.query_params["lesson"] in ("rag-fusion", ["rag-fusion"])


def test_a_lesson_leads_to_the_playground(bench: Workbench) -> None:
    page = click(opened(PAGE, lesson="rag-fusion"), "try")
    assert page.session_state["strategy"] == "rag-fusion"
    assert page.button(key="ask")
