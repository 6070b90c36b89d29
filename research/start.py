"""How long `python -m core ask` takes from its start until the endpoint has its first model call.

    python -m research.start [--repeats 7] [--strategy KEY ...] [--cold 2] [--baseline FOLDER]

The endpoint is the scripted one, over HTTP, and the demo corpus is ready. A row is one strategy: closed book, one that
asks before it searches, and plain retrieval, whose Chroma server runs already. `seconds` go from the moment in which
the process is started until its first request arrives; `CPU` is what the process has used until then, user and system,
which another program on the machine changes much less. Both are medians. Services that had to be started are
apart: plain retrieval once more with a home in which nothing runs, and beside it the seconds of Chroma's start alone.
The first row is a bare `python -c "import langgraph.graph, openai"`, until it ends: what strategies and calls are made
of takes that long on this machine.

With --baseline, another checkout does the same in turns with this one, and the ratio is its median by ours: above 1 is
faster than it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.commands import environment_of
from tests.scripted import ScriptedServer

HERE = Path(__file__).parents[1]
QUESTION = "Who was Warden when the father of the composer of The Drowned Bell was born?"
"""Of the demo corpus."""
ASKED_FIRST = ("closed-book", "multi-query")
"""Strategies that ask the model before they search, if they search at all."""
SEARCHED_FIRST = "plain"
TARGETS = dict.fromkeys(ASKED_FIRST, 1.5) | {SEARCHED_FIRST: 2.0}
"""Strategy -> seconds."""
BARE = "import langgraph.graph, openai"
REPLY_SECONDS = 0.3
"""How long the endpoint lets its caller wait, so that what comes after the first call is not counted as before it."""
PATIENCE = 120.0


@dataclass(frozen=True)
class Taken:
    """One start."""

    seconds: float
    cpu: float
    """Seconds of the process itself, user and system."""


@dataclass(frozen=True)
class Side:
    """A checkout with a home whose demo corpus is ready."""

    name: str
    folder: Path
    home: Path


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument(
        "--strategy", nargs="*", default=list(TARGETS), help="only these; with a Chroma that runs"
    )
    parser.add_argument("--cold", type=int, default=2, help="starts that find no service; 0: none")
    parser.add_argument("--baseline", type=Path, metavar="FOLDER", help="another checkout")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        server = ScriptedServer()
        stack.callback(server.close)
        server.delay = REPLY_SECONDS
        folders = {"now": HERE} | ({"baseline": arguments.baseline.resolve()} if arguments.baseline else {})
        sides = [stack.enter_context(prepared(name, folder, server)) for name, folder in folders.items()]
        measure(sides, server, arguments)
    return 0


def measure(sides: Sequence[Side], server: ScriptedServer, arguments: argparse.Namespace) -> None:
    """All rows, each printed as soon as it is there."""
    print(f"medians of {arguments.repeats} starts; seconds / CPU seconds until the first model call")
    heads = "".join(f"{side.name:>18}" for side in sides)
    print(f"{'':<34}{heads}" + ("        ratio (CPU)" if len(sides) > 1 else "") + "   aim")
    show(f'python -c "{BARE}"', {sides[0].name: [bare() for _ in range(arguments.repeats)]}, sides, None)
    with ExitStack() as services:
        for side in sides:
            supervisor = Supervisor(side.home)
            services.callback(supervisor.release)
            supervisor.ensure(LOCAL_CHROMA)
        for strategy in arguments.strategy:
            taken: dict[str, list[Taken]] = defaultdict(list)
            for number in range(
                -1, arguments.repeats
            ):  # the first reads everything into the machine's memory
                for side in sides if number % 2 else sides[::-1]:
                    one = started(side, side.home, strategy, server)
                    if number >= 0:
                        taken[side.name].append(one)
            show(strategy, taken, sides, TARGETS.get(strategy))
    if arguments.cold:
        cold: dict[str, list[Taken]] = defaultdict(list)
        for _ in range(arguments.cold):
            for side in sides:
                with copied(side.home) as home:
                    cold[side.name].append(started(side, home, SEARCHED_FIRST, server))
        show(f"{SEARCHED_FIRST}, Chroma not running", cold, sides, None)
        with copied(sides[0].home) as home:
            show("  of that, Chroma's start", {sides[0].name: [chroma_alone(home)]}, sides, None)


@contextmanager
def prepared(name: str, folder: Path, server: ScriptedServer) -> Iterator[Side]:
    """A checkout whose demo corpus is indexed, and whose code is compiled."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        side = Side(name, folder, Path(home))
        started(side, side.home, SEARCHED_FIRST, server)
        yield side


@contextmanager
def copied(home: Path) -> Iterator[Path]:
    """A home with the same corpora in which no service runs."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        target = Path(folder) / "home"
        shutil.copytree(home, target, ignore=shutil.ignore_patterns("services", "logs"))
        yield target


def started(side: Side, home: Path, strategy: str, server: ScriptedServer) -> Taken:
    """Ask once, and wait until all is over."""
    server.requests.clear()
    environment = environment_of(home) | {"PYTHONDONTWRITEBYTECODE": ""}
    environment |= {"OPENAI_BASE_URL": server.base_url, "CHAT_MODEL": "scripted", "OPENAI_API_KEY": "none"}
    command = [sys.executable, "-m", "core", "ask", QUESTION, "--strategy", strategy]
    begun = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=side.folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        cpu = 0.0
        watched = psutil.Process(process.pid)
        while not server.requests and process.poll() is None and time.monotonic() < begun + PATIENCE:
            time.sleep(0.005)
        with suppress(psutil.Error):
            times = watched.cpu_times()
            cpu = times.user + times.system
        _, errors = process.communicate(timeout=PATIENCE)
    if process.returncode or not server.requests:
        raise SystemExit(f"{side.folder}: {strategy} failed.\n{errors}")
    return Taken(server.requests[0]["at"] - begun, cpu)


def bare() -> Taken:
    """A process that imports, and nothing else."""
    before = os.times()
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", BARE], cwd=HERE, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Taken(time.monotonic() - begun, cpu)


def chroma_alone(home: Path) -> Taken:
    """Chroma's start as the command waits for it; its own process uses the CPU."""
    supervisor = Supervisor(home)
    begun = time.monotonic()
    running = supervisor.ensure(LOCAL_CHROMA)
    seconds = time.monotonic() - begun
    process = running.process()
    times = process.cpu_times() if process else None
    supervisor.release()
    return Taken(seconds, times.user + times.system if times else 0.0)


def show(title: str, taken: dict[str, list[Taken]], sides: Sequence[Side], aim: float | None) -> None:
    """One line."""
    line, medians = f"{title:<34}"[:52], []
    for side in sides:
        if side.name not in taken:
            line += f"{'':>18}"
            continue
        seconds = statistics.median(one.seconds for one in taken[side.name])
        cpu = statistics.median(one.cpu for one in taken[side.name])
        medians.append((seconds, cpu))
        line += f"{f'{seconds:.2f} / {cpu:.2f}':>18}"
    if len(medians) > 1:
        (seconds, cpu), (other_seconds, other_cpu) = medians
        line += f"{f'{other_seconds / seconds:.2f} ({other_cpu / cpu:.2f})':>19}"
    if aim is not None:
        line += f"   {aim} s: {'met' if medians[0][0] <= aim else 'missed'}"
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
