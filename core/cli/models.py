"""`python -m core models list|fetch|check`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.cli.output import follow, print_json, print_table, printable
from core.errors import InputError
from core.models.choice import ChatChoice
from core.models.reach.fetching import is_there
from core.models.reach.files import model_files
from core.models.reach.recommended import RECOMMENDED, recommended
from core.runs.workbench import Workbench, get_workbench
from core.skills import SKILLS
from core.wording import duration, file_size

if TYPE_CHECKING:
    from core.skills.checking.results import CheckResult

LEAVE_SECONDS = 5.0
"""How long a download that was stopped may take to put down what it has."""


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser(
        "models", help="list models for this machine, fetch one, or check what one can do"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))
    listing = actions.add_parser(
        "list", help="model files of this machine, and open models that can be fetched"
    )
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    listing.set_defaults(run=run_list)
    fetching = actions.add_parser(
        "fetch", help="fetch a recommended model from Hugging Face; one that was interrupted goes on"
    )
    fetching.add_argument("name", metavar="NAME")
    fetching.set_defaults(run=run_fetch)
    checking = actions.add_parser(
        "check",
        help="ask a model a few questions with known answers, and give each skill the method it can carry",
    )
    checking.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        default="",
        help="a recommended model that was fetched, a model file, or another model of the endpoint; without it, the "
        "model that answers here",
    )
    checking.add_argument("--json", action="store_true", help="print one JSON object")
    checking.set_defaults(run=run_check)


def run_list(arguments: argparse.Namespace) -> None:
    """List the models."""
    bench = get_workbench()
    folder, files = bench.backends.downloads.folder, model_files(bench.settings)
    if arguments.json:
        print_json(
            {
                "folder": str(folder),
                "files": [
                    {"file": file.name, "described": file.described, "problem": file.problem}
                    for file in files
                ],
                "recommended": [
                    {
                        "name": model.name,
                        "title": model.title,
                        "repository": model.repository,
                        "file": model.file,
                        "bytes": model.bytes,
                        "sha256": model.sha256,
                        "licence": model.licence,
                        "fetched": is_there(model, folder),
                    }
                    for model in RECOMMENDED
                ],
            }
        )
        return
    print_table(
        ("NAME", "SIZE", "MEMORY", "LICENCE", "FETCHED", "WHAT IT IS"),
        (
            (
                model.name,
                file_size(model.bytes),
                f"{model.memory:.1f} GB",
                model.licence,
                "yes" if is_there(model, folder) else "no",
                f"{model.title}: {model.says}",
            )
            for model in RECOMMENDED
        ),
    )
    if files:
        print(f"\nFiles in {folder}:")
        for file in files:
            print(printable(f"  {file.name}  {file.problem or file.described}"))


def run_fetch(arguments: argparse.Namespace) -> None:
    """Fetch a model.

    Raises:
        LoupeError: It is not one that is recommended, or could not be fetched.
    """
    model = recommended(arguments.name)
    job = get_workbench().backends.downloads.start(model)
    path = follow(job, lambda: job.message, LEAVE_SECONDS)
    print(f"{path}: {model.title}, {file_size(model.bytes)}, {model.licence}.")
    print(f"`models check {model.name}` says what it can do; BUILTIN_MODEL_FILE={path} lets it answer.")


def run_check(arguments: argparse.Namespace) -> None:
    """Check a model.

    Raises:
        LoupeError: There is no such model, or it does not answer.
    """
    bench = get_workbench()
    job = bench.backends.checks.start(_chosen(bench, arguments.name))
    result = follow(job, lambda: job.message)
    if arguments.json:
        print_json(_described(result))
        return
    print(printable(f"{result.model}, checked in {duration(result.seconds)}:"))
    print_table(
        ("IT CAN", "RIGHT", "WHAT"),
        (
            ("yes" if one.passed else "no", f"{one.right} of {one.asked}", one.does)
            for one in sorted(result.probes, key=lambda one: not one.passed)
        ),
    )
    others = [(SKILLS[key].title, method) for key, _, method in result.replaced()]
    if others:
        print("\nThese steps are done in another way from now on, unless a method is picked:")
        print_table(("  STEP", "METHOD"), ((f"  {title}", method.title) for title, method in others))
    if helpless := result.helpless():
        titles = ", ".join(SKILLS[key].title for key in helpless)
        print(f"\nThere is no other way for: {titles}. They may fail.")


def _chosen(bench: Workbench, name: str) -> ChatChoice:
    if not name:
        return ChatChoice()
    files = {file.name for file in model_files(bench.settings)}
    fetched = {
        model.name: model.file for model in RECOMMENDED if is_there(model, bench.backends.downloads.folder)
    }
    if (file := fetched.get(name, name)) in files:
        return ChatChoice(file=file)
    if any(model.name == name for model in RECOMMENDED):
        raise InputError(f"“{name}” is not here yet. Fetch it first: `models fetch {name}`.")
    return ChatChoice(model=name)


def _described(result: CheckResult) -> dict[str, Any]:
    return {
        "model": result.model,
        "created": result.created,
        "version": result.version,
        "seconds": round(result.seconds, 1),
        "probes": [one.model_dump() for one in result.probes],
        "methods": {key: method for key, _, method in result.methods()},
    }
