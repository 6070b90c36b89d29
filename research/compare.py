"""What a comparison costs: strategies together beside the slowest of them alone, and its redraw per tick.

    python -m research.compare [--data FOLDER] [--runs 9] [--delay 0.3] [--strategy KEY ...]

Together and alone ask the same scripted HTTP endpoint (a process of its own, `delay` seconds per call), search the same
corpus, and take turns: together, alone, alone, together … Seconds end when the last event is written to the store. The
ratio is the median of the ratios of each pair.

The redraw is what the page computes per tick from the events so far, without the drawing in the browser: for three
columns of 50, 150 and 450 events each.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from core.charts.columns import columns
from core.charts.shared_evidence import evidence, evidence_grid
from core.drawings.side_by_side import live_columns
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import Settings
from core.trace.events import Event
from core.trace.gold import Gold, Known
from research.engine import CORPUS, endpoint
from tests.examples.parts import CONTEXT, PASSAGES, answer, ranking
from tests.examples.script import Script

STRATEGIES = ("plain", "rag-fusion", "decomposition-sequential")
TARGET_RATIO, TARGET_MS = 1.15, 60.0
LENGTHS = (50, 150, 450)
"""Events per column."""
TICKS = 40


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
    parser.add_argument("--strategy", action="append", help="these instead of the usual three")
    arguments = parser.parse_args()
    redraws()
    with tempfile.TemporaryDirectory() as home, endpoint(arguments.delay) as base_url:
        settings = Settings(
            _env_file=None, openai_base_url=base_url, chat_model="scripted", rag_loupe_home=Path(home)
        )
        workbench = Workbench(settings)
        try:
            together(workbench, arguments)
        finally:
            workbench.backends.supervisor.release()


# Together and alone


def together(workbench: Workbench, arguments: argparse.Namespace) -> None:
    """Medians, spread and ratio."""
    workbench.corpora.index([arguments.data / "corpus.jsonl"], CORPUS).result()
    questions = [
        json.loads(line)["text"] for line in (arguments.data / "queries.jsonl").open(encoding="utf-8")
    ]
    keys = arguments.strategy or STRATEGIES
    for key in keys:
        seconds(workbench, [key], questions[-1])  # imports and connections
    slowest = max(keys, key=lambda key: seconds(workbench, [key], questions[-1]))
    sides: dict[str, list[float]] = {"together": [], "alone": []}
    for number in range(arguments.runs):
        question = questions[number % len(questions)]
        for side in ("together", "alone") if number % 2 else ("alone", "together"):
            sides[side].append(seconds(workbench, keys if side == "together" else [slowest], question))
    ratio = statistics.median(a / b for a, b in zip(sides["together"], sides["alone"], strict=True))
    print(f"{' + '.join(keys)}; {arguments.delay} s per call, {arguments.runs} runs of each side")
    for side, title in (("alone", f"{slowest} alone"), ("together", "together")):
        print(f"{title:<36}{spread(sides[side], ' s', 3)}")
    met = "met" if ratio <= TARGET_RATIO else "missed"
    print(f"{'together / slowest alone':<36}{ratio:>8.3f}   target at most {TARGET_RATIO}: {met}")


def seconds(workbench: Workbench, keys: Sequence[str], question: str) -> float:
    """Wall time of these strategies at once, until all of them are stored."""
    requests = [RunRequest(question, key, corpus=CORPUS) for key in keys]
    start = time.perf_counter()
    runs = (
        [workbench.launcher.start(requests[0]).run]
        if len(keys) == 1
        else workbench.comparing.start(requests).runs
    )
    jobs = [job for run in runs if (job := workbench.launcher.job(run))]
    ends = [record(job.result()) for job in jobs]
    taken = time.perf_counter() - start
    assert len(ends) == len(keys)
    assert all(end.state == "finished" for end in ends), [end.error for end in ends]
    return taken


# The redraw


def redraws() -> None:
    """Milliseconds per tick for each length, and how they grow."""
    gold = [Gold(document=passage.document, title=passage.title) for passage in PASSAGES[:3]]
    print(f"redraw of three columns, {TICKS} ticks each")
    medians: list[float] = []
    for length in LENGTHS:
        runs = [example(key, length) for key in STRATEGIES]
        tick(runs, gold)
        taken: list[float] = []
        for _ in range(TICKS):
            start = time.perf_counter()
            tick(runs, gold)
            taken.append(1000 * (time.perf_counter() - start))
        medians.append(statistics.median(taken))
        print(f"{f'{length} events per column':<36}{spread(taken, ' ms', 2)}")
    growth = [
        f"× {later / earlier:.2f} for {more // fewer} times the events"
        for earlier, later, fewer, more in zip(medians, medians[1:], LENGTHS, LENGTHS[1:], strict=False)
    ]
    met = "met" if medians[LENGTHS.index(150)] <= TARGET_MS else "missed"
    print(f"growth: {'; '.join(growth)}   target at 150 events at most {TARGET_MS:.0f} ms: {met}")


def tick(runs: Sequence[Sequence[Event]], gold: Sequence[Gold]) -> object:
    """What the page computes each time: the columns, and the section that is open first."""
    shown = columns([record(events) for events in runs])
    found = evidence(shown, gold)
    return live_columns(shown, Known(tuple(gold))), evidence_grid(found, shown, known=True).drawing("#999999")


def example(strategy: str, length: int) -> list[Event]:
    """A run under way with so many events: searches, streamed calls and evidence that grows step by step."""
    script = Script()
    script.start(strategy, run=strategy)
    step = 0
    while len(script.events) < length:
        name = f"s-{step}"
        script.step(name, "retrieve", step)
        script.make(name, ranking(step % 5))
        script.call(name, f"c-{step}", "answer", answer().text, seconds=0.2, stream=True)
        script.make(name, CONTEXT)
        script.done(name)
        step += 1
    return script.events[:length]


def spread(values: Sequence[float], unit: str, digits: int) -> str:
    """Median, and the least and the most."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:>8.{digits}f}{unit}   ({low:.{digits}f} to {high:.{digits}f})"


if __name__ == "__main__":
    main()
