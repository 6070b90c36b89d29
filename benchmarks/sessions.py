"""Sessions that ask at once, as websocket clients of the real app, beside one session alone.

    python -m benchmarks.sessions [--sessions 25] [--rounds 3] [--delay 0.3]

The app runs as `make run` starts it, with the scripted endpoint (a process of its own, `delay` seconds per call) and
plain retrieval over the demo corpus. Each session loads the Playground, sets a question with a token that occurs
nowhere else, and presses Ask at the same moment as the others. It must get the answer to its own question, must never
receive another session's token, and no error may come up. Every round begins with one session alone. Times are those
of the clients; all of them run on this machine and share its cores with the app. Memory is the resident set of the
app's own process (its servers not counted), by what the sessions of a round added.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from benchmarks.engine import endpoint
from tests.asking import Asked, ask_at_once, load_all, rules, tokens
from tests.browser.conftest import App, start_app, stop_app

TARGET_SECONDS = 2.0


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
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, endpoint(arguments.delay) as base_url:
        app = start_app(
            Path(home), OPENAI_BASE_URL=base_url, CHAT_MODEL="scripted", OPENAI_API_KEY="benchmark"
        )
        try:
            measure(app, base_url, 2)  # imports, the demo corpus, connections
            alone, together = [], []
            for _ in range(arguments.rounds):
                alone.append(measure(app, base_url, 1))
                together.append(measure(app, base_url, arguments.sessions))
        finally:
            stop_app(app)
        traced = "Traceback" in app.log.read_text(errors="replace")
    good = report(arguments, alone, together, traced=traced)
    sys.exit(0 if good else 1)


def measure(app: App, base_url: str, sessions: int) -> Round:
    """One round."""
    names = tokens(sessions)
    script = [rule.model_dump(mode="json") for rule in rules(names)]
    httpx.post(f"{base_url.removesuffix('/v1')}/script", json=script).raise_for_status()
    process = psutil.Process(app.process.pid)
    before = process.memory_info().rss
    with ExitStack() as stack:
        loaded = load_all(app.url, sessions, stack)
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
