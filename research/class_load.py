"""A class that votes by phone while some of it asks, on the real app: from a vote to its bar, redraws, memory.

    python -m research.class_load [--voters 100] [--askers 30] [--questions 8] [--every 6] [--delay 0.3] [--recording]

The app runs as `make run` starts it. A projector looks every 0.25 s, as its drawing does, and shows a question every
few seconds; it has a process of its own, and so have all phones together. Each phone looks every 2 s, and votes within
half that time after it saw the question. Askers are websocket clients of the Playground: each asks, with the scripted
endpoint (`delay` seconds a call) or, with `--recording`, what the recording knows, waits for its answer, has its page
drawn again, reads for 10 to 20 s, and begins anew until the last question. A vote is on its bar when the projector has
counted as many votes as were sent before it. First comes a quarter of the voters alone, then all, then all with the
askers. All clients share the machine with the app.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from core.classroom.questions import Option, Question
from core.classroom.routes import KEY_HEADER
from core.classroom.store import Classroom, class_store
from core.settings import DATABASE
from research.engine import endpoint
from research.sessions import percentile
from tests.asking import load_all
from tests.browser.conftest import App, start_app, stop_app
from tests.session_client import Session

LOOK_SECONDS, PHONE_SECONDS = 0.25, 2.0
VOTE_TARGET, REDRAW_TARGET = 1.0, 0.5
RECORDED = "Where was the inventor of the line-kite born?"
QUESTION = Question(
    text="Which strategy finds the evidence?",
    options=tuple(Option(key=key, text=f"Strategy {key}", right=key == "A") for key in "ABCD"),
)


@dataclass
class Phones:
    """Moments, seconds and errors of the phones of a class."""

    sent: list[list[float]]
    """Moments at which votes left, by question; all processes of a machine share this clock."""
    replies: list[float] = field(default_factory=list)
    """Seconds until a vote was taken."""
    joins: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass
class Load:
    """One class."""

    delays: list[float]
    """Seconds from each vote to its bar."""
    phones: Phones
    redraws: list[float]
    answers: list[float]
    """Seconds from Ask to the answer."""
    errors: list[str]
    joined: float
    """MiB of the app's process per voter, once all have joined."""
    processor: float
    """Seconds of processor time that the app's process took a second."""
    machine: float
    """The same for all processes of the machine, clients included."""


def main() -> None:
    """Measure and print; the exit status is 1 if anything failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--voters", type=int, default=100)
    parser.add_argument("--askers", type=int, default=30)
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--every", type=float, default=6.0)
    parser.add_argument("--delay", type=float, default=0.3)
    parser.add_argument("--recording", action="store_true")
    arguments = parser.parse_args()
    served = nullcontext("") if arguments.recording else endpoint(arguments.delay)
    with tempfile.TemporaryDirectory() as home, served as base_url:
        model = {"OPENAI_BASE_URL": base_url, "CHAT_MODEL": "scripted", "OPENAI_API_KEY": "benchmark"}
        app = start_app(Path(home), **({} if arguments.recording else model))
        try:
            with ExitStack() as stack:  # imports, the demo corpus, connections
                _ask(load_all(app.url, 1, stack)[0])
            loads = {
                "a quarter of the voters": measure(app, arguments, arguments.voters // 4, 0),
                "all voters": measure(app, arguments, arguments.voters, 0),
                "all voters and the askers": measure(app, arguments, arguments.voters, arguments.askers),
            }
        finally:
            stop_app(app)
        _, traceback, rest = app.log.read_text(errors="replace").partition("Traceback")
    sys.exit(0 if report(arguments, loads, traceback + rest[:2000]) else 1)


def measure(app: App, arguments: argparse.Namespace, voters: int, askers: int) -> Load:
    """One class from its opening to its end."""
    store = class_store(f"sqlite:///{app.home / DATABASE}")
    classroom = store.open("research", "Load", [QUESTION] * arguments.questions)
    process = psutil.Process(app.process.pid)
    over = threading.Event()
    asking: list[tuple[list[float], list[float], list[str]]] = []
    with ExitStack() as stack:
        sessions = load_all(app.url, askers, stack) if askers else []
        threads = stack.enter_context(ThreadPoolExecutor(max(1, askers)))
        jobs = [threads.submit(_ask_on, session, over) for session in sessions]
        before = process.memory_info().rss
        pool = stack.enter_context(multiprocessing.get_context("spawn").Pool(2))
        phones = pool.apply_async(_phones, (app.url, classroom.code, voters, arguments.questions))
        joined, counted, processor, machine = pool.apply(
            _project, (app.url, classroom, voters, arguments, app.process.pid, before)
        )
        seen = phones.get(120)
        over.set()
        asking = [job.result() for job in jobs]
        heard = [error for session in sessions for error in session.heard.errors]
    delays = [delay for place, moments in enumerate(seen.sent) for delay in _delays(moments, counted[place])]
    return Load(
        delays,
        seen,
        [one for redraws, _, _ in asking for one in redraws],
        [one for _, answers, _ in asking for one in answers],
        [*seen.errors, *heard, *(error for _, _, errors in asking for error in errors)],
        joined,
        processor,
        machine,
    )


def _delays(sent: Sequence[float], counted: Sequence[tuple[float, int]]) -> list[float]:
    """Seconds from each vote to the projector's first look that counts as many as were sent up to it."""
    delays = []
    for number, moment in enumerate(sorted(sent), 1):
        seen = next((when for when, count in counted if count >= number and when >= moment), None)
        delays.append(float("inf") if seen is None else seen - moment)
    return delays


