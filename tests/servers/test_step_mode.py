"""Gone through step by step: a run that stops before its steps is the run that it would have been in one go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from core.errors import InputError
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.artefacts import Answer, Queries, Query
from core.trace.events import EACH_STEP, Event, RunPaused
from tests.bench import CORPUS, leave, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

MOST = 60
"""Stops of any run of these tests."""
QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.indexed(), scripted_server, model_attempts=1)
    yield bench
    bench.backends.supervisor.release()


def asked(bench: Workbench, strategy: str, stop_before: str = "") -> Record:
    """A run as far as it goes by itself."""
    own = strategies()[strategy]
    request = RunRequest(
        QUESTION,
        strategy,
        corpus=CORPUS if own.retrieves else None,
        owner="me",
        stop_before=stop_before,
    )
    return record(bench.launcher.start(request).result(60))


def run_of(run: Record) -> str:
    assert run.started is not None
    return run.started.run


def gone_on(bench: Workbench, run: Record, stop_before: str | None = None) -> Record:
    """The run after its next step, or after the steps up to its next stop."""
    return record(bench.launcher.resume(run_of(run), "me", stop_before=stop_before).result(60))


def stops(events: Sequence[Event]) -> list[tuple[str, ...]]:
    return [event.next for event in events if isinstance(event, RunPaused)]


@pytest.mark.parametrize("strategy", [key for key, one in strategies().items() if not one.explores or one.retrieves])
def test_step_by_step_comes_to_the_same(bench: Workbench, scripted: ScriptedServer, strategy: str) -> None:
    whole = asked(bench, strategy)
    assert whole.state == "finished", whole.error
    run = asked(bench, strategy, EACH_STEP)
    for _ in range(MOST):
        run = gone_on(bench, run) if run.state == "paused" else run
    assert run.state == "finished", run.error
    assert [(step.node, step.label, step.layer) for step in run.steps] == [(step.node, step.label, step.layer) for step in whole.steps]
    assert [made for _, made in run.artefacts] == [made for _, made in whole.artefacts]
    assert run.answer == whole.answer
    layers = {step.layer: [] for step in whole.steps}
    for step in whole.steps: layers[step.layer].append(step.node)
    assert [sorted(one) for one in stops(bench.store.events(run_of(run)))] == [sorted(one) for one in layers.values()]
