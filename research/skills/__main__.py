"""Puts labelled cases through the methods of the skills, and scores what comes out.

    python -m research.skills DATA_FOLDER [--keep FILE] [--minutes N] [--task KEY ...] [--data NAME ...]
        [--method KEY ...] [--limit 30] [--seed 0] [--kept-out]

DATA_FOLDER holds the data sets as folders. The model is the endpoint in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL,
else the model file in BUILTIN_MODEL_FILE, else the built-in one. A skill's method is called as the strategies call it,
by turns: a case of each task, through each of its methods, then the next. With --keep, each outcome is written down at
once and not measured again: stop at any moment, and go on with the same command. With --minutes it ends in time; what
would take longer than is left is not begun. Then the tables of `research.skills.report` are printed.

Each sample is cut into two halves by a seed: what is tuned is tuned on one, and counts on the other. Indexes are kept
in RAG_LOUPE_HOME. With --kept-out, only those questions and records are drawn that the built-in model never saw.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.chat_models import CONFIGURED
from core.runs.workbench import get_workbench
from research.skills.ground import Ground, Item, Task, items, outcome, prompt_of
from research.skills.keeping import Kept
from research.skills.report import mains, report
from research.skills.tasks import TASKS

PATIENCE = 3
"""Errors of the endpoint or a service, one after the other, after which nothing more is asked."""


@dataclass
class Lane:
    """A task on its way through its cases."""

    task: Task
    methods: list[str]
    items: list[Item] | None = None
    """Its cases, the data sets by turns; None: not drawn yet."""
    at: int = 0
    seconds: float = 0.0
    """Seconds that its cases took so far, those included that were measured before."""

    def ended(self) -> bool:
        """True if no case is left."""
        return self.items is not None and self.at >= len(self.items)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    keys = [task.key for task in TASKS]
    parser.add_argument("--keep", type=Path, metavar="FILE", help="JSON Lines of what is measured")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end after so many")
    parser.add_argument("--task", nargs="+", choices=keys, default=keys)
    parser.add_argument("--data", nargs="+", default=[], help="only these of a task's data sets")
    parser.add_argument(
        "--method", nargs="+", default=[], help="default: all that the model's kind can choose"
    )
    parser.add_argument(
        "--limit", type=int, default=30, help="questions of each data set, both halves together"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--kept-out", action="store_true", help="only what the built-in model was not trained on"
    )
    arguments = parser.parse_args()
    chosen = [task for task in TASKS if task.key in arguments.task]
    unmatched(parser, "--data", arguments.data, {data for task in chosen for data in task.data})
    unmatched(
        parser, "--method", arguments.method, {one.key for task in chosen for one in task.skill.methods}
    )
    bench, kept = get_workbench(), Kept(arguments.keep)
    try:
        endpoint = run_blocking(CONFIGURED.open(bench.backends.models))
        ground = Ground(arguments.folder, bench, endpoint)
        run_blocking(measure(ground, chosen, kept, arguments))
    except LoupeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()
    latest = {
        one.asked: one for one in kept if one.task in arguments.task and one.model in ("", endpoint.model)
    }
    print(report(list(latest.values()), mains()))
    return 0


def unmatched(parser: argparse.ArgumentParser, option: str, wanted: Sequence[str], known: set[str]) -> None:
    """End with a sentence where a name is wanted that none of the tasks has: it would measure nothing."""
    strange = [name for name in wanted if name not in known]
    if strange:
        parser.error(
            f"{option}: none of these tasks has {', '.join(strange)}. They have {', '.join(sorted(known))}."
        )


async def measure(ground: Ground, tasks: Sequence[Task], kept: Kept, arguments: argparse.Namespace) -> None:
    """Put cases through methods until none is left or the time is over; always of the task that took least so far.

    Raises:
        LoupeError: The endpoint or a service fails time after time.
    """
    end = time.monotonic() + arguments.minutes * 60
    lanes = [Lane(task, methods(ground, task, arguments.method)) for task in tasks]
    errors = 0
    while open_lanes := [lane for lane in lanes if lane.methods and not lane.ended()]:
        lane = min(open_lanes, key=lambda lane: lane.seconds)
        if lane.items is None:
            lane.items = await drawn(ground, lane.task, arguments)
            continue
        item = lane.items[lane.at]
        lane.at += 1
        for method in tuple(lane.methods):
            model = ground.model_of(lane.task.skill, method)
            key = lane.task.key, method, model, item.data, item.case.group, str(item.place)
            if known := kept.get((*key, prompt_of(lane.task.skill, method))):
                lane.seconds += known.seconds
                continue
            left = end - time.monotonic()
            if left <= kept.longest(lane.task.key, method, model):
                lane.methods.clear()  # for this time: methods stay on the same cases
                break
            try:
                async with asyncio.timeout(left if left < float("inf") else None):
                    found = await outcome(ground, lane.task, item, method)
                kept.add(found)
                lane.seconds += found.seconds
                errors = 0
            except TimeoutError:
                return
            except LoupeError as error:
                errors += 1
                print(f"{lane.task.key} {method} {item.case.group}: {error}", file=sys.stderr, flush=True)
                if errors == PATIENCE:
                    raise


async def drawn(ground: Ground, task: Task, arguments: argparse.Namespace) -> list[Item]:
    """A task's cases, one of each data set by turns."""
    parts = [
        await items(
            ground, task, data,
            limit=arguments.limit, seed=arguments.seed, only_kept_out=arguments.kept_out,
        )
        for data in task.data
        if not arguments.data or data in arguments.data
    ]  # fmt: skip
    return [item for item in chain.from_iterable(zip_longest(*parts)) if item]


def methods(ground: Ground, task: Task, wanted: Sequence[str]) -> list[str]:
    """The methods of a task's skill that are measured: of those that can be chosen, all or those that are wanted."""
    return [one.key for one in task.skill.offered(ground.kind) if not wanted or one.key in wanted]


if __name__ == "__main__":
    sys.exit(main())
