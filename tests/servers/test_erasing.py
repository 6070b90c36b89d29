"""Two people with everything there is: one is erased, and the other's is as if the first had never been."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from core.classroom.erasing import Erasing, clean_up, count, days_ago
from core.classroom.store import class_store
from core.classroom.tables import ClassRow
from core.corpora.entries import CorpusRow
from core.errors import InputError
from core.evaluation.datasets import DataSet, read_folder
from core.evaluation.evaluation_store import EvaluationRow
from core.evaluation.pairs import runs_of
from core.evaluation.runner import evaluations_of
from core.evaluation.set_store import DataSetRow
from core.models.recordings.store import RecordingRow
from core.runs import gallery
from core.runs.request import EVALUATION, RunRequest
from core.runs.store import ComparisonRow, RunRow
from core.runs.workbench import Workbench
from core.users import User
from tests.bench import leave, open_bench
from tests.commands import ROOT, core_here, environment_of, until
from tests.homes import Homes
from tests.labelled import small_data_set
from tests.postgres import PostgresServer
from tests.scripted import Rule, ScriptedServer
from tests.servers.holding import FOR_EVER
from tests.servers.two_people import (
    ME,
    MY_RUN,
    NOBODYS,
    OTHER,
    QUESTION,
    both,
    furnish,
    join_all,
    left_of,
    outside,
    runs_by,
    stored,
)
from tests.tables import tables


@pytest.fixture(params=["sqlite", "postgresql"])
def bench(
    request: pytest.FixtureRequest, homes: Homes, postgres: PostgresServer, scripted: ScriptedServer
) -> Iterator[Workbench]:
    url = {"database_url": postgres.new_database()} if request.param == "postgresql" else {}
    with opened(homes.new(), scripted, **url) as bench:
        yield bench


class opened:
    """A workbench for a while."""

    def __init__(self, home: Path, server: ScriptedServer, **settings: Any) -> None:
        self._bench = open_bench(home, server, **settings)

    def __enter__(self) -> Workbench:
        return self._bench

    def __exit__(self, *_: object) -> None:
        leave(self._bench)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    return read_folder(small_data_set(tmp_path_factory.mktemp("sets") / "small", questions=2, distracting=3))


def test_one_goes_and_the_other_is_as_if_nobody_else_had_been(
    bench: Workbench, dataset: DataSet, tmp_path: Path
) -> None:
    rows, others, mine = both(bench, dataset, tmp_path)
    full = stored(bench)
    for table in {table.name for table in tables()} - set(NOBODYS):
        assert len(full[table]) > len(rows[table]), (
            f"this test makes no row of “{table}” for one of two people"
        )
    there = {
        "corpora": 1, "graphs": 1, "evaluations": 5, "runs": 2, "comparisons": 1, "data sets": 3, "recordings": 1,
        "contexts of chunks": 1, "votes": 2, "memberships of classes": 2, "classes": 1, "plans": 1,
    }  # fmt: skip
    assert count(bench, ME) == there
    counts, problems = Erasing(bench, ME).result()
    assert problems == ()
    assert {name: counts[name] for name in there if name != "votes"} == {
        name: number for name, number in there.items() if name != "votes"
    }
    assert count(bench, ME) == {}
    now = stored(bench)
    assert {name for name in rows if now[name] != rows[name]} == set()
    assert outside(bench) == others
    assert left_of(bench, mine) == []
    assert Erasing(bench, ME).result().counts == {}
    assert ME not in repr(now)


@pytest.mark.parametrize("owner", ["", "app", "gallery", EVALUATION])
def test_what_is_nobody_s_is_not_erased(homes: Homes, scripted: ScriptedServer, owner: str) -> None:
    with (
        opened(homes.new(), scripted) as bench,
        pytest.raises(InputError, match="no owner of a person's things"),
    ):
        Erasing(bench, owner)


KILLED = """
import importlib, os, signal, sys
module, owner, name = sys.argv[1].split(":")
holder = getattr(importlib.import_module(module), owner)
setattr(holder, name, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
from core.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
"""The command line, killed in place of a call."""
PLACES = (
    "core.corpora.catalogue:Catalogue:delete",
    "core.knowledge.store.graph_catalogue:GraphCatalogue:forget",
    "core.runs.store:RunStore:delete",
)


def test_after_a_kill_what_is_left_is_erased(
    homes: Homes, scripted: ScriptedServer, dataset: DataSet, tmp_path: Path
) -> None:
    home = homes.new()
    with opened(home, scripted) as bench:
        rows, others, mine = both(bench, dataset, tmp_path)
        words = ("erase", ME, "--yes")
        for place in PLACES:
            done = subprocess.run(
                [sys.executable, "-c", KILLED, place, *words],
                cwd=ROOT, env=environment_of(home), capture_output=True, check=False,
            )  # fmt: skip
            assert done.returncode == -signal.SIGKILL, done.stderr
            with (
                bench.store.session() as session
            ):  # as after the seconds for which a killed process holds a corpus
                session.execute(update(CorpusRow).values(writer="", writer_until=0.0))
        assert core_here(home, *words).returncode == 0
        assert stored(bench) == rows
        assert outside(bench) == others
        assert left_of(bench, mine) == []


def test_work_under_way_is_stopped_and_leaves_nothing(homes: Homes, scripted: ScriptedServer) -> None:
    with opened(homes.new(), scripted) as bench:
        assert bench.recordings.store, "which brings the recording that comes with the app"
        before = stored(bench)
        scripted.script(Rule(delay=FOR_EVER))
        job = bench.launcher.start(RunRequest("Why?", "closed-book", owner=ME))
        until(lambda: runs_by(bench, ME) == [job.run])
        assert Erasing(bench, ME).result().problems == ()
        assert job.done
        assert bench.launcher.job(job.run) is None
        assert {name: rows for name, rows in stored(bench).items() if rows != before.get(name, [])} == {}


def test_a_corpus_that_another_process_writes_is_left_until_the_next_time(
    homes: Homes, scripted: ScriptedServer
) -> None:
    with opened(homes.new(), scripted) as bench:
        bench.corpora.index([("a.md", b"# A\n\nOne sentence.")], "Mine", by=User(ME)).result()
        catalogue = bench.corpora.catalogue
        corpus = catalogue.corpus("Mine").id
        assert catalogue.hold(corpus, "another process", 3_600.0)
        outcome = Erasing(bench, ME).result()
        assert outcome.counts == {}
        assert "Not all corpora could be deleted." in outcome.problems[0]
        catalogue.release(corpus, "another process")
        assert Erasing(bench, ME).result() == ({"corpora": 1}, ())


def evaluations_by(bench: Workbench) -> list[str]:
    """Ids of my evaluations."""
    return [one.id for one in evaluations_of(bench).store.list((ME,))]


def age(bench: Workbench, row: Any, *keys: str) -> None:
    """Say that rows of this table, those with these ids or all, were made 40 days ago."""
    chosen = [row.id.in_(keys)] if keys else []
    with bench.store.session() as session:
        session.execute(update(row).where(*chosen).values(created=days_ago(40)))


def test_what_is_too_old_goes_but_for_what_is_pinned_and_what_was_made_to_stay(
    homes: Homes, scripted: ScriptedServer, dataset: DataSet, tmp_path: Path
) -> None:
    with opened(homes.new(), scripted, keep_days=30) as bench:
        furnish(bench, ME, dataset, tmp_path, MY_RUN)
        others = outside(bench)
        request = RunRequest("And why?", "closed-book", owner=ME)
        shown, new = (bench.launcher.start(request) for _ in range(2))
        assert shown.result()
        assert new.result()
        pinned = bench.comparisons.add("Pinned", [shown.run, MY_RUN], ME)
        bench.comparisons.pin(pinned.id, True)
        gallery.install(bench.settings.database)
        kept, *others_of_mine = evaluations_by(bench)
        evaluations_of(bench).store.pin(kept, True)
        full = stored(bench)
        clean_up(bench)
        assert stored(bench) == full, "nothing is too old yet"
        for row in (ComparisonRow, EvaluationRow, ClassRow, RecordingRow, DataSetRow, CorpusRow):
            age(bench, row)
        age(bench, RunRow)
        with bench.store.session() as session:
            session.execute(update(RunRow).where(RunRow.id == new.run).values(created=days_ago(29)))
        clean_up(bench)
        assert count(bench, ME) == {
            "corpora": 1, "graphs": 1, "evaluations": 1, "runs": 3, "comparisons": 1, "data sets": 3, "recordings": 1,
            "contexts of chunks": 1, "plans": 1,
        }  # fmt: skip
        assert set(runs_by(bench, ME)) == {MY_RUN, shown.run, new.run}
        assert others_of_mine
        assert evaluations_by(bench) == [kept]
        stays = runs_of(evaluations_of(bench).store.get(kept))
        assert set(runs_by(bench, EVALUATION)) <= stays
        assert outside(bench) == others
        now = stored(bench)
        pieces = [row for row in full["runs"] if f"'{gallery.OWNER}'" in row]
        assert len([row for row in now["runs"] if f"'{gallery.OWNER}'" in row]) == len(pieces)


def test_an_old_class_forgets_nicknames_and_keeps_its_votes(bench: Workbench) -> None:
    classes = class_store(bench.settings.database)
    old, young = (classes.open(OTHER, name, [QUESTION]) for name in ("Old", "Young"))
    for one in (old, young):
        classes.show(one.id, 0, "open")
    join_all(bench, ME)
    votes = {one.id: classes.counts(one.id) for one in (old, young)}
    age(bench, ClassRow, old.id)
    assert bench.settings.keep_days == 0
    clean_up(bench)
    assert {one.id: classes.counts(one.id) for one in (old, young)} == votes
    assert [one.nickname for one in classes.members(old.id)] == [""]
    assert [one.nickname for one in classes.members(young.id)] == ["aaaa\u00e9"]


def test_the_command_counts_first_and_deletes_when_it_is_sure(homes: Homes, scripted: ScriptedServer) -> None:
    home = homes.new()
    with opened(home, scripted) as bench:
        for owner in (ME, OTHER):
            job = bench.launcher.start(RunRequest("Why?", "closed-book", owner=owner))
            assert job.result()
        done = core_here(home, "erase", ME)
        assert (done.returncode, done.stdout) == (
            0,
            "Runs (1). Nothing was deleted: --yes deletes it for good.\n",
        )
        assert core_here(home, "erase", ME, "--yes").stdout == "Deleted: runs (1).\n"
        assert [entry.owner for entry in bench.store.list()] == [OTHER]
        done = core_here(home, "erase", "app", "--yes")
        assert (done.returncode, done.stdout) == (1, "")
        assert "no owner of a person's things" in done.stderr
