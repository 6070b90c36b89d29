"""The run store: listing with filters, names, pins, interruption, and databases of an earlier version."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

import core.runs.store as store_module
from core.errors import InputError, UnknownRun
from core.jobs import ALIVE_SECONDS
from core.runs.store import RunFilter, RunStore
from core.trace.events import RunStarted
from tests import examples


def open_store(tmp_path: Path) -> RunStore:
    return RunStore(f"sqlite:///{tmp_path / 'runs.sqlite'}")


def add(store: RunStore, run: str, owner: str = "me", count: int | None = None, **changes: object) -> None:
    events = examples.RUNS["plain"]()
    assert isinstance(events[0], RunStarted)
    events[0] = events[0].model_copy(update={"run": run, **changes})
    store.append(run, events[:count], owner)


def ids(store: RunStore, wanted: RunFilter) -> set[str]:
    return {entry.id for entry in store.list(wanted)}


def test_filters(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    add(store, "a", question="Who wrote 100% of it?")
    add(store, "b", strategy="rag-fusion", corpus="Other")
    add(store, "c", owner="you", question="서울은 어디인가?")
    store.rename("b", "  For   Monday ")
    assert ids(store, RunFilter()) == {"a", "b", "c"}
    assert ids(store, RunFilter(owners=["me"])) == {"a", "b"}
    assert ids(store, RunFilter(strategies=["rag-fusion"])) == {"b"}
    assert ids(store, RunFilter(corpora=["Other"])) == {"b"}
    assert ids(store, RunFilter(text="monday")) == {"b"}
    assert ids(store, RunFilter(text="100% o")) == {"a"}
    assert ids(store, RunFilter(text="0%9")) == set()
    assert ids(store, RunFilter(text="서울")) == {"c"}
    assert store.entry("b").title == "For Monday"
    store.rename("b", "")
    assert store.entry("b").title == store.entry("b").question


def test_pinned_runs_are_listed_for_everybody_and_first(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    add(store, "theirs", owner="you")
    add(store, "mine")
    assert ids(store, RunFilter(owners=["me"])) == {"mine"}
    store.pin("theirs", True)
    assert [entry.id for entry in store.list(RunFilter(owners=["me"]))] == ["theirs", "mine"]
    assert ids(store, RunFilter(owners=["me"], pinned=True)) == {"theirs"}
    store.pin("theirs", False)
    assert ids(store, RunFilter(owners=["me"])) == {"mine"}


def test_deleted_runs_are_gone(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    add(store, "a")
    store.delete("a")
    store.delete("a")
    with pytest.raises(UnknownRun, match="There is no run 'a'"):
        store.events("a")
    with pytest.raises(UnknownRun):
        store.entry("a")


def test_a_running_run_that_is_silent_counts_as_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path)
    now = [1_000_000.0]
    monkeypatch.setattr(store_module, "time", SimpleNamespace(time=lambda: now[0]))
    add(store, "a", count=3)
    assert store.entry("a").state == "running"
    now[0] += ALIVE_SECONDS - 1
    assert store.entry("a").state == "running"
    assert not store.take_over("a")
    store.keep_alive("a")
    now[0] += ALIVE_SECONDS - 1
    assert store.entry("a").state == "running"
    now[0] += 2
    assert store.entry("a").state == "interrupted"
    assert ids(store, RunFilter(states=["interrupted"])) == {"a"}
    assert ids(store, RunFilter(states=["running", "finished"])) == set()
    assert store.take_over("a")
    assert not store.take_over("a")
    assert ids(store, RunFilter(states=["running"])) == {"a"}


def test_finished_runs_are_not_taken_over(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    add(store, "a")
    assert store.entry("a").state == "finished"
    assert not store.take_over("a")
    assert not store.take_over("nobody's")


def test_a_name_has_an_end(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    add(store, "a")
    with pytest.raises(InputError, match="at most 200"):
        store.rename("a", "x" * 201)


def test_a_database_of_an_earlier_version_gets_the_new_columns(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "runs.sqlite") as old:
        old.execute(
            "CREATE TABLE runs (id VARCHAR(32) PRIMARY KEY, owner VARCHAR(64) NOT NULL, created DATETIME NOT NULL, "
            "strategy VARCHAR(64) NOT NULL, question TEXT NOT NULL, corpus VARCHAR(200), state VARCHAR(16) NOT NULL)"
        )
        old.execute("INSERT INTO runs VALUES ('old','me','2026-01-01 00:00:00','plain','q',NULL,'running')")
    old.close()
    store = open_store(tmp_path)
    entry = store.entry("old")
    assert (entry.state, entry.name, entry.pinned, entry.seconds) == ("interrupted", "", False, 0.0)
    add(store, "new")
    assert ids(store, RunFilter()) == {"old", "new"}
