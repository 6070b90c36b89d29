"""Runs as files: out and in again unchanged; what is not one whole run is refused with the place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InputError
from core.runs.comparisons import ComparisonStore
from core.runs.record import record
from core.runs.store import RunStore
from core.runs.transfer import from_lines, import_file, to_lines
from tests import examples
from tests.cases import cases


@cases("name", list(examples.RUNS))
def test_out_and_in_again(name: str) -> None:
    events = examples.RUNS[name]()
    assert from_lines("run.jsonl", to_lines(events).encode()) == events


def test_an_imported_run_has_an_id_of_its_own_and_an_end(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    store, comparisons = RunStore(url), ComparisonStore(url)
    data = to_lines(examples.RUNS["plain"]()[:6]).encode()
    first, second = (import_file("run.jsonl", data, store, comparisons, "me") for _ in range(2))
    assert first != second
    assert isinstance(first, str)
    run = record(store.events(first))
    assert run.state == "stopped"
    assert run.started is not None
    assert run.started.run == first
    assert store.entry(first).owner == "me"


def changed(line: int, **values: object) -> bytes:
    lines = to_lines(examples.RUNS["plain"]()).splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | values)
    return "\n".join(lines).encode()


GOOD = to_lines(examples.RUNS["plain"]()).encode()


@cases(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n", "Line 1 of .* is not an event"),
        (b'{"a": 1}\n', "Line 1 of .* is not an event"),
        (GOOD.split(b"\n", 1)[1], "does not begin with the start"),
        (GOOD + GOOD, "missing|more than one"),
        (b"\n".join(line for i, line in enumerate(GOOD.splitlines()) if i != 3), "Events are missing"),
        (changed(0, version=2), "has version 2"),
        (changed(2, type="run_exploded"), "Line 3 of"),
        (changed(2, at=-1), "Line 3 of"),
        (changed(0, question="a" * 500_001), "Line 1 of .* a text of 500,001 characters"),
        (changed(0, where=["a" + " " * 50_000]), "Line 1 of"),
        (changed(0, where=["a=b"] * 101), "Line 1 of"),
        (changed(-1, at=1e300), "times that no run has"),
        (changed(-1, at=0), "Time runs backwards"),
        (GOOD.replace(b'"at":0.0', b'"at":NaN', 1), "Line 1 of"),
        (b"[" * 100_000, "Line 1 of"),
        (changed(0, params={"n": 10**400}), "Line 1 of"),
        (GOOD.replace(b'"at":0.0', b'"at":1e999', 1), "Line 1 of"),
        (changed(0, created="0001-01-01T00:00:00+14:00"), "a date that no run has"),
        (changed(0, created="9999-12-31T23:59:00-14:00"), "a date that no run has"),
        (GOOD + b"\n" * 60_000, "events; at most|Line"),
        (b" " * (20 * 2**20 + 1), "larger than the 20 MB"),
    ],
)
def test_what_is_not_one_whole_run_is_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        from_lines("run.jsonl", data)
