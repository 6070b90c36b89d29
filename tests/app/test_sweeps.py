"""Sweeps on the page Evaluate: one that is run, one that is recomputed at once, and the ways out of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import read_folder
from core.evaluation.evaluations import evaluations_of
from core.runs.workbench import Workbench
from core.ui.evaluate.jobs import SWEEP
from tests.app.opening import (
    TakenHome,
    cells,
    click,
    click_row,
    drawn,
    has,
    keys,
    opened,
    table,
    value,
)
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/evaluate.py"
VALUES = "sweep-values-rag-fusion-rrf_k"
QUERIES = Rule(
    skill="search_queries",
    reply=json.dumps({"queries": ["director of a film", "nationality", "born in", "1943"]}),
)


def sweeps(owner: str = "me", sweep: str = "") -> AppTest:
    return opened(PAGE, owner, section="Sweeps", **({"sweep": sweep} if sweep else {}))


def of_rrf(page: AppTest) -> AppTest:
    """The form with the parameter of which all values are recomputed from one."""
    return page.selectbox(key="sweep-parameter-rag-fusion").set_value("rrf_k").run()


def forecast(page: AppTest) -> str:
    return next(one.value for one in page.markdown if "Forecast" in one.value)


def asked(server: ScriptedServer) -> int:
    """Calls but for those that find out whether the endpoint is there."""
    return sum("Say OK." not in json.dumps(one["body"]) for one in server.requests)


def test_what_cannot_be_swept_is_said_and_nothing_can_be_started(bench: Workbench) -> None:
    page = of_rrf(sweeps())
    assert "7 of 8 values are recomputed from stored runs, with no model call." in forecast(page)
    assert not page.button(key="sweep-start").disabled
    usual = list(page.multiselect(key=VALUES).value)
    page.session_state[VALUES] = [*usual, "5000"]
    page.run()
    assert has(drawn(page), "Parameter 'rrf_k'")
    assert page.button(key="sweep-start").disabled
    page.session_state[VALUES] = usual[:1]
    page.run()
    assert has(drawn(page), "from 2 to 20 different values")
    page.session_state[VALUES] = usual
    page.run()
    assert not drawn(page).button(key="sweep-start").disabled


def test_it_begins_with_what_moves_the_evidence(bench: Workbench) -> None:
    assert sweeps().selectbox(key="sweep-parameter-rag-fusion").value == "k"


def test_another_size_of_chunks_says_what_is_indexed(bench: Workbench) -> None:
    page = sweeps()
    page.selectbox(key="sweep-parameter-rag-fusion").set_value("chunk_tokens").run()
    assert "documents of the data set are indexed first, in" in forecast(drawn(page))
    page.selectbox(key="sweep-strategy").set_value("plain").run()
    page.selectbox(key="sweep-parameter-plain").set_value("retriever").run()
    assert [one.key for one in drawn(page).segmented_control if one.key == "sweep-retriever"] == []
    assert "80 runs, no model call" in forecast(page)  # twenty questions, four retrievers


def test_an_unknown_sweep_says_so(bench: Workbench) -> None:
    page = sweeps(sweep="nothing")
    assert "No sweep with the id in this address" in page.warning[0].value
    assert value(page, "sweep") == ""
    assert page.button(key="sweep-start")


def test_nothing_to_recompute_from_says_so(bench: Workbench) -> None:
    page = sweeps()
    page.segmented_control(key="sweep-way").set_value("Stored").run()
    assert has(drawn(page), "No evaluation of yours has runs that tell what another value would give")


def test_run_recompute_look_and_leave(
    ready: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    taken = TakenHome(monkeypatch)
    scripted.script(QUERIES)
    dataset = replace(read_folder(small_data_set(tmp_path / "small")), name="Small sweep")
    data = data_sets_of(ready).store.add(dataset, "sweeper")
    page = sweeps("sweeper")
    page.selectbox(key="sweep-data").set_value(data).run()
    click(of_rrf(page), "sweep-start")
    (job, *_) = evaluations_of(ready)._jobs[-1:]
    assert job.result(60).state == "finished"
    drawn(page.run())
    assert SWEEP not in page.session_state
    sweep = value(page, "sweep")
    assert sweep == job.id
    assert asked(scripted) == 5  # one call a question, however many values
    assert has(page, "7 of 8 values recomputed from stored runs, no model call")
    assert has(page, "### Recall@10 is highest at")
    found = cells(page.dataframe[0].value)
    assert len(found["Verdict"]) == 8
    assert "60 (default)" in found[next(iter(found))]
    page.selectbox(key="sweep-metric").set_value("nDCG@10").run()
    assert has(drawn(page), "### nDCG@10 is highest at")
    page.segmented_control(key="sweep-chart-shows").set_value("Difference").run()
    assert "difference" in str(drawn(page).get("plotly_chart")[0].proto.spec)
    assert len(taken.text("sweep-csv").splitlines()) == 1 + 8 * 5

    # Another parameter, from the same runs and at once.
    click(page, "sweep-new")
    assert table(page, "sweeps")["Questions"] == [5]
    page.segmented_control(key="sweep-way").set_value("Stored").run()
    setting = page.selectbox(key=f"stored-setting-{sweep}").value
    page.selectbox(key=f"stored-parameter-{sweep}-{setting}").set_value("n").run()
    assert has(drawn(page), "asked for fewer, a model might write others")
    assert asked(scripted) == 5

    # By its link, and from there to the evaluation behind it.
    page = sweeps("sweeper", sweep)
    assert has(page, "7 of 8 values recomputed")
    click(page, "sweep-evaluation")
    assert value(page, "evaluation") == sweep
    assert has(page, "rrf_k = 60")
    page = sweeps("sweeper")
    click_row(page, "sweeps", 0)
    assert value(page, "sweep") == sweep
    assert "sweep-go-on" not in keys(page)