def _project(
    url: str,
    classroom: Classroom,
    voters: int,
    arguments: argparse.Namespace,
    pid: int,
    before: int,
) -> tuple[float, list[list[tuple[float, int]]], float, float]:
    """Show one question after the other; returns MiB per voter that joined, the counts and their moments by question,
    and the processor time that the app and the machine took a second."""
    counted: list[list[tuple[float, int]]] = []
    place, process = f"{url}/join/{classroom.code}", psutil.Process(pid)
    with httpx.Client(headers={KEY_HEADER: classroom.key}, timeout=30) as projector:
        while projector.get(f"{place}/votes").json()["joined"] < voters:
            time.sleep(LOOK_SECONDS)
        joined = (process.memory_info().rss - before) / 2**20 / voters
        begun, used = time.monotonic(), sum(process.cpu_times()[:2])
        psutil.cpu_percent()  # until the next call
        for number in range(arguments.questions):
            projector.post(f"{place}/show", json={"place": number, "phase": "open"})
            looks: list[tuple[float, int]] = []
            end = time.monotonic() + arguments.every
            while time.monotonic() < end:
                view = projector.get(f"{place}/votes").json()
                looks.append((time.monotonic(), sum(view["question"]["votes"])))
                time.sleep(LOOK_SECONDS)
            projector.post(f"{place}/show", json={"place": number, "phase": "revealed"})
            counted.append(looks)
        machine = psutil.cpu_percent() / 100 * (psutil.cpu_count() or 1)
        processor = (sum(process.cpu_times()[:2]) - used) / (time.monotonic() - begun)
        projector.post(f"{place}/show", json={"place": arguments.questions - 1, "phase": "ended"})
    return joined, counted, processor, machine


