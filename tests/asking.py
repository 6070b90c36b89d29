"""Several sessions that ask at once, each its own question: when each sees what, and whether only what is its own."""

from __future__ import annotations

import math
import re
import secrets
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

from tests.scripted import Rule
from tests.session_client import Session

TOKEN = re.compile(rb"zq[0-9a-f]{12}")


@dataclass(frozen=True)
class Asked:
    """What one session saw."""

    first: float
    """Seconds from Ask to the first event of the run on the page; infinite: it never came."""
    answered: float
    """Seconds from Ask to the finished run on the page; infinite: it never came."""
    answer: bool
    """Whether the answer to its own question came."""
    foreign: frozenset[bytes]
    """Tokens of other sessions that came to it."""
    errors: tuple[str, ...]


def tokens(count: int) -> list[str]:
    """Words that occur nowhere else."""
    return [f"zq{secrets.token_hex(6)}" for _ in range(count)]


ANSWERS = "answer answer_gathered"
"""Skills that write a final answer."""


def rules(names: Sequence[str]) -> list[Rule]:
    """The scripted endpoint repeats the token of the question in its answer; everything else is made up."""
    return [Rule(skill=ANSWERS, match=name, reply=f"Reply {name} to you [1].") for name in names]


def ask(session: Session, token: str) -> Asked:
    """Ask a question with a token in it and watch the run to its end."""
    bodies = session.heard.bodies
    session.write("question", f"Who is {token}?")
    start = time.monotonic()
    session.click("ask")
    first = answered = math.inf
    try:
        first = session.wait(lambda: any(body.startswith("### ") and token in body for body in bodies))
        answered = session.wait(lambda: any("Done in" in body for body in bodies))
        session.idle(1.0)  # whatever else may come
    except TimeoutError as error:
        session.heard.errors.append(str(error))
    seen = {match for message in session.heard.raw for match in TOKEN.findall(message)}
    return Asked(
        first - start,
        answered - start,
        any(f"Reply {token}" in body for body in bodies),
        frozenset(seen - {token.encode()}),
        tuple(session.heard.errors),
    )


def ask_at_once(sessions: Sequence[Session], names: Sequence[str]) -> list[Asked]:
    """Ask in all sessions at the same moment, in each by its own name."""
    gate = threading.Barrier(len(sessions))

    def ask_when_all_are_ready(session: Session, token: str) -> Asked:
        gate.wait(180)
        return ask(session, token)

    with ThreadPoolExecutor(len(sessions)) as threads:
        return list(threads.map(ask_when_all_are_ready, sessions, names))


def load_all(
    url: str, count: int, stack: ExitStack, seconds: float = 180.0, strategy: str = ""
) -> list[Session]:
    """So many sessions whose Playground can be asked, loaded at once; the stack closes them.

    Args:
        url: Of the app.
        count: Of sessions.
        stack: That they live in.
        seconds: For which each is waited.
        strategy: That each chooses; empty: what is chosen at first.
    """
    sessions = [stack.enter_context(Session(url)) for _ in range(count)]

    def ready(session: Session) -> None:
        session.wait(lambda: session.enabled.get("ask", False), seconds)
        if strategy:
            session.choose("strategy-picker", "chosen", strategy)
            session.wait(lambda: session.enabled.get("ask", False), seconds)

    with ThreadPoolExecutor(count) as threads:
        list(threads.map(ready, sessions))
    return sessions
