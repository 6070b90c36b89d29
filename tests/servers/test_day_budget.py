"""Budgets of a day in whole runs, over two app processes; and runs that wait for a busy model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import CallLimitReached
from core.runs.record import Record, record
from core.runs.request import EVALUATION, RunRequest
from core.runs.run_job import RunJob
from core.runs.workbench import Workbench
from core.trace.artefacts import Queries
from core.users import User
from tests.bench import CORPUS, open_bench
from tests.commands import until
from tests.homes import Homes
from tests.scripted import ScriptedServer
from tests.servers.holding import Held

QUESTION = "Who directed A Dangerous Age?"
ANN, BOB = User("a" * 32), User("b" * 32)


@pytest.fixture(scope="module")
def benches(scripted_server: ScriptedServer, homes: Homes) -> Iterator[tuple[Workbench, Workbench]]:
    """Two app processes with one database."""
    home = homes.indexed()
    limits = {"max_calls_per_visitor_day": 3, "max_calls_at_once": 1, "contexts_and_graphs": "all"}
    pair = [open_bench(home, scripted_server, teacher_password="right", **limits) for _ in range(2)]
    yield pair[0], pair[1]
    for bench in pair:
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()


def request(by: User, **options: Any) -> RunRequest:
    asked = {"question": QUESTION, "strategy": "multi-query", "corpus": CORPUS, "owner": by.owner}
    return RunRequest(**(asked | {"teacher": by.teacher} | options))


def ask(bench: Workbench, by: User, **options: Any) -> Record:
    return record(bench.launcher.start(request(by, **options)).result(60))


def test_a_run_stops_where_the_day_s_calls_are_used_up_and_keeps_what_it_has(
    benches: tuple[Workbench, Workbench], scripted: ScriptedServer
) -> None:
    here, there = benches
    assert ask(here, ANN).state == "finished"
    stopped = ask(there, ANN)
    assert (stopped.state, len(scripted.requests)) == ("stopped", 3)
    assert "used up: 3 of 3 calls of the server's model" in stopped.error
    assert "midnight UTC" in stopped.error
    assert stopped.find(Queries)

    assert ask(here, User(EVALUATION), account=ANN.owner).state == "stopped"
    job = there.builds.start(CORPUS, "Of the day", BOB, limit=9)
    job.wait(60)
    assert isinstance(job.error(), CallLimitReached)
    asked = len(scripted.requests)
    assert ask(there, User(ANN.owner, teacher=True)).state == "finished"
    assert ask(here, User("c" * 32)).state == "finished"
    assert len(scripted.requests) == asked + 4


def test_a_run_says_how_many_calls_come_before_its_own(
    benches: tuple[Workbench, Workbench], scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, _ = benches
    held = Held(monkeypatch, "answer")
    jobs: list[RunJob] = []

    def asks() -> bool:
        return any(call.state == "running" for call in record(jobs[0].events[:]).calls)

    for letter in "eeef":
        user = User(letter * 32, teacher=True)
        jobs.append(bench.launcher.start(request(user, strategy="plain")))
        until(asks if len(jobs) == 1 else lambda: jobs[-1].ahead is not None)
    assert [job.ahead for job in jobs] == [None, 0, 1, 2]
    held.release()
    assert [record(job.result(60)).state for job in jobs] == ["finished"] * 4
    assert [job.ahead for job in jobs] == [None] * 4
