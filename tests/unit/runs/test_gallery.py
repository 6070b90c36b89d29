"""The gallery that comes with the app: whole, of this version, true about who made it, and given once; and which demo
questions the built-in model was seen to answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from csv import DictReader
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.corpora.demo import DEMOS, STARTERS, WORLD
from core.runs import gallery
from core.runs.comparisons import ComparisonStore
from core.runs.gallery import ANSWERED, PIECES, GalleryPiece, answered, example_run, install, label, read
from core.runs.record import Record, record
from core.runs.store import RunFilter, RunStore
from core.strategies import get_strategy, strategies
from tests.cases import cases
from tests.postgres import PostgresServer


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/runs.sqlite"


def records() -> Iterator[Record]:
    for piece in PIECES:
        for events in read(piece)[1]:
            yield record(events)


def test_the_files_are_the_pieces_and_small() -> None:
    assert sorted(gallery.FOLDER.glob("*.jsonl")) == sorted(piece.file for piece in PIECES)
    assert sum(piece.file.stat().st_size for piece in PIECES) < 2_600_000


@cases("piece", PIECES)
def test_each_is_what_it_says(piece: GalleryPiece) -> None:
    header, runs = read(piece)
    assert (header is not None) == (len(piece.requests) > 1)
    for place, (events, request) in enumerate(zip(runs, piece.requests, strict=True)):
        run = record(events)
        assert run.state == "finished"
        assert run.answer is not None
        started = run.started
        assert started is not None
        assert bool(started.recording) == piece.recorded
        assert started.builtin != piece.recorded
        who = f"from the recording “{started.recording}”" if piece.recorded else "the tiny built-in model"
        assert label(started).endswith(who)
        assert (started.run, started.question, started.strategy, started.corpus, started.graph) == (
            piece.run_id(place), request.question, request.strategy, request.corpus, request.graph,
        )  # fmt: skip
        get_strategy(started.strategy).parse(started.params)


def test_every_artefact_of_it_has_a_view() -> None:
    kinds = set()
    for run in records():
        for _, artefact in run.artefacts:
            assert card_of(artefact, Scene(run, "#0072B2", "run")).parts
            kinds.add(artefact.kind)
    assert {"queries", "fusion", "union", "thought", "passages", "grade", "path", "tool_call"} <= kinds


def test_a_new_database_gets_it_once(database: str) -> None:
    assert install(database) == len(PIECES)
    store, comparisons = RunStore(database), ComparisonStore(database)
    listed = store.list(RunFilter(owners=["somebody"]))
    assert {entry.id for entry in listed} == {piece.id for piece in PIECES if len(piece.requests) == 1}
    assert all(entry.pinned and entry.name.startswith("Gallery: ") for entry in listed)
    listed_too = comparisons.list(["somebody"])
    assert {one.id for one in listed_too} == {piece.id for piece in PIECES if len(piece.requests) > 1}
    known = {piece.id: piece for piece in PIECES}
    for compared in listed_too:
        asked = [one.strategy for one in known[compared.id].requests]
        assert [store.entry(run).strategy for run in compared.runs] == asked
        assert compared.gold
    made = store.started("pellamar-hyde")
    assert made is not None
    assert made.strategy == "hyde"
    assert store.started("unknown") is None
    store.delete("pellamar-hyde")
    for compared in listed_too:
        comparisons.delete(compared.id)
    assert install(database) == 0
    assert len(store.list(RunFilter(owners=["somebody"]))) == len(listed) - 1
    assert comparisons.list(["somebody"]) == []


def test_an_example_for_every_strategy_while_there_are_any(database: str) -> None:
    store = RunStore(database)
    assert example_run(store, "plain") is None
    install(database)
    own, other = example_run(store, "kg-rag"), example_run(store, "plain")
    assert own is not None
    assert other is not None
    assert (own.strategy, other.strategy) == ("kg-rag", "rag-fusion")


def test_who_starts_at_the_same_time_does_not_collide(database: str) -> None:
    with ThreadPoolExecutor(4) as several:
        counts = list(several.map(install, [database] * 4))  # each opens the database for itself
    assert sum(counts) == len(PIECES)


def lines(name: str = "") -> list[dict[str, Any]]:
    """The demo questions of every language, or those of the files with another name beside theirs."""
    files = [WORLD / demo.questions for demo in DEMOS]
    return [
        json.loads(line)
        for file in files
        for line in file.with_name(name or file.name).read_text(encoding="utf-8").splitlines()
    ]


def test_what_was_seen_is_about_questions_and_strategies_that_are_there() -> None:
    with ANSWERED.open(encoding="utf-8", newline="") as file:
        rows = list(DictReader(file, delimiter="\t"))
    assert {row["question"] for row in rows} <= {one["id"] for one in (*lines(), *lines(STARTERS))}
    able = {key for key, one in strategies().items() if not one.lacking(True)}
    assert {row["strategy"] for row in rows} == able
    assert {row["verdict"] for row in rows} == {"right", "wrong", "none"}
    assert len({(row["strategy"], row["question"]) for row in rows}) == len(rows)


def test_every_starter_is_answered_by_a_strategy_that_it_was_written_for() -> None:
    for one in lines(STARTERS):
        assert one["id"] in answered(one["strategies"]), one["text"]


def test_of_several_strategies_one_is_enough() -> None:
    both = answered(["plain", "decomposition-sequential"])
    assert both == answered(["plain"]) | answered(["decomposition-sequential"])
    assert answered(["no such strategy"]) == frozenset()


@pytest.mark.processes
def test_a_server_whose_columns_were_too_short_gets_all_of_it(postgres: PostgresServer) -> None:
    database = postgres.new_database()
    store = RunStore(database)
    with store.session() as session:
        for column in ("runs ALTER id", "run_events ALTER run", "gallery ALTER id"):
            session.execute(text(f"ALTER TABLE {column} TYPE VARCHAR(32)"))
    store.close()
    assert max(len(piece.run_id(0)) for piece in PIECES) > 32
    assert install(database) == len(PIECES)
