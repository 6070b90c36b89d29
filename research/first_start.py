"""How long the first start takes on a fresh machine: demo corpus, first answer, and the graph that is chosen first.

    python -m research.first_start --baseline FOLDER [--repeats 3]

Every start has a home of its own, in which no service runs; another checkout does the same in turns with this one. The
ratio is its median by ours: above 1 is faster than it. Seconds begin when the command line's parts are loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parents[1]
ENGINES = frozenset(
    {"OPENAI_BASE_URL", "OPENAI_API_KEY", "CHAT_MODEL", "CHROMA_URL", "NEO4J_URI", "DATABASE_URL"}
)
"""Variables that name other engines than the local ones."""
STAGES = ("index", "first answer", "graph")
START = """
import json, sys, time
from pathlib import Path
from core.corpora.demo import DEMO_CORPUS
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import Settings
from core.ui.forms.graph_choice import FIRST_GRAPH

bench, marks = Workbench(Settings(_env_file=None, rag_loupe_home=Path(sys.argv[1]))), [time.perf_counter()]
bench.corpora.demo().result()
marks.append(time.perf_counter())
question = bench.corpora.catalogue.corpus(DEMO_CORPUS).questions[0].text
bench.launcher.start(RunRequest(question, "plain", corpus=DEMO_CORPUS)).result()
marks.append(time.perf_counter())
bench.graphs.prepare(FIRST_GRAPH).result()
marks.append(time.perf_counter())
bench.graphs.graphs.close()
bench.backends.supervisor.release()
print(json.dumps([after - before for before, after in zip(marks, marks[1:])]))
"""
"""What both checkouts run."""


def started(checkout: Path) -> list[float]:
    """Seconds of each stage in a new home."""
    environment = {key: value for key, value in os.environ.items() if key not in ENGINES}
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-c", START, home]
        done = subprocess.run(
            command, cwd=checkout, env=environment, check=True, capture_output=True, text=True
        )
    seconds: list[float] = json.loads(done.stdout.splitlines()[-1])
    return seconds


def main() -> None:
    """Start in turns, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--baseline", type=Path, required=True, help="another checkout of the project")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    taken: dict[Path, list[list[float]]] = {HERE: [], arguments.baseline.resolve(): []}
    for _ in range(arguments.repeats):
        for checkout, starts in taken.items():
            starts.append(started(checkout))
    ours, theirs = taken.values()
    print("| stage | here | baseline | ratio |\n|---|---|---|---|")
    for place, stage in enumerate(STAGES):
        mine, other = (statistics.median(one[place] for one in starts) for starts in (ours, theirs))
        print(f"| {stage} | {mine:.2f} s | {other:.2f} s | {other / mine:.2f} |")


if __name__ == "__main__":
    main()
