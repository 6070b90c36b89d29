"""Measures how one run at a hostile endpoint delays 25 runs at a good one in the same process.

    python -m research.hostile_endpoint [--others 25] [--mode NAME ...] [--silence 2]

Both endpoints are processes of their own on 127.0.0.1. Rounds without the hostile endpoint come first and in between;
the ratio is measured against all of them so far. In each other round, a run that asks the hostile endpoint, in one
mode, begins shortly before the others. Times are from the wish to the run's first step, whose wait for the event loop
and the database is what the others would notice. A stall is the longest time for which the event loop did nothing
else. Memory is the largest resident set above that at the beginning of the round. The hostile run must end by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from core.jobs import event_loop
from core.models.chat_models import EndpointModel
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.run_job import RunJob
from core.runs.workbench import Workbench
from core.settings import Settings
from core.trace.events import Event, RunStarted, StepStarted
from research.engine import endpoint, server
from tests.unit.models.hostile_endpoint import MODES

BEAT_SECONDS = 0.01
HEAD_START_SECONDS = 0.3
"""By which the hostile run begins before the others."""
HOSTILE_SECONDS = 60.0
"""How long a hostile run may take before it counts as one without end, and is stopped."""
QUIET_ROUNDS = 8
"""Modes after which a round without the hostile endpoint is measured anew."""


@dataclass
class Watch:
    """Stalls and memory of the process during a round."""

    stall: float = 0.0
    """Longest time for which the event loop did nothing else, in seconds."""
    memory: int = 0
    """Largest growth of the resident set, in bytes."""
    _over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch while this is open."""
        beating = asyncio.run_coroutine_threadsafe(self._beat(), event_loop())
        weighing = threading.Thread(target=self._weigh, daemon=True)
        weighing.start()
        try:
            yield
        finally:
            self._over.set()
            beating.result(HOSTILE_SECONDS)
            weighing.join()

    async def _beat(self) -> None:
        last = time.perf_counter()
        while not self._over.is_set():
            await asyncio.sleep(BEAT_SECONDS)
            now = time.perf_counter()
            self.stall, last = max(self.stall, now - last - BEAT_SECONDS), now

    def _weigh(self) -> None:
        process = psutil.Process()
        before = process.memory_info().rss
        while not self._over.wait(0.05):
            self.memory = max(self.memory, process.memory_info().rss - before)


@dataclass(frozen=True)
class Round:
    """The others' times, and what became of the hostile run."""

    firsts: list[float]
    """Seconds from the wish to the first step."""
    watch: Watch
    failed: int = 0
    """How many of the others did not get their answer."""
    seconds: float = 0.0
    """How long the hostile run took."""
    end: str = ""
    """Its sentence."""

    @property
    def p95(self) -> float:
        """Of the times."""
        return sorted(self.firsts)[math.ceil(0.95 * len(self.firsts)) - 1]


def main() -> None:
    """Measure and print; the exit status is 1 if a hostile run did not end by itself, or another one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--others", type=int, default=25)
    parser.add_argument("--mode", action="append", choices=sorted(MODES), help="only these")
    parser.add_argument("--silence", type=float, default=2.0, help="MODEL_TIMEOUT_SECONDS")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        endpoint(0.3) as good,
        server("tests.unit.models.hostile_endpoint") as root,
    ):
        settings = Settings(
            _env_file=None,
            openai_base_url=good,
            chat_model="scripted",
            rag_loupe_home=Path(home),
            model_timeout_seconds=arguments.silence,
            model_attempts=2,
        )
        bench = Workbench(settings)
        for _ in range(2):
            measure(bench, arguments.others)
        sys.exit(0 if compare(bench, root, arguments.mode or list(MODES), arguments.others) else 1)


def compare(bench: Workbench, root: str, modes: list[str], others: int) -> bool:
    """One line per mode, beside the rounds without; whether every hostile run ended, and no other one failed."""
    quiet = [measure(bench, others) for _ in range(3)]
    print(f"{'mode':<24}{'p95':>9}{'ratio':>8}{'stall':>9}{'memory':>10}{'ended in':>10}  sentence")
    well, worst = True, 0.0
    for number, mode in enumerate(modes, 1):
        one = measure(bench, others, f"{root}/{mode}/v1")
        ratio = one.p95 / _p95_of(quiet)
        well, worst = well and bool(one.end) and not one.failed, max(worst, ratio)
        print(
            f"{mode:<24}{one.p95 * 1000:>6.0f} ms{ratio:>8.2f}{one.watch.stall * 1000:>6.0f} ms"
            f"{one.watch.memory / 2**20:>7.0f} MB{one.seconds:>8.1f} s  {one.end or 'NO END'}",
            flush=True,
        )
        if number % QUIET_ROUNDS == 0 or number == len(modes):
            quiet.append(measure(bench, others))
    print(
        f"without: {others} runs, p95 of the time to the first step {_p95_of(quiet) * 1000:.0f} ms over {len(quiet)} "
        f"rounds, largest stall {max(one.watch.stall for one in quiet) * 1000:.0f} ms; worst ratio {worst:.2f}"
    )
    return well and not any(one.failed for one in quiet)


def _p95_of(rounds: list[Round]) -> float:
    return Round([first for one in rounds for first in one.firsts], Watch()).p95


def measure(bench: Workbench, others: int, hostile: str = "") -> Round:
    """One round; `hostile` is the address of the hostile endpoint, empty: there is none."""
    watch, job = Watch(), None
    with watch.on():
        begun = time.perf_counter()
        if hostile:
            choice = EndpointModel(ChatEndpoint(hostile, NO_KEY, "m"))
            job = bench.launcher.start(RunRequest("What is a lock?", "closed-book", chat=choice))
            time.sleep(HEAD_START_SECONDS)
        wishes = [
            (time.time(), bench.launcher.start(RunRequest(f"What is number {number}?", "closed-book")))
            for number in range(others)
        ]
        runs = [(wish, one.result(HOSTILE_SECONDS)) for wish, one in wishes]
        end, seconds = _end(job, begun)
    firsts = [_first(wish, events) for wish, events in runs]
    failed = sum(record(events).state != "finished" for _, events in runs)
    return Round(firsts, watch, failed, seconds, end)


def _first(wish: float, events: list[Event]) -> float:
    """Seconds from the wish to the first step."""
    started = next(event for event in events if isinstance(event, RunStarted))
    step = next(event for event in events if isinstance(event, StepStarted))
    return started.created.timestamp() - wish + step.at


def _end(job: RunJob | None, begun: float) -> tuple[str, float]:
    """With which sentence the hostile run ended, and after how many seconds; empty: it had to be stopped."""
    if job is None:
        return "", 0.0
    job.wait(HOSTILE_SECONDS)
    seconds = time.perf_counter() - begun
    if not job.done:
        job.stop(HOSTILE_SECONDS)
        return "", seconds
    return record(job.result()).error or "", seconds


if __name__ == "__main__":
    main()
