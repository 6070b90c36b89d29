"""One parameter at several values on the page Evaluate: run as an evaluation, and recomputed from the runs of one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import read_folder
from core.evaluation.runner import evaluations_of
from core.runs.workbench import Workbench
from core.ui.evaluate.jobs import EVALUATION
from tests.app.opening import (
    TakenHome,
    click,
    drawings,
    drawn,
    has,
    keys,
    opened,
    table,
    value,
)
from tests.app.pages import forecast
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/evaluate.py"
VALUES = "vary-values-rag-fusion-rrf_k"
QUERIES = Rule(
    skill="search_queries",
    reply=json.dumps({"queries": ["director of a film", "nationality", "born in", "1943"]}),
)


def varying(owner: str = "me") -> AppTest:
    """The form, in which one parameter is to be varied."""
    page = opened(PAGE, owner)
    page.segmented_control(key="evaluation-compare").set_value("Values of one parameter")
    return drawn(page.run())


def of_rrf(page: AppTest) -> AppTest:
    """The parameter of which all values are recomputed from one."""
    return page.selectbox(key="vary-parameter-rag-fusion").set_value("rrf_k").run()


def columns(page: AppTest) -> list[str]:
    """The settings in the table of results."""
    (data,) = drawings(page, "columns")
    return [one["name"] for one in data["columns"]]


def asked(server: ScriptedServer) -> int:
    """Calls but for those that find out whether the endpoint is there."""
    return sum("Say OK." not in json.dumps(one["body"]) for one in server.requests)


def test_what_cannot_be_varied_is_said_and_nothing_can_be_started(bench: Workbench) -> None:
    page = of_rrf(varying())
    assert "7 of 8 values are recomputed from stored runs, with no model call." in forecast(page)
    assert not page.button(key="evaluation-start").disabled
    usual = list(page.multiselect(key=VALUES).value)
    page.session_state[VALUES] = [*usual, "5000"]
    page.run()
    assert has(drawn(page), "Parameter 'rrf_k'")
    assert page.button(key="evaluation-start").disabled
    page.session_state[VALUES] = usual[:1]
    page.run()
    assert has(drawn(page), "from 2 to 20 different values")
    page.session_state[VALUES] = usual
    page.run()
    assert not drawn(page).button(key="evaluation-start").disabled


def test_it_begins_with_what_moves_the_evidence(bench: Workbench) -> None:
    assert varying().selectbox(key="vary-parameter-rag-fusion").value == "k"


def test_another_size_of_chunks_says_what_is_indexed(bench: Workbench) -> None:
    page = varying()
    page.selectbox(key="vary-parameter-rag-fusion").set_value("chunk_tokens").run()
    assert "documents of the data set are indexed first, in" in forecast(drawn(page))
    page.selectbox(key="vary-strategy").set_value("plain").run()
    page.selectbox(key="vary-parameter-plain").set_value("retriever").run()
    assert [one.key for one in drawn(page).segmented_control if one.key == "vary-retriever"] == []
    assert "80 runs, no model call" in forecast(page)  # twenty questions, four retrievers


def test_run_look_recompute_and_take_home(
    ready: Workbench,
    taken: TakenHome,
    scripted: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    scripted.script(QUERIES)
    dataset = replace(read_folder(small_data_set(tmp_path / "small")), name="Small sweep")
    data = data_sets_of(ready).store.add(dataset, "sweeper")
    page = varying("sweeper")
    page.selectbox(key="evaluation-data").set_value(data).run()
    click(of_rrf(page), "evaluation-start")
    (job, *_) = evaluations_of(ready)._jobs[-1:]
    assert job.result(60).state == "finished"
    drawn(page.run())
    assert EVALUATION not in page.session_state
    key = value(page, "evaluation")
    assert key == job.id
    assert asked(scripted) == 5  # one call a question, however many values
    assert has(page, "Small sweep: RRF constant k of RAG-Fusion at 1, 3, 10, 30, 60, 100, 300, 1000")
    assert has(page, "Recomputed from stored runs, without a model call: RRF constant k = 1,")
    assert has(page, "The default of RRF constant k is 60.")
    values = [f"RRF constant k = {one}" for one in (1, 3, 10, 30, 60, 100, 300, 1000)]
    assert columns(page) == values
    assert page.selectbox(key=f"baseline-{key}").value == "RRF constant k = 60"
    assert has(page, "### Recall@10 over the values of RRF constant k")
    page.selectbox(key=f"metric-{key}").set_value("nDCG@10").run()
    assert has(drawn(page), "### nDCG@10 over the values of RRF constant k")
    assert len(taken.text("evaluation-csv").splitlines()) == 1 + 8 * 5
    assert "RRF constant k = 1000" in taken.text("evaluation-summary")
    assert "Recomputed from stored runs" in taken.text("evaluation-report")
    assert "evaluation-continue" not in keys(page)

    # Another parameter, from the same runs and at once.
    page.toggle(key=f"other-values-{key}").set_value(True).run()
    setting = drawn(page).selectbox(key=f"other-setting-{key}").value
    assert setting == "RRF constant k = 60"
    page.selectbox(key=f"other-parameter-{key}-{setting}").set_value("n").run()
    assert has(drawn(page), "Asked for fewer, a model might write others")
    assert columns(page) == [f"Queries = {one}" for one in (1, 2, 3, 4)]
    assert len(taken.text("evaluation-csv").splitlines()) == 1 + 4 * 5
    assert asked(scripted) == 5

    # By its link, and in the list.
    page = opened(PAGE, "sweeper", evaluation=key)
    assert (value(page, "evaluation"), columns(page)) == (key, values)
    click(page, "evaluation-new")
    assert table(page, "evaluations")["Runs done"] == ["5 of 5"]

    # Where the documents are gone, what was run is still shown.
    monkeypatch.setattr("core.evaluation.sweep_results.document_keys", lambda *_: {})
    st.cache_resource.clear()
    page = opened(PAGE, "sweeper", evaluation=key)
    assert has(page, "are no longer indexed, so nothing can be recomputed from its runs.")
    assert columns(page) == values[4:5]
