"""Measures the seconds of a model file's calls, beside those of a plain llama.cpp server for the same calls.

    python -m research.local_speed MODEL_FILE OTHER_URL [--strategy KEY ...] [--question ID ...]

MODEL_FILE is a GGUF file; OTHER_URL a server of llama.cpp that runs the same file with its defaults, such as
`llama-server -m MODEL_FILE`, just started. Runs of the shipped recording are played, and each of their calls is sent to
the app's own server and to the other one: the same prompt, and a reply of as many tokens as the recorded one has. Calls
that a run makes at the same time are sent at the same time. Both servers get all calls of all runs in the same order,
run by run in turns, so both may use again what they have read before. Nobody else should use the machine.

Printed for each run, and for all together: calls; tokens read and, of the prompt, those found in the server's cache;
tokens written; seconds of both servers, and their ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx2

from core.jobs import run_blocking
from core.models.chat_models import RecordedModel
from core.models.recordings.files import import_recording
from core.runs.record import Call, Record
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench
from tools.recording import FILE, LIMIT, PLAN, Asked, open_home, planned, play_all

STRATEGIES = ("plain", "multi-query", "decomposition-sequential", "self-rag", "corrective", "ircot")
QUESTIONS = ("q01", "q27")
SECONDS = 1800.0
"""Longest wait for a reply."""


@dataclass
class Cost:
    """Tokens and seconds that calls cost one server."""

    seconds: float = 0.0
    read: int = 0
    """Tokens of prompts that were computed."""
    cached: int = 0
    """Tokens of prompts that were found in the cache."""
    written: int = 0
    reading: float = 0.0
    """Seconds of reading, of all calls together: more than passed where calls are made at the same time."""
    writing: float = 0.0

    def add(self, other: Cost) -> None:
        """Add what other calls cost."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


def batches(run: Record) -> list[list[Call]]:
    """A run's calls, those together that are made at the same time: by steps of one layer, one call of each step, or
    all calls of a step that use the same skill."""
    of_layer = groupby((step for step in run.steps if step.calls), lambda step: step.layer)
    made: list[list[Call]] = []
    for _, steps in of_layer:
        parts = [[list(calls) for _, calls in groupby(step.calls, lambda call: call.skill)] for step in steps]
        made += [
            [call for part in parts if place < len(part) for call in part[place]]
            for place in range(max(map(len, parts)))
        ]
    return made


class Server:
    """One server of llama.cpp."""

    def __init__(self, url: str, secret: str = "") -> None:
        """
        Args:
            url: Its address, with or without `/v1`.
            secret: Its key; empty: it wants none.
        """
        headers = {"authorization": f"Bearer {secret}"} if secret else {}
        address = url.rstrip("/").removesuffix("/v1")
        self._http = httpx2.AsyncClient(base_url=address, headers=headers, timeout=SECONDS)

    async def tokens(self, text: str) -> int:
        """Length of a text in tokens of the model."""
        return len((await self._post("/tokenize", {"content": text}))["tokens"])

    async def cost(self, run: Sequence[Sequence[tuple[Call, int]]]) -> Cost:
        """The calls of a run with the lengths of their replies, batch by batch."""
        cost, start = Cost(), time.perf_counter()
        for batch in run:
            for one in await asyncio.gather(*(self._call(call, length) for call, length in batch)):
                cost.add(one)
        cost.seconds = time.perf_counter() - start
        return cost

    async def _call(self, call: Call, length: int) -> Cost:
        body = {
            "messages": [message.model_dump() for message in call.messages],
            "max_tokens": length,
            "ignore_eos": True,
            "temperature": 0,
        }
        timings = (await self._post("/v1/chat/completions", body))["timings"]
        return Cost(
            read=timings["prompt_n"],
            cached=timings.get("cache_n", 0),
            written=timings["predicted_n"],
            reading=timings["prompt_ms"] / 1000,
            writing=timings["predicted_ms"] / 1000,
        )

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        reply = await self._http.post(path, json=body)
        reply.raise_for_status()
        return reply.json()


def played(bench: Workbench, strategies: Sequence[str], questions: Sequence[str]) -> list[Asked]:
    """The recorded runs of these strategies on these questions, with default parameters, question by question."""
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    titles = {f"{strategy} {question}" for strategy in strategies for question in questions}
    store = bench.recordings.store
    recording = import_recording(FILE.name, FILE.read_bytes(), store, COMMAND_LINE, LIMIT)
    wanted = [planned_run for planned_run in planned(plan, bench) if planned_run[0] in titles]
    asked = run_blocking(play_all(bench, wanted, RecordedModel(recording), 1))
    return sorted(asked, key=lambda run: questions.index(run.title.split()[1]))


async def compare(ours: Server, theirs: Server, runs: Sequence[Asked]) -> list[tuple[str, int, Cost, Cost]]:
    """Title, calls, and what a run costs either server; they begin by turns."""
    rows: list[tuple[str, int, Cost, Cost]] = []
    for place, asked in enumerate(runs):
        run = [
            [(call, max(1, await ours.tokens(call.output))) for call in batch] for batch in batches(asked.run)
        ]
        if place % 2:
            mine, other = await ours.cost(run), await theirs.cost(run)
        else:
            other, mine = await theirs.cost(run), await ours.cost(run)
        rows.append((asked.title, sum(map(len, run)), mine, other))
        print(line(*rows[-1]), flush=True)
    return rows


def line(title: str, calls: int, ours: Cost, theirs: Cost) -> str:
    """A row of the table, as Markdown."""
    cells = [f"{one.read} ({one.cached}), {one.written}, {one.seconds:.1f} s" for one in (ours, theirs)]
    return f"| {title} | {calls} | {' | '.join(cells)} | {ours.seconds / theirs.seconds:.2f} |"


async def measure(bench: Workbench, file: Path, url: str, runs: Sequence[Asked]) -> None:
    """Start the app's server, send the calls to both, and print."""
    running = await bench.backends.models.files.use(file, file.stem)
    secret = running.secret.get_secret_value() if running.secret else ""
    print("| run | calls | the app: read (cached), written, time | the other one | ratio |")
    print("|---|---|---|---|---|")
    rows = await compare(Server(running.url, secret), Server(url), runs)
    ours, theirs = Cost(), Cost()
    for _, _, mine, other in rows:
        ours.add(mine)
        theirs.add(other)
    print(line("all", sum(calls for _, calls, _, _ in rows), ours, theirs))
    for name, cost in (("the app", ours), ("the other one", theirs)):
        share = (
            f"{cost.read / cost.reading:.0f} and {cost.written / cost.writing:.0f} tokens a second of a call"
        )
        print(f"{name}: reading {cost.reading:.0f} s, writing {cost.writing:.0f} s, {share}")


def main() -> None:
    """Play, send, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("url")
    parser.add_argument("--strategy", nargs="+", default=STRATEGIES)
    parser.add_argument("--question", nargs="+", default=QUESTIONS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        bench = open_home(False, Path(home))
        try:
            runs = played(bench, arguments.strategy, arguments.question)
            run_blocking(measure(bench, arguments.file, arguments.url, runs))
        finally:
            bench.graphs.graphs.close()
            bench.backends.supervisor.release()


if __name__ == "__main__":
    main()
