"""What the engine adds to the model's own time, beside the tutorial script of each strategy.

    python -m research.engine [--data FOLDER] [--runs 9] [--delay 0.3]

Both sides ask the same scripted HTTP endpoint (in a process of its own, `delay` seconds per call), search the same
Chroma server with the same embeddings, and take turns: engine, script, script, engine … Overhead is seconds minus
rounds times delay, where a round is a model call that has to wait for another. The engine's seconds end when the last
event is written to the store; the script's when it returns.
"""

from __future__ import annotations

import argparse
import inspect
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import httpx

from core.jobs import run_blocking
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import Settings
from core.strategies import strategies
from core.strategies.base import AnyStrategy

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

CORPUS = "benchmark"


@contextmanager
def endpoint(delay: float) -> Iterator[str]:
    """The scripted endpoint's base URL; each reply takes some seconds."""
    with server("tests.scripted", "--port", "0", "--delay", str(delay)) as base_url:
        yield base_url


@contextmanager
def server(module: str, *arguments: str) -> Iterator[str]:
    """The base URL of a server in a process of its own; its module prints it first."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def requests_so_far(base_url: str) -> int:
    """Chat requests that the endpoint has had."""
    return int(httpx.get(base_url.removesuffix("/v1") + "/requests").json()["count"])


def tutorial(strategy: AnyStrategy) -> Any:
    """The `ask` function of a strategy's tutorial script."""
    return import_module(f"core.strategies.tutorial.{strategy.key.replace('-', '_')}").ask


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path("data/2wiki_demo60"), help="folder with corpus.jsonl, queries.jsonl"
    )
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--delay", type=float, default=0.3)
    parser.add_argument("--strategy", action="append", help="only these")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, endpoint(arguments.delay) as base_url:
        settings = Settings(
            _env_file=None, openai_base_url=base_url, chat_model="scripted", rag_loupe_home=Path(home)
        )
        workbench = Workbench(settings)
        measure(workbench, base_url, arguments)
        workbench.backends.supervisor.release()


def measure(workbench: Workbench, base_url: str, arguments: argparse.Namespace) -> None:
    """One line per strategy."""
    from langchain_chroma import Chroma
    from langchain_core.documents import Document
    from langchain_openai import ChatOpenAI

    from core.corpora.chunk_store import collection_name, open_vectors

    workbench.corpora.index([arguments.data / "corpus.jsonl"], CORPUS).result()
    questions = [
        json.loads(line)["text"] for line in (arguments.data / "queries.jsonl").open(encoding="utf-8")
    ]
    store = Chroma(
        client=open_vectors(run_blocking(workbench.backends.vectors_url())),
        collection_name=collection_name(workbench.corpora.catalogue.corpus(CORPUS)),
        embedding_function=cast("Embeddings", workbench.backends.embedder.embeddings),
    )
    held = store.get()
    given = {
        "llm": ChatOpenAI(model="scripted", base_url=base_url, api_key="none", max_retries=0),
        "retriever": store.as_retriever(search_kwargs={"k": 4}),
        "passages": [
            Document(text, id=ident, metadata=metadata)
            for ident, text, metadata in zip(held["ids"], held["documents"], held["metadatas"], strict=True)
        ],
        "embeddings": workbench.backends.embedder.embeddings,
    }
    print(
        f"delay {arguments.delay} s per call, medians of {arguments.runs} runs; overhead = seconds - rounds x delay"
    )
    print(f"{'strategy':<27}{'':9}{'calls':>6}{'rounds':>7}{'seconds':>9}{'overhead':>10}   ratio of seconds")
    for strategy in strategies().values():
        if strategy.explores or (arguments.strategy and strategy.key not in arguments.strategy):
            continue  # a graph is no corpus: the script walks triples in memory
        ask = tutorial(strategy)
        taken = {name: given[name] for name in given.keys() & inspect.signature(ask).parameters}
        ours: list[tuple[int, int, float]] = []
        script: list[tuple[int, float]] = []
        for number in range(-1, arguments.runs):  # the first pair warms up
            question = questions[number % len(questions)]
            request = RunRequest(question, strategy.key, corpus=CORPUS if strategy.retrieves else None)
            # Each side begins every other time: the second finds the servers warmed for this question by the first.
            for side in ("engine", "script") if number % 2 else ("script", "engine"):
                before = requests_so_far(base_url)
                start = time.perf_counter()
                if side == "script":
                    ask(question, **taken)
                    seconds = time.perf_counter() - start
                    if number >= 0:
                        script.append((requests_so_far(base_url) - before, seconds))
                    continue
                events = workbench.launcher.start(request).result()
                seconds = time.perf_counter() - start
                run = record(events)
                assert run.state == "finished", run.error
                if number >= 0:
                    ours.append((run.totals.calls, run.totals.rounds, seconds))
        report(strategy.key, arguments.delay, ours, script)


def report(
    key: str, delay: float, ours: list[tuple[int, int, float]], script: list[tuple[int, float]]
) -> None:
    """Two lines: the engine and the script, whose calls all wait for one another."""
    calls, rounds = max(run[0] for run in ours), max(run[1] for run in ours)
    seconds = statistics.median(run[2] for run in ours)
    script_calls = max(run[0] for run in script)
    script_seconds = statistics.median(run[1] for run in script)
    ratio = statistics.median(a[2] / b[1] for a, b in zip(ours, script, strict=True))
    for name, n, r, s in (
        ("engine", calls, rounds, seconds),
        ("script", script_calls, script_calls, script_seconds),
    ):
        overhead = f"{(s - r * delay) * 1000:.0f} ms"
        tail = f"   {ratio:.3f}" if name == "engine" else ""
        print(
            f"{key if name == 'engine' else '':<27}{name:9}{n:>6}{r:>7}{s:>9.3f}{overhead:>10}{tail}",
            flush=True,
        )


if __name__ == "__main__":
    main()
