"""One question through several strategies at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.errors import InputError
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
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
    bench.engines.supervisor.release()


def request(strategy: str, question: str = QUESTION) -> RunRequest:
    return RunRequest(question, strategy, corpus=CORPUS, owner="me")


def test_columns_run_at_once_and_one_can_be_stopped(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="reword", delay=FOR_EVER))
    made = bench.compare([request("plain"), request("multi-query"), request("closed-book")])
    assert bench.comparisons.get(made.id) == made
    jobs = [bench.job(run) for run in made.runs]
    first, second, third = (job for job in jobs if job is not None)
    assert record(first.wait(60)).state == record(third.wait(60)).state == "finished"
    assert not second.done
    assert bench.running == 1
    second.stop()
    assert record(second.wait(60)).state == "stopped"


def test_all_columns_or_none(bench: Workbench, scripted: ScriptedServer) -> None:
    before = len(bench.store.list(RunFilter(), 1000))
    with pytest.raises(InputError, match="empty"):
        bench.compare([request("plain"), request("plain", " ")])
    with pytest.raises(InputError, match="2 to 4"):
        bench.compare([request("plain")])
    with pytest.raises(InputError, match="one question"):
        bench.compare([request("plain"), request("plain", "Another?")])
    assert len(bench.store.list(RunFilter(), 1000)) == before
