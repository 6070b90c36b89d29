"""How long the Playground takes from a healthy server until a question can be typed and asked.

    python -m research.start_page [--repeats 5] [--baseline FOLDER]

A server is started anew for each figure, as `make run` starts it, on a home in which the demo corpus is ready and whose
Chroma server runs; the chat model is the scripted endpoint. From the moment in which the server says that it is
healthy, headless Chromium (whose cache holds Streamlit's own files) opens the Playground: `seconds` end when the field
for the question is there and Ask can be pressed, `drawn` when the page's script has ended. `CPU` is what the server's
process has used from its healthy moment until the field was there, `kB` what came over the network until the page was
drawn: files, unless the browser has them, and messages. Medians; with --baseline, another checkout does the
same in turns with this one, and the ratio is its median by ours: above 1 is faster than it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
from playwright.sync_api import Page, sync_playwright

from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from research.start import HERE, Side, prepared
from tests.browser.conftest import FLAGS, SIZE, STATE, free_port
from tests.browser.install import installed
from tests.commands import environment_of, scripted_endpoint
from tests.scripted import ScriptedServer

TARGET_SECONDS = 3.0
PATIENCE = 300.0
FIELD = ".st-key-question textarea"
ASK = ".st-key-ask button:not([disabled])"


@dataclass(frozen=True)
class Opened:
    """One first visit."""

    seconds: float
    cpu: float
    drawn: float
    kilobytes: float


FIGURES = {"seconds": 9, "cpu": 8, "drawn": 8, "kilobytes": 8}
"""What is shown of a visit, and how wide."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--baseline", type=Path, metavar="FOLDER", help="another checkout")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        server = ScriptedServer()
        stack.callback(server.close)
        folders = {"now": HERE} | ({"baseline": arguments.baseline.resolve()} if arguments.baseline else {})
        sides = [stack.enter_context(prepared(name, folder, server)) for name, folder in folders.items()]
        for side in sides:
            supervisor = Supervisor(side.home)
            stack.callback(supervisor.release)
            supervisor.ensure(LOCAL_CHROMA)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        page = browser.new_context(viewport=SIZE).new_page()
        taken: dict[str, list[Opened]] = defaultdict(list)
        for number in range(-1, arguments.repeats):  # the first fills the browser's cache
            for side in sides if number % 2 else sides[::-1]:
                one = opened(side, server, page)
                if number >= 0:
                    taken[side.name].append(one)
        browser.close()
    show(taken, sides)
    return 0


def opened(side: Side, server: ScriptedServer, page: Page) -> Opened:
    """Start a server and open the Playground."""
    with served(side, server) as (url, process), weighed(page) as came:
        watched = psutil.Process(process.pid)
        begun, before = time.monotonic(), _cpu(watched)
        page.goto(url, wait_until="commit")
        page.wait_for_selector(FIELD, timeout=PATIENCE * 1000)
        page.wait_for_selector(ASK, timeout=PATIENCE * 1000)
        seconds, cpu = time.monotonic() - begun, _cpu(watched) - before
        page.wait_for_selector(f'{STATE}[data-test-script-state="notRunning"]', timeout=PATIENCE * 1000)
        drawn = time.monotonic() - begun
        opened = Opened(seconds, cpu, drawn, sum(came) / 1000)
        page.goto("about:blank")
        return opened


@contextmanager
def weighed(page: Page) -> Iterator[list[int]]:
    """Bytes of each file and of each message that come meanwhile."""
    came: list[int] = []
    watched = page.context.new_cdp_session(page)
    watched.on("Network.loadingFinished", lambda event: came.append(int(event["encodedDataLength"])))
    watched.on(
        "Network.webSocketFrameReceived",
        lambda event: came.append(len(event["response"]["payloadData"]) * 3 // 4),  # base64
    )
    watched.send("Network.enable")
    try:
        yield came
    finally:
        watched.detach()


@contextmanager
def served(side: Side, server: ScriptedServer) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server of a checkout that is healthy; ended at the end."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    with (side.home / "app.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=side.folder, stdout=log, stderr=subprocess.STDOUT,
            env={**os.environ, **environment_of(side.home), **scripted_endpoint(server)},
        )  # fmt: skip
        url = f"http://127.0.0.1:{port}"
        give_up = time.monotonic() + PATIENCE
        try:
            while not _healthy(url):
                if process.poll() is not None or time.monotonic() > give_up:
                    raise SystemExit((side.home / "app.log").read_text(errors="replace")[-2000:])
                time.sleep(0.02)
            yield url, process
        finally:
            process.terminate()
            process.wait()


def _healthy(url: str) -> bool:
    try:
        return httpx.get(f"{url}/_stcore/health", trust_env=False).text == "ok"
    except httpx.HTTPError:
        return False


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def show(taken: dict[str, list[Opened]], sides: Sequence[Side]) -> None:
    """A line per side, and the ratio."""
    medians = {}
    print(f"{'':<12}{'seconds':>9}{'CPU':>8}{'drawn':>8}{'kB':>8}   seconds of each")
    for side in sides:
        every = taken[side.name]
        middle = [statistics.median(getattr(one, name) for one in every) for name in FIGURES]
        medians[side.name] = middle
        figures = "".join(
            f"{figure:>{width}.2f}" for figure, width in zip(middle, FIGURES.values(), strict=True)
        )
        print(f"{side.name:<12}{figures}   {' '.join(f'{one.seconds:.2f}' for one in every)}")
    if "baseline" in medians:
        ratios = [old / new for old, new in zip(medians["baseline"], medians["now"], strict=True)]
        figures = "".join(
            f"{ratio:>{width}.2f}" for ratio, width in zip(ratios, FIGURES.values(), strict=True)
        )
        print(f"{'ratio':<12}{figures}")
    print(f"aim: {TARGET_SECONDS} s; {'met' if medians['now'][0] <= TARGET_SECONDS else 'missed'}")


if __name__ == "__main__":
    sys.exit(main())
