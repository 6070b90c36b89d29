"""Comparisons as files: out and in again; hostile files are refused with a sentence, and nothing of them is stored."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InputError, StoreError
from core.runs.comparisons import Comparison, ComparisonStore
from core.runs.store import RunStore
from core.runs.transfer import (
    MAX_BYTES,
    MAX_FILE_BYTES,
    comparison_lines,
    from_lines,
    import_file,
    read_comparison,
    to_lines,
)
from core.trace.events import now
from core.trace.gold import Gold
from tests import examples

RUNS = [examples.RUNS[name]() for name in ("rag-fusion", "multi-query", "plain")]
COMPARISON = Comparison(
    "id",
    "me",
    now(),
    examples.QUESTION,
    ("a", "b", "c"),
    (
        Gold(document="d", title="<b>A film</b>", quote="<b>1921</b>", chunks=("d-0", "e-4")),
        Gold(document="f", title="Another"),
    ),
    "In class",
)
GOOD = comparison_lines(COMPARISON, RUNS).encode()
HEAD, REST = GOOD.split(b"\n", 1)


def header(**values: object) -> bytes:
    return json.dumps(json.loads(HEAD) | values).encode() + b"\n" + REST


@pytest.fixture
def stores(tmp_path: Path) -> tuple[RunStore, ComparisonStore]:
    url = f"sqlite:///{tmp_path}/runs.sqlite"
    return RunStore(url), ComparisonStore(url)


def test_out_and_in_again(stores: tuple[RunStore, ComparisonStore]) -> None:
    made = import_file("c.jsonl", GOOD, *stores, "somebody")
    assert isinstance(made, Comparison)
    assert stores[1].get(made.id) == made
    assert (made.question, made.gold, made.name) == (COMPARISON.question, COMPARISON.gold, COMPARISON.name)
    assert len(set(made.runs)) == 3
    for run, events in zip(made.runs, RUNS, strict=True):
        assert stores[0].events(run)[1:] == events[1:]
        assert stores[0].entry(run).owner == "somebody"


def test_what_is_not_known_is_left_out_and_what_earlier_versions_wrote_is_read_past() -> None:
    gold = {"document": "f", "title": "Another"}
    found = read_comparison("c.jsonl", header(gold=[gold], plain=[{"corpus": "c"}]))[0]
    assert found.gold == (COMPARISON.gold[1],)
    head = json.loads(comparison_lines(replace(COMPARISON, gold=found.gold), RUNS).partition("\n")[0])
    assert head["gold"] == [gold]
    assert "plain" not in head


def test_a_run_comes_in_by_the_same_door(stores: tuple[RunStore, ComparisonStore]) -> None:
    run = import_file("r.jsonl", to_lines(RUNS[0]).encode(), *stores, "me")
    assert isinstance(run, str)
    assert stores[0].entry(run).strategy == "rag-fusion"


CUT = GOOD[: len(GOOD) // 2]
OTHER = comparison_lines(COMPARISON, [RUNS[0], RUNS[1]]).encode()


def late(runs: bytes, created: str) -> bytes:
    """The runs, the last of which was asked at another time."""
    before, mark, after = runs.rpartition(b'"created":"')
    return before + mark + created.encode() + after[after.index(b'"') :]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b'{"type": "comparison"}', "first line"),
        (b"\x89PNG\r\n", "Line 1 of"),
        (b"[" * 100_000, "Line 1 of"),
        (header(version=2), "version 2"),
        (header(runs=5), "first line"),
        (header(name="x" * 201), "first line"),
        (header(gold=[{"document": "d"}]), "first line"),
        (header(gold=[{"document": "d", "title": "", "quote": "x" * 2001}]), "first line"),
        (header(gold=[{"document": "d", "title": "", "chunks": ["x"] * 1001}]), "first line"),
        (header(gold=[{"document": "d", "title": "", "more": 1}]), "first line"),
        (header(extra=1), "first line"),
        (header(question="Another?"), "do not answer the question"),
        (header(gold=[{"document": "d", "title": "\ud800"}]), "first line|Line 1 of"),
        (CUT, "Line .* is not an event"),
        (HEAD + b"\n" + to_lines(RUNS[0]).encode(), "holds 3 runs, but it holds 1"),
        (HEAD + b"\n", "holds 3 runs, but it holds 0"),
        (GOOD + to_lines(RUNS[0]).encode() * 2, "more than the 4"),
        (HEAD + b"\n" + b"\n".join(REST.splitlines()[1:]), "does not begin with the start"),
        (GOOD.replace(b'"at":0.0', b'"at":NaN', 1), "Line 2 of"),
        (header(gold=[{"document": "d", "title": "", "more": 10**400}]), "Line 1 of|first line"),
        (HEAD + b"\n" + late(REST, "9999-12-31T23:59:00-14:00"), "a date that no run has"),
    ],
)
def test_what_is_not_one_whole_comparison_is_refused(
    data: bytes, sentence: str, stores: tuple[RunStore, ComparisonStore]
) -> None:
    with pytest.raises(InputError, match=sentence):
        import_file("c.jsonl", data, *stores, "me")
    assert stores[0].list() == []
    assert stores[1].list(["me"]) == []


def test_where_the_second_run_cannot_be_stored_the_first_is_not_either(
    stores: tuple[RunStore, ComparisonStore],
) -> None:
    twice = [*RUNS[1], RUNS[1][-1]]
    with pytest.raises(StoreError):
        stores[0].add({"first": RUNS[0], "second": twice}, "me")
    assert stores[0].list() == []


def test_too_large_is_told_at_once_and_in_little_memory() -> None:
    run = HEAD + b"\n" + b" " * (MAX_BYTES + 1)
    whole = b"x" * 100_000_000
    tracemalloc.start()
    with pytest.raises(InputError, match="at most 20 MB"):
        read_comparison("c.jsonl", run)
    with pytest.raises(InputError, match="larger than the 80 MB"):
        read_comparison("c.jsonl", whole)
    with pytest.raises(InputError, match="larger than the 20 MB"):
        from_lines("r.jsonl", whole)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * MAX_BYTES
    assert len(whole) > MAX_FILE_BYTES


def test_with_most_of_its_runs_deleted_nothing_is_left_to_write() -> None:
    with pytest.raises(InputError, match="nothing left to compare"):
        comparison_lines(COMPARISON, RUNS[:1])
