"""A home made by an earlier version: every page opens what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.evaluation.runner import Evaluations
from core.report import comparison_report, evaluation_report, stored_report
from core.runs.workbench import Workbench
from tests.app.pages import NOWHERE, app, said, workbench
from tests.home import OWNER, QUESTION, contents, unpack

CONTENTS = contents()
RUNS = {**CONTENTS.runs, "built-in": CONTENTS.builtin, "fork": CONTENTS.fork}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    with workbench(monkeypatch, home, **NOWHERE) as bench:
        yield bench


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_drawn_and_reported(kept: Workbench, name: str) -> None:
    page = app(run=RUNS[name])
    assert "Done in" in said(page)
    assert not page.error
    assert "<html" in stored_report(kept.store.events(RUNS[name]), kept.store)


def test_a_stopped_run_can_be_continued(kept: Workbench) -> None:
    page = app(owner=OWNER, run=CONTENTS.stopped)
    assert "Stopped" in said(page)
    assert page.button(key="continue")


def test_the_fork_says_what_became_of_it(kept: Workbench) -> None:
    page = app(run=CONTENTS.fork)
    assert "Canadian films of 1957" in said(page)


def test_all_runs_are_listed(kept: Workbench) -> None:
    page = app("pages/runs.py", owner=OWNER)
    listed = page.dataframe[0].value
    assert len(listed) >= len(RUNS) + 1
    assert QUESTION in set(listed.astype(str).to_numpy().flatten())


def test_the_comparison_is_drawn_and_reported(kept: Workbench) -> None:
    page = app("pages/compare.py", comparison=CONTENTS.comparison)
    assert QUESTION in said(page)
    found = kept.comparisons.get(CONTENTS.comparison)
    runs = [kept.store.events(run) for run in found.runs]
    assert "<html" in comparison_report(found, runs)


def test_the_finished_evaluation_shows_its_results(kept: Workbench) -> None:
    page = app("pages/evaluate.py", owner=OWNER, evaluation=CONTENTS.evaluation)
    assert "Dense finds 95 % of the gold documents" in said(page)
    evaluations = Evaluations(kept.launcher).store
    found = evaluations.get(CONTENTS.evaluation)
    assert "<html" in evaluation_report(found, evaluations.outcomes(found.id), {}, "")


def test_the_paused_evaluation_shows_what_it_has_and_can_go_on(kept: Workbench) -> None:
    page = app("pages/evaluate.py", owner=OWNER, evaluation=CONTENTS.paused)
    evaluations = Evaluations(kept.launcher).store
    left = evaluations.get(CONTENTS.paused).total - len(evaluations.outcomes(CONTENTS.paused).done)
    assert page.button(key="evaluation-continue").label == f"Continue: {left} runs left"


@pytest.mark.parametrize("path", ["documents", "knowledge_graph", "learn", "compare", "evaluate"])
def test_every_page_opens(kept: Workbench, path: str) -> None:
    app(f"pages/{path}.py", owner=OWNER)


@pytest.mark.parametrize("data_set", [CONTENTS.uploaded, CONTENTS.made])
def test_the_data_sets_are_there(kept: Workbench, data_set: str) -> None:
    app("pages/evaluate.py", owner=OWNER, section="Data sets", dataset=data_set)
