"""“Delete what is mine” on the page Runs."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.runs.workbench import Workbench
from tests import examples
from tests.app.opening import click, drawn, has, keys, opened
from tests.app.test_runs import PAGE, store

ME, OTHER = "a" * 32, "b" * 32


def ended(page: AppTest) -> AppTest:
    """The page once its deletion has ended."""
    if "erase-job" in page.session_state:
        page.session_state["erase-job"].result(60)
    return drawn(page.run())


def test_it_is_counted_confirmed_and_deleted(bench: Workbench) -> None:
    for run, owner in (("one", ME), ("two", ME), ("theirs", OTHER)):
        store(bench, run, examples.RUNS["plain"](), owner)
    bench.store.pin("one", True)
    page = opened(PAGE, ME)
    assert "erase-go" not in keys(page)
    page.session_state["erase-mine"] = True
    drawn(page.run())
    assert has(page, "What is yours: **runs (2)**.")
    click(page, "erase-go")
    ended(page)
    assert has(page, "Deleted: runs (2).")
    assert [entry.id for entry in bench.store.list() if entry.owner in (ME, OTHER)] == ["theirs"]
    page.session_state["erase-mine"] = True
    assert has(drawn(page.run()), "Nothing that is yours is stored.")


def test_what_could_not_be_deleted_is_said_and_tried_again(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(bench, "one", examples.RUNS["plain"](), ME)
    bench.corpora.catalogue.create("Mine", "words-1", "words", 240, 50, owner=ME)  # where no Chroma answers
    page = opened(PAGE, ME)
    page.session_state["erase-mine"] = True
    drawn(page.run())
    click(page, "erase-go")
    ended(page)
    assert has(page, "Not all corpora could be deleted.")
    assert has(page, "What is left can be deleted by trying again.")
    assert [entry.id for entry in bench.store.list() if entry.owner == ME] == []
    bench.corpora.catalogue.delete(bench.corpora.catalogue.corpus("Mine").id)
    page.session_state["erase-mine"] = True
    assert has(drawn(page.run()), "Nothing that is yours is stored.")
