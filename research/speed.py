"""What it costs in seconds that the built-in model was taught: the model as it came beside the model with its adapter.

    python -m research.speed [--rounds 3] [--question TEXT] [--strategy KEY ...] [--json]

Both sides ask the same server by turns, each beginning every other round, so that a busy machine slows both. First the
server alone, with and without the adapter in the request: tokens per second of one reply and of four at once, all of
the same length, and seconds to read a prompt of about 500 tokens. Then every strategy that needs no graph, on the demo
corpus: once with the methods that are in force without the adapter, once with those in force with it. These may make
other calls, so this is what a user waits, not what a token costs. Seconds of a run end when its last event is written.
Figures are medians over the rounds, the ratio that of the medians. RAG_LOUPE_HOME keeps the demo corpus.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

import httpx

from core.corpora.demo import DEMO_CORPUS
from core.errors import LoupeError, ServiceError
from core.jobs import run_blocking
from core.models.choice import BUILTIN, ChatChoice, resolve_chat
from core.models.endpoint import ChatEndpoint
from core.runs.record import record
from core.runs.request import COMMAND_LINE, RunRequest
from core.runs.workbench import Workbench, get_workbench
from core.services.chat import SLOTS
from core.skills import SKILLS
from core.skills.base import ADAPTER_ON
from core.skills.model_kind import ModelKind
from core.strategies import strategies
from core.strategies.base import AnyStrategy

SIDES = ("as it came", "taught")
QUESTION = "Who was Warden when the father of the composer of The Drowned Bell was born?"
"""Of the demo corpus."""
WRITTEN = 128
"""Tokens of a reply."""
READ_WORDS = 415
"""Of the filler below, so many words and the chat's own marks come to about 500 tokens."""
FILLER = (
    "The harbour master noted that seventeen fishing boats left before dawn although the barometer had fallen all "
    "night and the lighthouse keeper had warned everyone about the northerly current near the old breakwater."
)
PATIENCE = 600.0
"""Seconds that a reply may take on a busy machine."""


@dataclass
class Row:
    """One measured thing on both sides, a value per round."""

    title: str
    unit: str
    values: dict[str, list[float]] = field(default_factory=lambda: {side: [] for side in SIDES})
    calls: dict[str, int] = field(default_factory=dict)
    """Model calls of a strategy's run, the most of all rounds."""
    note: str = ""

    def median(self, side: str) -> float | None:
        """Of one side; None if nothing was measured."""
        return statistics.median(self.values[side]) if self.values[side] else None

    @property
    def ratio(self) -> float | None:
        """Taught by as it came: above 1 is slower for seconds, faster for tokens per second."""
        before, after = (self.median(side) for side in SIDES)
        return after / before if before and after else None


def turns(rounds: int) -> Iterator[tuple[int, str]]:
    """Number of a round and whose turn it is, each side beginning every other time; round -1 only warms up."""
    for number in range(-1, rounds):
        for side in SIDES if number % 2 else SIDES[::-1]:
            yield number, side


def filler(words: int, start: int) -> str:
    """Text that begins anew with every start, so that the server has read none of it."""
    known = FILLER.split()
    return " ".join([f"{start}:", *(known[(start + place) % len(known)] for place in range(words))])


class Server:
    """The built-in model's own chat endpoint."""

    def __init__(self, endpoint: ChatEndpoint) -> None:
        self._endpoint = endpoint
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {endpoint.api_key.get_secret_value()}"},
            timeout=PATIENCE,
            trust_env=False,  # the system's proxy must not be asked for this machine
        )
        self._asked = 0

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def has_adapter(self) -> bool:
        """Whether it can be asked with what it was taught."""
        reply = self._client.get(self._endpoint.base_url.removesuffix("/v1") + "/lora-adapters")
        return reply.status_code == 200 and bool(reply.json())

    def prompt(self, words: int) -> str:
        """A text that it was not asked yet."""
        self._asked += 1
        return filler(words, self._asked)

    def ask(self, side: str, text: str, tokens: int) -> dict[str, Any]:
        """The usage of a reply of so many tokens, wherever the model would have liked to end it."""
        body = {
            "model": self._endpoint.model,
            "messages": [{"role": "user", "content": text}],
            "max_tokens": tokens,
            "temperature": 0,
            "ignore_eos": True,
            "cache_prompt": False,
        }
        if side == "taught":
            body |= ADAPTER_ON
        reply = self._client.post(f"{self._endpoint.base_url}/chat/completions", json=body)
        reply.raise_for_status()
        usage: dict[str, Any] = reply.json()["usage"]
        return usage

    def writing(self, side: str, at_once: int) -> float:
        """Tokens per second of so many replies together; their short prompts are read in that time, too."""
        texts = [self.prompt(10) for _ in range(at_once)]
        with ThreadPoolExecutor(at_once) as threads:
            start = time.perf_counter()
            made = list(threads.map(lambda text: self.ask(side, text, WRITTEN), texts))
            seconds = time.perf_counter() - start
        return float(sum(usage["completion_tokens"] for usage in made) / seconds)

    def reading(self, side: str) -> tuple[float, int]:
        """Seconds to the first token after a long prompt, and how many tokens that has."""
        text = self.prompt(READ_WORDS)
        start = time.perf_counter()
        usage = self.ask(side, text, 1)
        return time.perf_counter() - start, int(usage["prompt_tokens"])


