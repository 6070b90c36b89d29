"""Sessions that ask at once, as websocket clients of the real app, beside one session alone.

    python -m research.sessions [--sessions 25] [--rounds 3] [--delay 0.3] [--strategy rag-fusion]
    python -m research.sessions --redraw [--sessions 100] [--every 3] [--seconds 30]

The app runs as `make run` starts it, with the scripted endpoint (a process of its own, `delay` seconds per call) and a
strategy, plain retrieval unless another is named, over the demo corpus. Each session loads the Playground, sets a
question with a token that occurs nowhere else, and presses Ask at the same moment as the others. It must get the answer
to its own question, must never receive another session's token, and no error may come up. Every round begins with one
session alone. Times are those of the clients; all of them run on this machine and share its cores with the app. Memory
is the resident set of the app's own process (its servers not counted), by what the sessions of a round added.

With `--redraw` nobody asks: each session has the whole Playground drawn again every few seconds, at moments spread
evenly, and the time is from the wish to the end of the script, beside one session alone.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from research.engine import endpoint
from tests.asking import Asked, ask_at_once, load_all, rules, tokens
from tests.browser.conftest import App, start_app, stop_app
from tests.session_client import Session

TARGET_SECONDS = 2.0
REDRAW_SECONDS = 0.5


@dataclass(frozen=True)
class Round:
    """Sessions that asked at once."""

    asked: tuple[Asked, ...]
    loaded: float
    """MiB per session once all pages are loaded."""
    done: float
    """MiB per session once all are answered."""


def main() -> None:
    """Measure and print; the exit status is 1 if a session met an error or saw what is not its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--delay", type=float, default=0.3)
    parser.add_argument("--strategy", default="")
    parser.add_argument("--redraw", action="store_true")
    parser.add_argument("--every", type=float, default=3.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, endpoint(arguments.delay) as base_url:
        app = start_app(
            Path(home), OPENAI_BASE_URL=base_url, CHAT_MODEL="scripted", OPENAI_API_KEY="benchmark"
        )
        try:
            strategy = arguments.strategy
            measure(app, base_url, 2, strategy)  # imports, the demo corpus, connections
            if arguments.redraw:
                sys.exit(0 if redraws(app, arguments) else 1)
            alone, together = [], []
            for _ in range(arguments.rounds):
                alone.append(measure(app, base_url, 1, strategy))
                together.append(measure(app, base_url, arguments.sessions, strategy))
        finally:
            stop_app(app)
        traced = "Traceback" in app.log.read_text(errors="replace")
    good = report(arguments, alone, together, traced=traced)
    sys.exit(0 if good else 1)


def redraws(app: App, arguments: argparse.Namespace) -> bool:
    """Measure redraws and print; whether no error came up."""
    print(
        f"the whole Playground drawn again every {arguments.every} s, for {arguments.seconds} s; seconds each"
    )
    print(f"{'':<30}{'p50':>8}{'p95':>8}{'most':>8}{'redraws':>10}")
    errors: list[str] = []
    slow = 0.0
    for count in (1, arguments.sessions):
        with ExitStack() as stack:
            loaded = load_all(app.url, count, stack)
            with ThreadPoolExecutor(count) as threads:
                jobs = [
                    threads.submit(_redrawn, session, arguments, place / count)
                    for place, session in enumerate(loaded)
                ]
                times = [taken for job in jobs for taken in job.result()]
            errors += [error for session in loaded for error in session.heard.errors]
        slow = percentile(times, 95)
        name = "one session alone" if count == 1 else f"{count} sessions"
        print(f"{name:<30}{percentile(times, 50):>8.3f}{slow:>8.3f}{max(times):>8.3f}{len(times):>10}")
    print(
        f"errors {len(errors)}; target: p95 at most {REDRAW_SECONDS} s; {'met' if slow <= REDRAW_SECONDS else 'missed'}"
    )
    return not errors


def _redrawn(session: Session, arguments: argparse.Namespace, offset: float) -> list[float]:
    """Seconds of each redraw of one session, whose first one comes after a share of the interval."""
    session.idle(offset * arguments.every)
    end, taken = time.monotonic() + arguments.seconds, []
    while (now := time.monotonic()) < end:
        taken.append(session.redraw())
        session.idle(max(0.0, now + arguments.every - time.monotonic()))
    return taken


def measure(app: App, base_url: str, sessions: int, strategy: str = "") -> Round:
    """One round."""
    names = tokens(sessions)
    script = [rule.model_dump(mode="json") for rule in rules(names)]
    httpx.post(f"{base_url.removesuffix('/v1')}/script", json=script).raise_for_status()
    process = psutil.Process(app.process.pid)
    before = process.memory_info().rss
    with ExitStack() as stack:
        loaded = load_all(app.url, sessions, stack, strategy=strategy)
        middle = process.memory_info().rss
        asked = ask_at_once(loaded, names)
        after = process.memory_info().rss
    return Round(tuple(asked), _mib(middle - before) / sessions, _mib(after - before) / sessions)


def report(
    arguments: argparse.Namespace, alone: Sequence[Round], together: Sequence[Round], *, traced: bool
) -> bool:
    """One table; whether every session got its own answer and nothing else."""
    print(
        f"{arguments.sessions} sessions asking at once, {arguments.rounds} rounds, {arguments.delay} s per model call; "
        "seconds from Ask"
    )
    print(f"{'':<30}{'p50':>8}{'p95':>8}{'most':>8}   p95 of each round")
    sides = (("one session alone", alone), (f"{arguments.sessions} sessions", together))
    for title, value in (("first event", _first), ("finished", _answered)):
        for side, rounds in sides:
            print(f"{f'{title}, {side}':<30}{_line(rounds, value)}")
        ratio = percentile([value(one) for round_ in together for one in round_.asked], 50) / percentile(
            [value(one) for round_ in alone for one in round_.asked], 50
        )
        print(f"{'   ratio of the medians':<30}{ratio:>8.2f}")
    for side, rounds in sides:
        memory = "; ".join(f"{one.loaded:.2f} / {one.done:.2f}" for one in rounds)
        print(f"{f'MiB per session, {side}':<30}{memory}   (page loaded / answered, per round)")
    asked = [one for round_ in (*alone, *together) for one in round_.asked]
    wrong = sum(not one.answer for one in asked)
    foreign, errors = (
        sum(bool(one.foreign) for one in asked),
        [error for one in asked for error in one.errors],
    )
    print(
        f"sessions {len(asked)}: without their answer {wrong}, with another's text {foreign}, errors {len(errors)}, "
        f"tracebacks in the log {'yes' if traced else 'no'}"
    )
    for error in errors[:3]:
        print(f"  {error[:200]}")
    slow = percentile([_first(one) for round_ in together for one in round_.asked], 95)
    print(
        f"target: p95 to the first event at most {TARGET_SECONDS} s; {'met' if slow <= TARGET_SECONDS else 'missed'}"
    )
    return not (wrong or foreign or errors or traced)


def percentile(values: Sequence[float], percent: float) -> float:
    """By nearest rank."""
    return sorted(values)[max(0, math.ceil(percent / 100 * len(values)) - 1)]


def _line(rounds: Sequence[Round], value: Callable[[Asked], float]) -> str:
    every = [value(one) for round_ in rounds for one in round_.asked]
    spread = " ".join(f"{percentile([value(one) for one in round_.asked], 95):.2f}" for round_ in rounds)
    return f"{percentile(every, 50):>8.2f}{percentile(every, 95):>8.2f}{max(every):>8.2f}   {spread}"


def _first(one: Asked) -> float:
    return one.first


def _answered(one: Asked) -> float:
    return one.answered


def _mib(size: int) -> float:
    return size / 2**20


if __name__ == "__main__":
    main()
