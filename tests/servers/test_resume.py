"""Runs that were stopped, failed, or whose process was killed go on after their last whole step."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InputError
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.store import RunEntry, RunFilter
from core.runs.workbench import Workbench
from core.trace.artefacts import Answer, Fusion, Queries
from core.trace.events import RunResumed, Token
from tests.bench import CORPUS, open_bench, small_corpus
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"
SLOW = Rule(match="numbered passages", reply="slow word " * 200, pause=0.05)
FAST = Rule(match="numbered passages", reply="Sidney J. Furie directed it [1].")

KILLED = """
import sys
from pathlib import Path
import core.runs.store, core.runs.job
core.runs.store.ALIVE_SECONDS = core.runs.job.ALIVE_SECONDS = 1.0
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import Settings
home, url = sys.argv[1:]
bench = Workbench(Settings(_env_file=None, rag_loupe_home=Path(home), openai_base_url=url, chat_model="scripted"))
job = bench.start(RunRequest("Who directed A Dangerous Age?", "rag-fusion", corpus="Tests", owner="me"))
print(job.run, flush=True)
job.wait()
"""


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("home")
    bench = open_bench(home, scripted_server, model_attempts=1)
    bench.library.index([small_corpus(home)], CORPUS).report()
    yield bench
    bench.engines.supervisor.release()


def check_whole(run: Record, scripted: ScriptedServer) -> None:
    """Every step once, the queries written once, and the whole answer."""
    assert run.state == "finished", run.error
    assert [step.node for step in run.steps] == ["queries", *["retrieve"] * 5, "fuse", "answer"]
    assert len(run.find(Queries)) == len(run.find(Fusion)) == len(run.find(Answer)) == 1
    assert run.answer is not None
    assert run.answer.text == run.draft == FAST.reply
    prompts = [str(request["body"]["messages"][-1]["content"]) for request in scripted.requests]
    assert sum("numbered passages" not in prompt for prompt in prompts) == 1
    assert run.totals.calls == len(prompts) == 3


def test_a_stopped_run_goes_on(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(SLOW)
    job = bench.start(RunRequest(QUESTION, "rag-fusion", corpus=CORPUS, owner="me"))
    while not any(isinstance(event, Token) for event in job.events):
        time.sleep(0.01)
    job.stop()
    job.wait(10)
    assert bench.store.entry(job.run).state == "stopped"
    scripted.script(FAST)
    again = bench.resume(job.run, "me")
    events = again.wait(30)
    check_whole(record(events), scripted)
    assert bench.store.events(job.run) == events
    assert [event.seq for event in events] == list(range(len(events)))
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert sum(isinstance(event, RunResumed) for event in events) == 1


def test_a_failed_run_goes_on(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(match="numbered passages", fault="server_error"))
    job = bench.start(RunRequest(QUESTION, "rag-fusion", corpus=CORPUS, owner="me"))
    job.wait(30)
    assert bench.store.entry(job.run).state == "failed"
    scripted.script(FAST)
    check_whole(record(bench.resume(job.run, "me").wait(30)), scripted)


def interrupted(bench: Workbench, run: str) -> RunEntry:
    end = time.monotonic() + 10
    while (entry := bench.store.entry(run)).state != "interrupted":
        assert time.monotonic() < end, entry
        time.sleep(0.05)
    return entry


@pytest.mark.parametrize("moment", ["writing queries", "answering"])
def test_a_killed_run_is_interrupted_and_goes_on(
    bench: Workbench, scripted: ScriptedServer, moment: str
) -> None:
    if moment == "answering":
        scripted.script(SLOW)
    else:
        scripted.script(Rule(match="search queries", delay=30, times=1))
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(bench.settings.rag_loupe_home), scripted.base_url],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        run = process.stdout.readline().strip()
        wanted = 1 if moment == "writing queries" else 2
        end = time.monotonic() + 30
        while len(scripted.requests) < wanted:
            assert time.monotonic() < end
            time.sleep(0.01)
        time.sleep(0.6)
        os.kill(process.pid, signal.SIGKILL)
    entry = interrupted(bench, run)
    assert entry in bench.store.list(RunFilter(owners=["me"], states=["interrupted"]))
    assert entry not in bench.store.list(RunFilter(owners=["me"], states=["running"]))
    before = record(bench.store.events(run))
    assert before.state == "running"
    if moment == "answering":
        assert before.find(Fusion)
        assert before.draft.startswith("slow word")
    scripted.script(FAST)
    whole = record(bench.resume(run, "me").wait(30))
    if moment == "answering":
        check_whole(whole, scripted)
    assert whole.state == "finished"
    assert bench.store.entry(run).state == "finished"


def test_what_cannot_go_on(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(FAST)
    job = bench.start(RunRequest(QUESTION, "plain", corpus=CORPUS, owner="me"))
    job.wait(30)
    with pytest.raises(InputError, match="nothing to continue"):
        bench.resume(job.run, "me")
    with pytest.raises(InputError, match="Only the browser"):
        bench.resume(job.run, "somebody else")