def served(server: Server, rounds: int) -> list[Row]:
    """The server alone."""
    one, more = Row("one reply", "tokens/s"), Row(f"{SLOTS} replies at once", "tokens/s")
    read = Row("reading a prompt", "s")
    for number, side in turns(rounds):
        alone, together = server.writing(side, 1), server.writing(side, SLOTS)
        seconds, tokens = server.reading(side)
        if number < 0:
            continue
        read.title = f"reading {tokens} tokens"
        for row, value in ((one, alone), (more, together), (read, seconds)):
            row.values[side].append(value)
    return [one, more, read]


def request_of(strategy: AnyStrategy, question: str, side: str) -> RunRequest:
    """A run with the methods in force on one side, named one by one: what is set on this machine changes neither."""
    methods = {
        key: SKILLS[key].default_method(ModelKind(True, side == "as it came")) for key in strategy.skills
    }
    return RunRequest(
        question,
        strategy.key,
        methods=methods,
        corpus=DEMO_CORPUS if strategy.retrieves else None,
        chat=ChatChoice(model=BUILTIN),
        owner=COMMAND_LINE,
    )


def asked(bench: Workbench, strategy: AnyStrategy, question: str, rounds: int) -> Row:
    """A strategy's runs; one that does not finish is named, and its seconds are left out."""
    row = Row(strategy.key, "s")
    calls: dict[str, list[int]] = defaultdict(list)
    for number, side in turns(rounds):
        start = time.perf_counter()
        run = record(bench.launcher.start(request_of(strategy, question, side)).result())
        seconds = time.perf_counter() - start
        if run.state != "finished":
            row.note = f"{side}, {run.state}: {run.error}"
        elif number >= 0:
            row.values[side].append(seconds)
            calls[side].append(run.totals.calls)
    row.calls = {side: max(made) for side, made in calls.items()}
    return row


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found = strategies().values()
    known = [one.key for one in found if (one.either or not one.explores) and not one.lacking(True)]
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--question", default=QUESTION, help="asked of every strategy")
    parser.add_argument("--strategy", nargs="*", choices=known, default=known, help="only these")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    bench = get_workbench()
    try:
        rows = measured(bench, arguments)
    except LoupeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        bench.backends.supervisor.release()
    if arguments.json:
        print(json.dumps({"question": arguments.question, "rows": [asdict(row) for row in rows]}))
    return 0


def measured(bench: Workbench, arguments: argparse.Namespace) -> list[Row]:
    """All rows, each printed as soon as it is there unless JSON is wanted.

    Raises:
        ServiceError: The built-in model runs without an adapter, so that there is nothing to compare.
    """
    endpoint = run_blocking(
        resolve_chat(bench.settings, bench.backends.supervisor, ChatChoice(model=BUILTIN))
    )
    if not arguments.json:
        print(f"medians of {arguments.rounds} rounds; ratio: {SIDES[1]} / {SIDES[0]}")
        print(f"{'':<30}{'':>9}{SIDES[0]:>13}{SIDES[1]:>13}{'ratio':>8}   model calls")
    rows: list[Row] = []
    with Server(endpoint) as server:
        if not server.has_adapter():
            raise ServiceError("The built-in model runs without its adapter, so there is nothing to compare.")
        rows += shown(served(server, arguments.rounds), arguments)
    if arguments.strategy:
        bench.corpora.demo().result()
    for key in arguments.strategy:
        rows += shown([asked(bench, strategies()[key], arguments.question, arguments.rounds)], arguments)
    return rows


def shown(rows: Sequence[Row], arguments: argparse.Namespace) -> Sequence[Row]:
    """The same rows, printed unless JSON is wanted."""
    for row in rows if not arguments.json else ():
        cells = "".join(_cell(row.median(side), 13) for side in SIDES)
        calls = " / ".join(str(row.calls[side]) for side in SIDES if side in row.calls)
        print(f"{row.title:<30}{row.unit:>9}{cells}{_cell(row.ratio, 8)}   {calls}", flush=True)
        if row.note:
            print(f"  {row.note}", flush=True)
    return rows


def _cell(value: float | None, width: int) -> str:
    return f"{'–' if value is None else format(value, '.2f'):>{width}}"


if __name__ == "__main__":
    sys.exit(main())
