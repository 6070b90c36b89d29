"""`python -m core erase`: everything of one owner, what is too old, or what is both."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.output import complain, follow, print_json
from core.errors import InputError
from core.runs.workbench import get_workbench


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("erase", help="delete all that belongs to somebody, or that is too old")
    parser.add_argument("--owner", metavar="ID", default="", help="as in the column `owner` of the tables")
    parser.add_argument(
        "--older-than",
        metavar="DAYS",
        type=int,
        help="only what was made before that, and is not pinned; without an owner: runs, comparisons, evaluations and "
        "classes of everybody",
    )
    parser.add_argument("--yes", action="store_true", help="delete it; without this it is only counted")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run_erase)


def run_erase(arguments: argparse.Namespace) -> int:
    """Count what is meant, and delete it; 1 if something could not be deleted.

    Raises:
        InputError: Neither an owner nor an age is given, or they are not usable.
    """
    from core.classroom.erasing import Erased, Erasing, check_owner, in_words, what_is_there
    from core.classroom.retention import days_ago
    from core.owned import Extent

    if not arguments.owner and arguments.older_than is None:
        raise InputError("Say what to delete: --owner ID, --older-than DAYS, or both.")
    if arguments.older_than is not None and arguments.older_than < 0:
        raise InputError("--older-than takes a number of days from 0.")
    if arguments.owner:
        check_owner(arguments.owner)
    before = None if arguments.older_than is None else days_ago(arguments.older_than)
    extent, bench = Extent(arguments.owner, before), get_workbench()
    erased = Erased(what_is_there(bench, extent))
    if arguments.yes:
        job = Erasing(bench, extent)
        erased = follow(job, lambda: job.message)
    if arguments.json:
        print_json({"deleted": arguments.yes, "counts": erased.counts, "problems": erased.problems})
    elif arguments.yes:
        print(f"Deleted: {in_words(erased.counts)}.")
    else:
        print(f"{in_words(erased.counts).capitalize()}. Nothing was deleted: --yes deletes it for good.")
    for problem in erased.problems:
        complain(problem)
    return 1 if erased.problems else 0
