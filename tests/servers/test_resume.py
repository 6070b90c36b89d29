"""Runs that were stopped, failed, or whose process was killed go on after their last whole step."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, UnknownRun
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.trace.artefacts import Answer, Fusion, Queries
from core.trace.events import RunResumed, Token
from tests.bench import CORPUS, open_bench
from tests.commands import ROOT, environment_of, until
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer, told
from tests.scripted.prompts import asked

QUESTION = "Who directed A Dangerous Age?"
MOMENTS = {"writing queries": "When was A Dangerous Age made?", "answering": QUESTION}
"""What a run is doing as it is killed -> its question."""
SLOW = Rule(skill="answer", reply="slow word " * 200, pause=0.05)
FAST = Rule(skill="answer", reply="Sidney J. Furie directed it [1].")

KILLED = """
import sys
from pathlib import Path
import core.runs.store, core.runs.run_job
core.runs.store.ALIVE_SECONDS = core.runs.run_job.ALIVE_SECONDS = 1.0
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import Settings
home, url, *questions = sys.argv[1:]
bench = Workbench(Settings(_env_file=None, rag_loupe_home=Path(home), openai_base_url=url, chat_model="scripted"))
jobs = [bench.launcher.start(RunRequest(one, "rag-fusion", corpus="Tests", owner="me")) for one in questions]
print(*[job.run for job in jobs], flush=True)
for job in jobs:
    job.result()
"""


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.indexed(), scripted_server, model_attempts=1)
    yield bench
    bench.backends.supervisor.release()


Requests = Sequence[Mapping[str, Any]]


def check_whole(run: Record, requests: Requests) -> None:
    """Every step once, the queries written once, and the whole answer."""
    assert run.state == "finished", run.error
    assert [step.node for step in run.steps] == ["queries", *["retrieve"] * 5, "fuse", "answer"]
    assert len(run.find(Queries)) == len(run.find(Fusion)) == len(run.find(Answer)) == 1
    assert run.answer is not None
    assert run.answer.text == run.draft == FAST.reply
    skills = [asked(request["body"]["messages"])[0].skill for request in requests]
    assert skills == ["search_queries", "answer", "answer"]
    assert run.totals.calls == 3


def test_a_stopped_run_goes_on(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(SLOW)
    job = bench.launcher.start(RunRequest(QUESTION, "rag-fusion", corpus=CORPUS, owner="me"))
    until(lambda: any(isinstance(event, Token) for event in job.events))
    job.stop()
    job.result(60)
    assert bench.store.entry(job.run).state == "stopped"
    scripted.script(FAST)
    again = bench.launcher.resume(job.run, "me")
    events = again.result(60)
    check_whole(record(events), scripted.requests)
    assert bench.store.events(job.run) == events
    assert [event.seq for event in events] == list(range(len(events)))
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert sum(isinstance(event, RunResumed) for event in events) == 1


def test_a_failed_run_goes_on(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", fault="server_error"))
    job = bench.launcher.start(RunRequest(QUESTION, "rag-fusion", corpus=CORPUS, owner="me"))
    job.result(60)
    assert bench.store.entry(job.run).state == "failed"
    scripted.script(FAST)
    check_whole(record(bench.launcher.resume(job.run, "me").result(60)), scripted.requests)


BEFORE_THE_ANSWER = 5
"""Checkpoints of a run that is answering: of its question, its start, its queries, its rankings, its fusion."""


def checkpoints_of(home: Path, run: str) -> int:
    """How many checkpoints of a run are written."""
    with closing(sqlite3.connect(f"file:{home / 'checkpoints.sqlite'}?mode=ro", uri=True)) as file:
        (count,) = file.execute("SELECT count(*) FROM checkpoints WHERE thread_id = ?", (run,)).fetchone()
    return int(count)


@pytest.fixture(scope="module")
def killed(bench: Workbench, scripted_server: ScriptedServer) -> tuple[dict[str, str], Requests]:
    """A run for each moment, both of one process that was killed then; and what they had sent."""
    scripted_server.reset()
    hanging = {"question": f"^{re.escape(MOMENTS['writing queries'])}$"}
    scripted_server.script(Rule(skill="search_queries", told=hanging, fault="hang"), SLOW)
    home = bench.settings.rag_loupe_home
    words = [sys.executable, "-c", KILLED, str(home), scripted_server.base_url, *MOMENTS.values()]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment_of(home)
    ) as process:
        assert process.stdout is not None
        runs = dict(zip(MOMENTS, process.stdout.readline().split(), strict=True))

        def draft(moment: str) -> str | None:
            with suppress(UnknownRun):
                return record(bench.store.events(runs[moment])).draft
            return None

        until(lambda: len(scripted_server.requests) == 3 and draft("writing queries") is not None)
        until(lambda: (draft("answering") or "").startswith("slow word"))
        # Checkpoints are written behind the steps; what a kill overtakes is run again.
        until(lambda: checkpoints_of(home, runs["answering"]) == BEFORE_THE_ANSWER)
        process.kill()
    return runs, scripted_server.requests


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_interrupted_and_goes_on(
    bench: Workbench, killed: tuple[dict[str, str], Requests], scripted: ScriptedServer, moment: str
) -> None:
    run = killed[0][moment]
    until(lambda: bench.store.entry(run).state == "interrupted")
    entry = bench.store.entry(run)
    assert entry in bench.store.list(RunFilter(owners=["me"], states=["interrupted"]))
    assert entry not in bench.store.list(RunFilter(owners=["me"], states=["running"]))
    before = record(bench.store.events(run))
    assert before.state == "running"
    if moment == "answering":
        assert before.find(Fusion)
        assert before.draft.startswith("slow word")
    scripted.script(FAST)
    whole = record(bench.launcher.resume(run, "me").result(60))
    if moment == "answering":
        sent = [r for r in killed[1] if told(r["body"]["messages"], "question") == MOMENTS[moment]]
        check_whole(whole, [*sent, *scripted.requests])
    assert whole.state == "finished"
    assert bench.store.entry(run).state == "finished"


def test_what_cannot_go_on(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(FAST)
    job = bench.launcher.start(RunRequest(QUESTION, "plain", corpus=CORPUS, owner="me"))
    job.result(60)
    with pytest.raises(InputError, match="nothing to continue"):
        bench.launcher.resume(job.run, "me")
    with pytest.raises(InputError, match="Only the browser"):
        bench.launcher.resume(job.run, "somebody else")
