"""`python -m core erase`: everything that belongs to one owner."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.output import complain, follow
from core.runs.workbench import get_workbench


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("erase", help="delete all that belongs to somebody")
    parser.add_argument("owner", help="as in the column `owner` of the tables")
    parser.add_argument("--yes", action="store_true", help="delete it; without this it is only counted")
    parser.set_defaults(run=run_erase)


def run_erase(arguments: argparse.Namespace) -> int:
    """Count what belongs to an owner, or delete it; 1 if something could not be deleted."""
    from core.classroom.erasing import Erasing, count, in_words

    bench = get_workbench()
    if not arguments.yes:
        words = in_words(count(bench, arguments.owner))
        print(f"{words.capitalize()}. Nothing was deleted: --yes deletes it for good.")
        return 0
    job = Erasing(bench, arguments.owner)
    counts, problems = follow(job, lambda: job.progress[1])
    print(f"Deleted: {in_words(counts)}.")
    for problem in problems:
        complain(problem)
    return 1 if problems else 0
