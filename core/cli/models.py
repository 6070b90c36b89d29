"""`python -m core models list|fetch`."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.output import follow, print_json, print_table, printable
from core.models.reach.fetching import is_there
from core.models.reach.files import model_files
from core.models.reach.recommended import RECOMMENDED, recommended
from core.runs.workbench import get_workbench
from core.wording import file_size

LEAVE_SECONDS = 5.0
"""How long a download that was stopped may take to put down what it has."""


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser("models", help="list models for this machine, or fetch one")
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


def run_list(arguments: argparse.Namespace) -> None:
    """List the models."""
    bench = get_workbench()
    folder, files = bench.backends.downloads.folder, model_files(bench.settings)
    if arguments.json:
        keys = ("name", "title", "repository", "file", "bytes", "sha256", "licence")
        print_json(
            {
                "folder": str(folder),
                "files": [
                    {"file": file.name, "described": file.described, "problem": file.problem}
                    for file in files
                ],
                "recommended": [
                    {key: getattr(model, key) for key in keys} | {"fetched": is_there(model, folder)}
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
    print(f"BUILTIN_MODEL_FILE={path} lets it answer.")