def _phones(url: str, code: str, voters: int, questions: int) -> Phones:
    """All phones of a class, until it is over."""
    seen = Phones([[] for _ in range(questions)])

    async def phone(client: httpx.AsyncClient, generator: random.Random) -> None:
        place, version, voted = f"{url}/join/{code}", -1, -1
        start = time.monotonic()
        (await client.post(f"{place}/member", json={})).raise_for_status()
        seen.joins.append(time.monotonic() - start)
        while True:
            reply = await client.get(f"{place}/state?seen={version}")
            if reply.raise_for_status().status_code == 200:
                view = reply.json()
                version, question = view["version"], view.get("question")
                if view["phase"] == "ended":
                    return
                if question and not question["revealed"] and question["place"] != voted:
                    await asyncio.sleep(generator.uniform(0, PHONE_SECONDS / 2))
                    voted, moment = question["place"], time.monotonic()
                    vote = {"place": voted, "option": generator.choice("ABCD")}
                    (await client.post(f"{place}/vote", json=vote)).raise_for_status()
                    seen.sent[voted].append(moment)
                    seen.replies.append(time.monotonic() - moment)
            await asyncio.sleep(PHONE_SECONDS)

    async def tried(number: int) -> None:
        await asyncio.sleep(PHONE_SECONDS * number / voters)
        try:
            async with httpx.AsyncClient(timeout=30, verify=False) as client:  # no TLS, quicker to make
                await phone(client, random.Random(number))
        except httpx.HTTPError as error:
            seen.errors.append(f"phone: {error!r}")

    async def every() -> None:
        await asyncio.gather(*map(tried, range(voters)))

    asyncio.run(every())
    return seen


def _ask_on(session: Session, over: threading.Event) -> tuple[list[float], list[float], list[str]]:
    """Ask and redraw again and again until the class is over: seconds of redraws and of answers, and errors."""
    redraws, answers = [], []
    session.idle(random.uniform(0, 15))
    while not over.is_set():
        try:
            answers.append(_ask(session))
            redraws.append(session.redraw())
        except TimeoutError as error:
            return redraws, answers, [str(error)]
        session.idle(random.uniform(10, 20))
    return redraws, answers, []


def _ask(session: Session) -> float:
    """Seconds from Ask to the answer."""
    bodies = session.heard.bodies
    session.write("question", RECORDED)
    bodies.clear()
    start = time.monotonic()
    session.click("ask")
    return session.wait(lambda: any("Done in" in body for body in bodies), 120) - start


def _additions() -> float:
    """Seconds that 20 million additions take: the speed of the machine."""
    total, start = 0, time.perf_counter()
    for number in range(20_000_000):
        total += number
    return time.perf_counter() - start


def report(arguments: argparse.Namespace, loads: dict[str, Load], traceback: str) -> bool:
    """Print one table, and the first traceback of the app's log; True if nothing failed and the targets were met."""
    model = "the recording" if arguments.recording else f"{arguments.delay} s a call"
    print(
        f"{arguments.questions} questions, one every {arguments.every:g} s; {arguments.voters} voters, "
        f"{arguments.askers} askers ({model}); seconds; 20 million additions take {_additions():.2f} s"
    )
    print(f"{'':<48}{'p50':>8}{'p95':>8}{'most':>8}{'number':>8}")
    for name, load in loads.items():
        rows = {
            "vote to bar": load.delays,
            "vote taken": load.phones.replies,
            "join": load.phones.joins,
            "redraw": load.redraws,
            "answer": load.answers,
        }
        for title, values in rows.items():
            if values:
                numbers = "".join(f"{percentile(values, one):>8.3f}" for one in (50, 95, 100))
                print(f"{f'{name}: {title}':<48}{numbers}{len(values):>8}")
        print(
            f"{f'{name}: app':<48}{load.joined:.2f} MiB per voter, {load.processor:.2f} s of processor time a second "
            f"(machine: {load.machine:.2f} s), {len(load.errors)} errors"
        )
        for error in load.errors[:3]:
            print(f"  {error[:200]}")
    last = list(loads.values())[-1]
    votes = percentile(last.delays, 95)
    redraws = percentile(last.redraws, 95) if last.redraws else 0.0
    met = votes <= VOTE_TARGET and redraws <= REDRAW_TARGET
    print(
        f"targets: p95 of a vote to its bar at most {VOTE_TARGET} s, of a redraw {REDRAW_TARGET} s: "
        f"{votes:.2f} s, {redraws:.2f} s; {'met' if met else 'missed'}"
        f"; tracebacks in the log: {traceback or 'none'}"
    )
    return met and not traceback and not any(load.errors for load in loads.values())


if __name__ == "__main__":
    main()
