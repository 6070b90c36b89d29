"""Tokens of a coming run, judged from earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.runs.forecast import JUDGED_RUNS, PastTokens, past_tokens
from core.runs.store import RunStore
from core.trace.events import ModelFinished, RunFinished, RunStarted, RunStopped, Usage
from tests import examples


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(f"sqlite:///{tmp_path / 'runs.sqlite'}")


def add(
    store: RunStore,
    run: str,
    *usages: tuple[int | None, int | None],
    owner: str = "me",
    finished: bool = True,
    **changes: Any,
) -> None:
    first = examples.RUNS["plain"]()[0]
    assert isinstance(first, RunStarted)
    started = first.model_copy(
        update={"run": run, "strategy": "plain", "chat_model": "m", "builtin": False, **changes}
    )
    calls = [
        ModelFinished(
            seq=number, call=str(number), output="x", seconds=1, usage=Usage(input=sent, output=got)
        )
        for number, (sent, got) in enumerate(usages, 1)
    ]
    seq = len(calls) + 1
    end = RunFinished(seq=seq) if finished else RunStopped(seq=seq, reason="Stopped.")
    store.append(run, [started, *calls, end], owner)


def judged(store: RunStore, **options: Any) -> PastTokens:
    asked = {"owners": ["me"], "strategy": "plain", "model": "m", "builtin": False, **options}
    return past_tokens(store, **asked)


def test_the_median_over_runs_of_the_tokens_per_call(store: RunStore) -> None:
    add(store, "a", (100, 10))
    add(store, "b", (200, 30), (400, 50))
    add(store, "c", (9000, 900))
    assert judged(store) == PastTokens(3, 300, 40)
    assert judged(store).of(7) == (2100, 280)
    assert PastTokens(1, 123.4, 0).of(10) == (1200, 0)


def test_only_comparable_runs_count(store: RunStore) -> None:
    add(store, "other-strategy", (1, 1), strategy="hyde")
    add(store, "other-model", (1, 1), chat_model="n")
    add(store, "built-in", (1, 1), chat_model="m", builtin=True)
    add(store, "theirs", (1, 1), owner="you")
    add(store, "stopped", (1, 1), finished=False)
    add(store, "fork", (1, 1), parent="a")
    add(store, "uncounted", (1, 1), (None, None))
    add(store, "no-call")
    assert judged(store) == PastTokens(0)
    assert judged(store, builtin=True, model="") == PastTokens(1, 1, 1)
    assert judged(store, model="").runs == 1  # the endpoint's first model, whichever that is
    store.pin("theirs", True)
    assert judged(store).runs == 1


def test_an_answer_that_looks_like_an_event_is_none(store: RunStore) -> None:
    add(store, "a", (10, 1), question='"type":"model_finished"')
    assert judged(store) == PastTokens(1, 10, 1)


def test_only_the_newest_runs_are_read(store: RunStore) -> None:
    for number in range(JUDGED_RUNS + 5):
        add(store, f"run-{number}", (10, 1))
    assert judged(store).runs == JUDGED_RUNS
