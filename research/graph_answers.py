"""How often KG-RAG without a model answers the MetaQA questions that come with the app.

    python -m research.graph_answers [--half tuning|held-out] [--limit N]

The weights of the chains' scores were found on the tuning half, so only the other half tells how good they are.
hits@1: the first name of the answer is right. hits@k: share of right ones among the first k names, where k is the
number of right answers. Questions are asked as they are: their start must be found, too.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.triples import entity_id
from core.runs.record import record
from core.runs.request import COMMAND_LINE, RunRequest
from core.runs.workbench import get_workbench
from core.trace.artefacts import GraphPath

QUESTIONS = Path(__file__).parents[1] / "data" / "graphs" / "metaqa" / "questions.jsonl"
METHODS = {
    "plan_exploration": "template",
    "select": "embedding",
    "judge_path": "embedding",
    "answer_path": "end of path",
}


def halves() -> dict[str, list[dict[str, Any]]]:
    """The questions, divided as they were when the weights were found."""
    questions = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    order = list(range(len(questions)))
    random.seed(1)
    random.shuffle(order)
    shuffled = [questions[place] for place in order]
    return {"tuning": shuffled[: len(order) // 2], "held-out": shuffled[len(order) // 2 :]}


def main() -> None:
    """Ask, count, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("tuning", "held-out"))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--wrong", action="store_true", help="print the questions that were answered wrongly")
    arguments = parser.parse_args()
    bench = get_workbench()
    for half, questions in halves().items():
        if arguments.half in (None, half):
            first: dict[int, list[bool]] = defaultdict(list)
            share: dict[int, list[float]] = defaultdict(list)
            seconds: list[float] = []
            for question in questions[: arguments.limit]:
                request = RunRequest(
                    question["text"], "kg-rag", graph=DEMO_GRAPHS[1].name, methods=METHODS, owner=COMMAND_LINE
                )
                start = time.perf_counter()
                run = record(bench.launcher.start(request).result())
                seconds.append(time.perf_counter() - start)
                assert run.state == "finished", run.error
                names = [entity_id(name) for name in run.find(GraphPath)[-1].nodes]  # case does not count
                right = {entity_id(name) for name in question["answers"]}
                first[question["hops"]].append(bool(names) and names[0] in right)
                share[question["hops"]].append(len(right & set(names[: len(right)])) / len(right))
                if arguments.wrong and not first[question["hops"]][-1]:
                    print(question["hops"], question["text"], "|", names[:3], "|", question["path"])
                    print("   ", run.find(GraphPath)[-1].reason)
            print(f"{half}: {len(seconds)} questions, median {statistics.median(seconds):.2f} s")
            for hops in sorted(first):
                print(
                    f"  {hops} hops ({len(first[hops])}): hits@1 {statistics.mean(first[hops]):.2f}, "
                    f"hits@k {statistics.mean(share[hops]):.2f}"
                )


if __name__ == "__main__":
    main()
