"""What the runner of evaluations adds to retrieval, and whether its memory stays flat.

    python -m research.evaluation [--data FOLDER] [--questions 500] [--rounds 3] [--retriever dense]

The bare loop asks the same retriever the same questions, as many at once as the runner does, and keeps nothing; the
runner puts them through plain retrieval, retrieval only, and writes every result to the store. They take turns, bare
loop, runner, bare loop …, and the ratio of their medians is printed. Memory is the process's own, in the last round.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from core.evaluation.dataset_indexing import index
from core.evaluation.datasets import read_folder, sample
from core.evaluation.plan import Setting
from core.evaluation.runner import NO_MODEL_AT_ONCE, New, evaluations_of
from core.jobs import run_blocking
from core.retrieval.retriever import Retriever
from core.runs.workbench import Workbench
from core.settings import Settings
from core.users import User


async def bare(retriever: Retriever, questions: list[str], at_once: int) -> None:
    """Search with each question."""

    async def worker(left: Iterator[str]) -> None:
        for question in left:
            await retriever.search(question, 4)

    left = iter(questions)
    await asyncio.gather(*(worker(left) for _ in range(at_once)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("data/2wiki_demo60"), help="a data set's folder")
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--retriever", default="dense")
    parser.add_argument("--at-once", type=int, default=NO_MODEL_AT_ONCE)
    parser.add_argument("--home", type=Path, help="folder that keeps the index for the next time")
    arguments = parser.parse_args()
    dataset = sample(read_folder(arguments.data), arguments.questions, 0)
    questions = [question.text for question in dataset.questions]
    with tempfile.TemporaryDirectory() as home:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=arguments.home or Path(home)))
        corpus = run_blocking(index(dataset, bench.corpora))
        retriever = run_blocking(bench.corpora.retriever(corpus.name, arguments.retriever))
        run_blocking(bare(retriever, questions[:50], arguments.at_once))  # warms up
        one: list[float] = []
        alone: list[float] = []
        runner: list[float] = []
        memory: list[float] = []
        for number in range(arguments.rounds):
            for at_once, times in ((1, one), (arguments.at_once, alone)):
                start = time.perf_counter()
                run_blocking(bare(retriever, questions, at_once))
                times.append(time.perf_counter() - start)
            start = time.perf_counter()
            print(f"round {number + 1}: bare {one[-1]:.2f} s, {alone[-1]:.2f} s", flush=True)
            memory = evaluate(
                bench,
                New(
                    dataset,
                    (Setting(label="plain", strategy="plain", retriever=arguments.retriever),),
                    retrieval_only=True,
                ),
                arguments.at_once,
            )
            runner.append(time.perf_counter() - start)
        bench.backends.supervisor.release()
    told = f"{len(questions)} questions, {corpus.chunks} chunks, {arguments.retriever}"
    print(f"{told}, medians of {arguments.rounds} rounds")
    bare_one, bare_many, ours = (statistics.median(times) for times in (one, alone, runner))
    many = f"{arguments.at_once} at once"
    print(f"bare loop, one at a time  {bare_one:7.2f} s")
    print(f"bare loop, {many:<13}  {bare_many:7.2f} s")
    print(f"runner, {many:<16}  {ours:7.2f} s")
    print(f"ratio {ours / bare_many:.3f}; to the bare loop one at a time {ours / bare_one:.3f}")
    ratios = ", ".join(f"{mine / other:.3f}" for mine, other in zip(runner, alone, strict=True))
    print(f"round by round: {ratios}")
    print("memory at 0, 50 and 100 %: " + ", ".join(f"{value:.1f} MB" for value in memory))


def evaluate(bench: Workbench, what: New, at_once: int) -> list[float]:
    """Run an evaluation; the process's memory in MB at its beginning, middle and end."""
    process = psutil.Process()
    memory = [process.memory_info().rss / 1e6]
    job = evaluations_of(bench).start(what, User("benchmark", teacher=True), limit=at_once)
    while not job.done:
        if len(memory) == 1 and job.pairs and job.pairs_done >= job.pairs / 2:
            memory.append(process.memory_info().rss / 1e6)
        time.sleep(0.005)
    assert job.result().state == "finished"
    assert not job.pairs_failed
    return [*memory, process.memory_info().rss / 1e6]


if __name__ == "__main__":
    main()
