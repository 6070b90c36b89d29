"""The process's event loop: what goes wrong where nobody waits is logged, but for what is not wrong."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.jobs import event_loop, run_blocking


def reported(error: Exception) -> None:
    async def report() -> None:
        event_loop().call_exception_handler({"message": "nobody waited", "exception": error})

    run_blocking(report(), 10)


def test_only_what_is_wrong_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "asyncio"):
        reported(RuntimeError("aclose(): asynchronous generator is already running"))
        reported(RuntimeError("cannot schedule new futures after interpreter shutdown"))
        assert not caplog.records
        reported(RuntimeError("something else"))
    assert [record.message.splitlines()[0] for record in caplog.records] == ["nobody waited"]


def test_work_that_nobody_waits_for_any_more_is_stopped() -> None:
    stopped = threading.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    with pytest.raises(TimeoutError):
        run_blocking(endless(), 0.05)
    assert stopped.wait(10)


@pytest.mark.processes
def test_a_process_that_ends_with_work_under_way_says_nothing() -> None:
    """At that moment threads take nothing on any more, neither the work nor its clean-up."""
    script = """
import asyncio, atexit
from core.jobs import Job
async def work():
    try:
        while True:
            await asyncio.to_thread(print, end="")
    finally:
        await asyncio.to_thread(print, "cleaned up")
atexit.register(Job(work()).wait, 60)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.processes
def test_what_stays_open_for_an_owner_is_closed_in_order_when_it_is_gone(tmp_path: Path) -> None:
    """Also where the process ends at once. Each checkpointer is two generators, one within the other."""
    script = """
import gc, pathlib, sys
from core.jobs import exit_stack_for, run_blocking
from core.runs.checkpoints.opening import open_checkpoints
class Owner:
    def __init__(self, folder):
        self.itself = self
        self.open = exit_stack_for(self)
        self.saver = run_blocking(self.open.enter_async_context(open_checkpoints(folder)))
for name in ("one", "two", "three"):
    Owner(pathlib.Path(sys.argv[1], name))
gc.collect()
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert not list(tmp_path.glob("*/*-wal")), "SQLite keeps it as long as somebody has the file open"
