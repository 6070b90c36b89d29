"""What keeping replies and playing them adds to a run, beside the same run without a recording.

    python -m research.recording_costs [--runs 15] [--most 5]

The model replies at once and in this process, so that all the time is the engine's. Each question is asked without a
recording, kept, and played, in turns that change places; the wording differs a little from turn to turn, since vectors
that are known would cost the later ones nothing. What is printed is the median of the differences per model call, which
includes what is kept of searches; the command fails where it is more than `--most` milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from core.models import calling
from core.models.chat_models import CONFIGURED, RecordedModel
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from tests.bench import CORPUS, open_bench, small_corpus
from tests.scripted import Double, ScriptedServer

STRATEGIES = ("plain", "multi-query", "self-rag", "ircot")
QUESTION = "Who directed A Dangerous Age, asked in {mode} turn {number}?"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--most", type=float, default=5.0, help="milliseconds that a call may cost more")
    arguments = parser.parse_args()
    server = ScriptedServer()
    setattr(calling, "stream", Double(server).stream)  # noqa: B010  # as tests do
    with tempfile.TemporaryDirectory() as folder:
        bench = open_bench(Path(folder), server)
        bench.corpora.index([small_corpus(Path(folder))], CORPUS).result()
        print(
            f"medians of {arguments.runs} runs; ms more per call than without a recording, and ratio of seconds"
        )
        print(
            f"{'strategy':<14}{'calls':>6}{'without':>11}{'keeping':>10}{'ratio':>7}{'playing':>10}{'ratio':>7}"
        )
        worst = max(measured(bench, strategy, arguments.runs) for strategy in STRATEGIES)
        bench.backends.supervisor.release()
    server.close()
    print(f"at most {worst:.2f} ms; allowed are {arguments.most:g} ms")
    return int(worst > arguments.most)


def measured(bench: Workbench, strategy: str, runs: int) -> float:
    """One line; the larger of the two costs, in ms per call."""
    kept = bench.recordings.to_keep(f"costs of {strategy}", "scripted", "benchmark")
    keeping, playing = RecordedModel(kept, "endpoint", keeps=True), RecordedModel(kept)
    seconds: dict[str, list[float]] = {"without": [], "keeping": [], "playing": []}
    calls = 1
    for number in range(-1, runs):  # the first turn warms up
        # What is played must have been kept; the two change places with the one without a recording.
        turns = [
            ("without", "first", CONFIGURED),
            ("keeping", "other", keeping),
            ("playing", "other", playing),
        ]
        for name, mode, chat in turns if number % 2 else [*turns[1:], turns[0]]:
            question = QUESTION.format(mode=mode, number=number)
            request = replace(RunRequest(question, strategy, corpus=CORPUS, owner="benchmark"), chat=chat)
            started = time.perf_counter()
            run = record(bench.launcher.start(request).result())
            taken = time.perf_counter() - started
            assert run.state == "finished", run.error
            if number >= 0:
                seconds[name].append(taken)
                calls = run.totals.calls
    without = seconds["without"]
    cost, ratio = {}, {}
    for name in ("keeping", "playing"):
        pairs = list(zip(seconds[name], without, strict=True))
        cost[name] = statistics.median(1000 * (one - base) / calls for one, base in pairs)
        ratio[name] = statistics.median(one / base for one, base in pairs)
    told = "".join(f"{cost[name]:>+7.2f} ms{ratio[name]:>7.2f}" for name in cost)
    print(f"{strategy:<14}{calls:>6}{1000 * statistics.median(without):>8.1f} ms{told}", flush=True)
    return max(cost.values())


if __name__ == "__main__":
    sys.exit(main())
