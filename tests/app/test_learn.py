"""Learn: the path of lessons, the worked example of one, run and stopped, and hand-outs."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.runs.gallery import DEMO_GRAPH
from core.runs.record import record
from core.runs.workbench import Workbench
from core.strategies.lessons import examples, lesson
from core.ui.learn.worked_example import StartedRun
from core.ui.shell import session
from tests import examples as made_runs
from tests.app.opening import TakenHome, click, drawings, drawn, has, keys, links, opened, value
from tests.app.pages import said
from tests.app.test_compare import stored
from tests.scripted import Rule, ScriptedServer
from tests.unit.report import reading

PAGE = "pages/learn.py"


def shown(page: AppTest, strategy: str = "rag-fusion") -> StartedRun:
    """The run that was started on the page."""
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


def test_lessons_are_a_path_on_which_the_browser_keeps_the_ticks(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = "what-is-rag.<script>.evaluation" + ".x" * 500
    monkeypatch.setattr(type(st.context), "cookies", property(lambda _: {session.LESSONS_COOKIE: cookie}))
    page = opened(PAGE)
    assert has(page, "2 of 23 lessons done")
    click(page, "go-on")
    assert value(page, "lesson") == "indexing"
    assert "0 · What is RAG?" in page.button(key="before-top").label.replace("\\", "")
    task = lesson("indexing").exercise
    assert task is not None
    page.radio(key="predict-indexing").set_value(task.right).run()
    click(page, "reveal")
    assert "done" in page.caption[0].value
    click(page, "try-again")
    assert page.radio(key="predict-indexing").value is None
    assert page.button(key="reveal").disabled
    click(page, "after-end")
    assert value(page, "lesson") == "closed-book"
    click(page, "done")
    click(page, "done")  # and not after all
    (kept,) = [data["value"] for data in drawings(page, "name") if data["name"] == session.LESSONS_COOKIE]
    assert kept.split(".")[:3] == ["what-is-rag", "script", "evaluation"]
    assert kept.endswith("x.indexing")
    click(page, "all-lessons")
    assert has(page, "3 of 23 lessons done")
    assert "2 · Closed book" in page.button(key="go-on").label.replace("\\", "")


def test_a_hand_out_holds_the_own_run_and_comparison_that_were_chosen(
    bench: Workbench, taken: TakenHome
) -> None:
    comparison = stored(bench)
    run = comparison.runs[-1]
    page = click(opened("pages/compare.py", comparison=comparison.id), "make-hand-out")
    assert page.multiselect(key="hand-out-comparisons").value == [comparison.id]
    assert has(page, "the passages in full")
    page.multiselect(key="hand-out-lessons").set_value(["hyde", "rag-fusion"])
    page.multiselect(key="hand-out-runs").set_value([run]).run()
    click(page, "hand-out-make")
    page.session_state["hand-out"].result(60)
    drawn(page.run())
    with zipfile.ZipFile(io.BytesIO(taken.data("hand-out-download"))) as archive:
        pages = {name.removeprefix("rag-loupe/"): archive.read(name).decode() for name in archive.namelist()}
    assert list(reading.loose_ends(pages)) == []
    chosen = {"hyde.html", "rag-fusion.html", f"run-{run}.html", f"comparison-{comparison.id}.html"}
    assert set(reading.links(reading.reading(pages["index.html"]))) == chosen
    assert pages.keys() == chosen | {"index.html", "tour-hyde.html", "tour-rag-fusion.html"}
    assert f"run-{run}.html" in pages["rag-fusion.html"]
    assert made_runs.QUESTION in pages[f"run-{run}.html"]
    # With another choice the old file is no longer offered.
    page.multiselect(key="hand-out-lessons").set_value([]).run()
    assert "hand-out-download" not in keys(page, "download_button")


def test_a_hand_out_begins_with_the_run_that_is_open(bench: Workbench) -> None:
    run = stored(bench, owner="another").runs[0]
    page = click(opened("pages/runs.py", run=run), "make-hand-out")
    assert page.multiselect(key="hand-out-runs").value == [run]
    assert not page.button(key="hand-out-make").disabled
    page.multiselect(key="hand-out-runs").set_value([]).run()
    assert page.button(key="hand-out-make").disabled
