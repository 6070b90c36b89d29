"""A run's events reach the store whole and in order, also when the store is slow or fails for a moment."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from core.errors import StoreError
from core.runs.run_job import RunJob
from core.runs.store import RunStore
from core.trace.events import Event, RunFinished, RunStarted, RunStopped, StepFinished, StepStarted, now


class SlowStore(RunStore):
    """Writes when its gate is open, and fails as often as it is told."""

    failures = 0

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.asked, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def append(self, run: str, events: Sequence[Event], owner: str = "") -> None:
        self.asked.set()
        assert self.gate.wait(60)
        if self.failures:
            self.failures -= 1
            raise StoreError("The disk is full.")
        super().append(run, events, owner)


async def events(pause: float = 0.0) -> AsyncIterator[Event]:
    import asyncio

    yield RunStarted(
        run="r", created=now(), question="q", strategy="plain", params={}, chat_model="m", builtin=False
    )
    try:
        for seq in range(1, 20, 2):
            yield StepStarted(seq=seq, step=str(seq), node="n")
            await asyncio.sleep(pause)
            yield StepFinished(seq=seq + 1, step=str(seq))
    except asyncio.CancelledError:
        yield RunStopped(seq=99, reason="Stopped.")
        return
    yield RunFinished(seq=21)


def open_store(tmp_path: Path) -> SlowStore:
    return SlowStore(f"sqlite:///{tmp_path / 'runs.sqlite'}")


def test_its_first_event_can_be_waited_for(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    job = RunJob("r", events(0.03), lambda: store, "me")
    assert job.wait_for_first_event(60)
    assert isinstance(job.events[0], RunStarted)
    job.result(60)


def test_a_slow_first_write_loses_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.gate.clear()
    job = RunJob("r", events(0.01), lambda: store, "me")
    assert store.asked.wait(60)
    while not job.done:
        threading.Event().wait(0.01)
    assert not job.stored
    store.gate.set()
    kept = job.result(60)
    assert store.events("r") == kept
    assert store.list()[0].state == "finished"


def test_a_failed_write_is_tried_again(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.failures = 2
    job = RunJob("r", events(0.03), lambda: store, "me")
    kept = job.result(60)
    assert store.events("r") == kept
    assert job.stored


def test_stop_waits_for_the_last_event_to_be_stored(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.gate.clear()
    job = RunJob("r", events(60.0), lambda: store, "me")
    assert job.wait_for_first_event(60)
    job.stop()
    assert not job.stored
    store.gate.set()
    kept = job.result(60)
    assert isinstance(kept[-1], RunStopped)
    assert store.events("r") == kept
    assert store.list()[0].state == "stopped"


def test_stop_can_wait_for_the_end_a_moment(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    job = RunJob("r", events(60.0), lambda: store, "me")
    assert job.wait_for_first_event(60)
    job.stop(60)
    assert job.stored
    assert isinstance(store.events("r")[-1], RunStopped)
    store.gate.clear()
    slow = RunJob("s", events(60.0), lambda: store, "me")
    assert slow.wait_for_first_event(60)
    slow.stop(0.01)
    assert not slow.stored  # it is not waited for longer than that
    store.gate.set()
    slow.result(60)
