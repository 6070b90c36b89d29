"""One question through several strategies at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.charts.columns import columns
from core.charts.difference import difference, plain_found, truth
from core.errors import InputError
from core.runs.budget import given_passages
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.trace.gold import Gold
from tests.bench import CORPUS, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tests.servers.holding import FOR_EVER

QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    """Of its own: what is under way is counted."""
    bench = open_bench(homes.indexed(), scripted_server)
    yield bench
    bench.backends.supervisor.release()


def request(strategy: str, question: str = QUESTION) -> RunRequest:
    return RunRequest(question, strategy, corpus=CORPUS, owner="me")


def test_columns_run_at_once_and_one_can_be_stopped(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="reword", delay=FOR_EVER))
    made = bench.comparing.start([request("plain"), request("multi-query"), request("closed-book")])
    assert bench.comparisons.get(made.id) == made
    jobs = [bench.launcher.job(run) for run in made.runs]
    first, second, third = (job for job in jobs if job is not None)
    assert record(first.result(60)).state == record(third.result(60)).state == "finished"
    assert not second.done
    assert bench.launcher.running() == 1
    second.stop()
    assert record(second.result(60)).state == "stopped"


def test_what_a_column_is_held_against_its_run_keeps(bench: Workbench, scripted: ScriptedServer) -> None:
    corpus = bench.corpora.catalogue.corpus(CORPUS)
    gold = tuple(Gold(document=one.id, title="") for one in bench.corpora.catalogue.documents(corpus.id))
    made = bench.comparing.start([request("plain"), request("hyde"), request("closed-book")], gold)
    jobs = [bench.launcher.job(run) for run in made.runs]
    runs = [record(job.result(60)) for job in jobs if job is not None]
    shown = columns(runs)
    for run in runs[:2]:
        assert run.baseline is not None
        assert len(run.baseline.hits) == len(given_passages(run))
    assert runs[2].baseline is None
    known = truth(shown, made.gold)
    assert known.gold == gold
    assert plain_found(shown[0], gold) is None  # it is plain retrieval itself
    assert plain_found(shown[1], gold) is not None
    assert difference(shown, known).endswith(".")


def test_all_columns_or_none(bench: Workbench, scripted: ScriptedServer) -> None:
    before = len(bench.store.list(RunFilter(), 1000))
    with pytest.raises(InputError, match="empty"):
        bench.comparing.start([request("plain"), request("plain", " ")])
    with pytest.raises(InputError, match="2 to 4"):
        bench.comparing.start([request("plain")])
    with pytest.raises(InputError, match="one question"):
        bench.comparing.start([request("plain"), request("plain", "Another?")])
    assert len(bench.store.list(RunFilter(), 1000)) == before
