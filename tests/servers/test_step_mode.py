"""Gone through step by step: a run that stops before its steps is the run that it would have been in one go."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.cards.kinds.queries import with_queries
from core.errors import InputError
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.runs import engine, launch
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.store import RunFilter
from core.runs.transfer import import_file, to_lines
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.artefacts import Queries
from core.trace.events import EACH_STEP, RunPaused
from tests.bench import CORPUS, leave, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"
MOST = 80
"""More stops than any of these runs has."""
FEW = ("plain", "rag-fusion", "step-back", "self-rag")
"""In turn, branches, two at once, and a loop; the others are thorough."""


@pytest.fixture(scope="module")
def home(homes: Homes) -> Path:
    return homes.indexed()


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, home: Path) -> Iterator[Workbench]:
    bench = open_bench(home, scripted_server, model_attempts=1)
    yield bench
    leave(bench)


def asked(bench: Workbench, strategy: str, stop_before: str = "") -> Record:
    """A run as far as it goes by itself."""
    own = strategies()[strategy]
    request = RunRequest(
        QUESTION,
        strategy,
        corpus=CORPUS if own.retrieves else None,
        graph=DEMO_GRAPHS[-1].name if own.explores else None,
        owner="me",
        stop_before=stop_before,
    )
    return record(bench.launcher.start(request).result(60))


def run_of(run: Record) -> str:
    assert run.started is not None
    return run.started.run


def gone_on(bench: Workbench, run: Record, stop_before: str | None = None) -> Record:
    """The run up to its next stop."""
    return record(bench.launcher.resume(run_of(run), "me", stop_before=stop_before).result(60))


def to_its_end(bench: Workbench, run: Record) -> Record:
    """Stop by stop."""
    for _ in range(MOST):
        if run.state == "paused":
            run = gone_on(bench, run)
    assert run.state == "finished", run.error
    return run


def stops(bench: Workbench, run: Record) -> list[list[str]]:
    """The nodes that each of its stops waited for."""
    return [sorted(one.next) for one in bench.store.events(run_of(run)) if isinstance(one, RunPaused)]


def same(run: Record, whole: Record) -> None:
    """Whether both did and came to the same."""

    def steps(one: Record) -> list[tuple[str, str, int]]:
        return [(step.node, step.label, step.layer) for step in one.steps]

    assert sorted(steps(run)) == sorted(steps(whole))
    assert sorted(repr(made) for _, made in run.artefacts) == sorted(
        repr(made) for _, made in whole.artefacts
    )
    assert run.answer == whole.answer
    assert (run.totals.calls, run.totals.rounds) == (whole.totals.calls, whole.totals.rounds)


@pytest.mark.parametrize(
    "strategy",
    [pytest.param(key, marks=[] if key in FEW else pytest.mark.thorough) for key in strategies()],
)
def test_step_by_step_it_comes_to_the_same(bench: Workbench, scripted: ScriptedServer, strategy: str) -> None:
    """Also: what runs at the same time is one stop, and a loop stops in each of its turns."""
    whole = asked(bench, strategy)
    assert whole.state == "finished", whole.error
    run = to_its_end(bench, asked(bench, strategy, EACH_STEP))
    same(run, whole)
    layers: dict[int, list[str]] = defaultdict(list)
    for step in whole.steps:
        layers[step.layer].append(step.node)
    assert stops(bench, run) == [sorted(layers[layer]) for layer in sorted(layers)]


def test_a_run_waits_in_the_store_and_goes_on_after_a_restart(
    bench: Workbench, scripted: ScriptedServer, scripted_server: ScriptedServer, home: Path
) -> None:
    run = gone_on(bench, asked(bench, "rag-fusion", EACH_STEP))
    assert run.next == ("retrieve",) * 5
    entry = bench.store.entry(run_of(run))
    assert entry.state == "paused"
    assert entry in bench.store.list(RunFilter(owners=["me"], states=["paused"]))
    assert record(bench.store.events(run_of(run))) == run
    with pytest.raises(InputError, match="Only the browser"):
        bench.launcher.resume(run_of(run), "somebody else")
    other = open_bench(home, scripted_server, model_attempts=1)
    try:
        done = gone_on(other, run, stop_before="")
    finally:
        leave(other)
    same(done, asked(bench, "rag-fusion"))
    assert bench.store.entry(run_of(run)).state == "finished"
    with pytest.raises(InputError, match="nothing to continue"):
        gone_on(bench, run)


def test_a_single_node_is_a_stop_in_every_turn_of_its_loop(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill="grade_support", reply='{"verdict": "no", "reason": "It says more."}'))
    run = asked(bench, "self-rag", "generate")
    assert (run.state, run.next) == ("paused", ("generate",))
    run = to_its_end(bench, run)
    assert len(stops(bench, run)) == sum(step.node == "generate" for step in run.steps) > 1


def test_before_the_answer_nothing_is_paid_for_it_and_the_wait_is_no_time_of_the_run(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = asked(bench, "plain", "answer")
    assert run.next == ("answer",)
    assert not scripted.requests
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + 3600)
    for module in (engine, launch):
        monkeypatch.setattr(module, "time", later)
    run = gone_on(bench, run)
    assert run.state == "finished"
    assert run.seconds < 3600
    assert len(scripted.requests) == run.totals.calls == 1


def test_a_step_that_is_not_there_is_refused(bench: Workbench) -> None:
    with pytest.raises(
        InputError, match="no step 'grade_answer' to stop before. Choose one of: each, retrieve"
    ):
        asked(bench, "plain", "grade_answer")


def test_an_edit_at_a_stop_goes_on_to_the_stop_after_that(bench: Workbench, scripted: ScriptedServer) -> None:
    run = gone_on(bench, asked(bench, "rag-fusion", EACH_STEP))
    step, queries = next((step, made) for step, made in run.artefacts if isinstance(made, Queries))
    edited = with_queries(queries, f"{QUESTION}\nsilent film of 1915")
    fork = record(bench.launcher.fork(run_of(run), step.id, edited, "me").result(60))
    assert (fork.state, fork.next) == ("paused", ("fuse",))
    assert [ranked.label for ranked in fork.steps if ranked.node == "retrieve"] == [
        QUESTION,
        "silent film of 1915",
    ]
    whole = to_its_end(bench, fork)
    assert [step.node for step in whole.steps] == ["queries", "retrieve", "retrieve", "fuse", "answer"]
    # Of a run that has ended, it goes to its end: whoever edits wants to see what comes of it.
    again = record(bench.launcher.fork(run_of(whole), step.id, queries, "me").result(60))
    assert again.state == "finished"


def test_a_run_from_a_file_cannot_go_on_and_says_why(bench: Workbench, scripted: ScriptedServer) -> None:
    run = gone_on(bench, asked(bench, "plain", EACH_STEP))
    lines = to_lines(bench.store.events(run_of(run))).encode()
    copy = import_file("run.jsonl", lines, bench.store, bench.comparisons, "me")
    assert isinstance(copy, str)
    assert bench.store.entry(copy).state == "stopped"
    failed = record(bench.launcher.resume(copy, "me").result(60))
    assert (failed.state, len(failed.steps)) == ("failed", 1)
    assert "may come from a file" in failed.error
