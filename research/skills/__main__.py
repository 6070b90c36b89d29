"""Scores the methods of the skills on labelled data.

    python -m research.skills DATA_FOLDER [--task KEY ...] [--data NAME ...] [--method KEY ...] [--limit 30]
        [--kept-out] [--json]

DATA_FOLDER holds the data sets as folders. The model is the one in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL,
else the built-in one. A skill's method is called as the strategies call it, case by case. Each sample is cut into two
halves by a seed: what is tuned is tuned on one, and counts on the other. Intervals are of 95 %, by the bootstrap over
questions. Indexes are kept in RAG_LOUPE_HOME. With --kept-out, only those questions and records are drawn that the
built-in model was not trained on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.chat_models import CONFIGURED
from core.runs.workbench import get_workbench
from core.skills.base import CAPABLE, TINY, ModelKind
from research.skills import answering, extracting, following, judging, querying
from research.skills.ground import Ground, Task, of_half, outcomes
from research.skills.measuring import HALVES, Outcome, measures

TASKS: tuple[Task, ...] = (
    *querying.TASKS,
    *judging.TASKS,
    *answering.TASKS,
    *extracting.TASKS,
    *following.TASKS,
)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    keys = [task.key for task in TASKS]
    parser.add_argument("--task", nargs="+", choices=keys, default=keys)
    parser.add_argument("--data", nargs="+", default=[], help="only these of a task's data sets")
    parser.add_argument("--method", nargs="+", default=[], help="default: the one in force for the model")
    parser.add_argument(
        "--limit", type=int, default=30, help="questions of each data set, both halves together"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--kept-out", action="store_true", help="only what the built-in model was not trained on"
    )
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chosen = [task for task in TASKS if task.key in arguments.task]
    unmatched(parser, "--data", arguments.data, {data for task in chosen for data in task.data})
    unmatched(
        parser, "--method", arguments.method, {one.key for task in chosen for one in task.skill.methods}
    )
    bench = get_workbench()
    try:
        endpoint = run_blocking(CONFIGURED.open(bench.backends.models))
        ground = Ground(arguments.folder, bench, endpoint)
        made = [
            row
            for task in chosen
            for method in methods(task, arguments.method, TINY if endpoint.builtin else CAPABLE)
            for row in scored(ground, task, method, arguments)
        ]
    except LoupeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        bench.backends.supervisor.release()
    if arguments.json:
        about = {"model": endpoint.model, "seed": arguments.seed, "kept_out": arguments.kept_out}
        print(json.dumps(about | {"results": made}))
    return 0


def unmatched(parser: argparse.ArgumentParser, option: str, wanted: Sequence[str], known: set[str]) -> None:
    """End with a sentence where a name is wanted that none of the tasks has: it would measure nothing."""
    strange = [name for name in wanted if name not in known]
    if strange:
        parser.error(
            f"{option}: none of these tasks has {', '.join(strange)}. They have {', '.join(sorted(known))}."
        )


def methods(task: Task, wanted: Sequence[str], kind: ModelKind) -> list[str]:
    """Which of a skill's methods are measured: those wanted that it has, or its default."""
    known = [method.key for method in task.skill.methods]
    return [key for key in known if key in wanted] if wanted else [task.skill.default_method(kind)]


def scored(ground: Ground, task: Task, method: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """A task and a method: a row per data set and, where there are several, one for all of them."""
    rows: list[dict[str, Any]] = []
    everything: list[Outcome] = []
    for data in task.data:
        if arguments.data and data not in arguments.data:
            continue
        found = run_blocking(
            outcomes(
                ground, task, data, method,
                limit=arguments.limit, seed=arguments.seed, only_kept_out=arguments.kept_out,
            )
        )  # fmt: skip
        everything += found
        rows.append(report(task.key, method, data, found, arguments))
    if len(rows) > 1:
        together = [replace(one, group=f"{one.data} {one.group}") for one in everything]
        rows.append(report(task.key, method, "all", together, arguments))
    return rows


def report(
    task: str, method: str, data: str, found: Sequence[Outcome], arguments: argparse.Namespace
) -> dict[str, Any]:
    """A row, printed unless JSON is wanted."""
    parts = {half: measures(of_half(found, half), arguments.seed) for half in HALVES}
    if not arguments.json:
        print(f"\n{task}, {method}, {data}: {_cost(found)}")
        for key in dict.fromkeys(key for part in parts.values() for key in part):
            cells = [
                f"{half} {part[key].mean:6.3f} ({part[key].low:6.3f} to {part[key].high:6.3f})"
                for half, part in parts.items()
                if key in part
            ]
            print(f"  {key:<24}{'   '.join(cells)}", flush=True)
    return {
        "task": task, "method": method, "data": data, "cases": len(found),
        "seconds": sum(one.seconds for one in found) / len(found) if found else None,
        "calls": sum(one.calls for one in found) / len(found) if found else None,
        "halves": {half: {key: asdict(value) for key, value in part.items()} for half, part in parts.items()},
    }  # fmt: skip


def _cost(found: Sequence[Outcome]) -> str:
    count = len(found) or 1
    seconds, calls = (
        sum(values) / count for values in ([o.seconds for o in found], [o.calls for o in found])
    )
    return f"{len(found)} cases, {calls:.1f} calls and {seconds:.2f} s each"


if __name__ == "__main__":
    sys.exit(main())
