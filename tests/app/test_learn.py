"""Learn: the path of lessons, the worked example of one, asked, and hand-outs."""

from __future__ import annotations

import io
import zipfile

import pytest
import streamlit as st

from core.runs.gallery import DEMO_GRAPH
from core.runs.record import record
from core.runs.workbench import Workbench
from core.strategies.lessons import examples, lesson, sections
from core.ui.shell import session
from tests import examples as made_runs
from tests.app.opening import TakenHome, click, drawings, drawn, has, keys, opened, value
from tests.app.pages import said
from tests.app.test_compare import stored
from tests.unit.report import reading

PAGE = "pages/learn.py"


@pytest.mark.parametrize("strategy", ["rag-fusion", "kg-rag"])
def test_a_worked_example_is_asked_in_the_playground(ready: Workbench, strategy: str) -> None:
    found = examples(strategy)[0]
    assert found.helps is not None
    page = opened(PAGE, lesson=strategy)
    assert "recorded" in page.segmented_control(key="example-who").options[0]
    assert "your run may" not in said(page)
    click(page, "ask-helps")
    if strategy == "kg-rag":
        page.session_state["graph-job"][1].result(60)
        drawn(page.run())
    job = ready.launcher.job(value(page, "run"))
    assert job is not None
    job.result(60)
    run = record(ready.store.events(job.run))
    assert run.started is not None
    assert (run.started.question, run.started.strategy) == (found.helps.question, strategy)
    assert run.started.graph == (DEMO_GRAPH if strategy == "kg-rag" else None)
    assert run.state == "finished"


def test_a_worked_example_tried_with_a_model_says_that_it_writes_anew(bench: Workbench) -> None:
    page = opened(PAGE, lesson="agentic")
    drawn(page.segmented_control(key="example-who").set_value(1).run())
    assert "your run may come out differently" in said(page)
    assert "The question is there to show" in said(page)


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
    asked = f"{bench.store.entry(run).created:%Y-%m-%d %H:%M} UTC"
    assert page.multiselect(key="hand-out-runs").options[0].endswith(f" · {asked}")
    assert f"passages lead. {sections.minutes('rag-fusion')} min" in reading.reading(pages["index.html"]).text
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
