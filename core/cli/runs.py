"""`python -m core runs list|show|export`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.cli.ask import print_run
from core.cli.output import print_json, print_table
from core.errors import InputError
from core.runs.record import record
from core.runs.sources.sources import Sources
from core.runs.summary import summary
from core.runs.transfer import to_lines
from core.runs.workbench import get_workbench
from core.trace.events import Event


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser("runs", help="list the stored runs, show or export one")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))
    listing = actions.add_parser("list", help="the newest runs first")
    listing.add_argument("--limit", type=int, default=50, help="how many (default 50)")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    listing.set_defaults(run=run_list)
    show = actions.add_parser("show", help="one run as it was recorded")
    show.add_argument("id", metavar="RUN")
    show.add_argument("--json", action="store_true", help="print one JSON object")
    show.set_defaults(run=run_show)
    export = actions.add_parser("export", help="write a run to a file")
    export.add_argument("id", metavar="RUN")
    export.add_argument(
        "--output", metavar="FILE", required=True, type=Path, help=f"its ending says the form: {_forms()}"
    )
    export.set_defaults(run=run_export)


def run_list(arguments: argparse.Namespace) -> None:
    """List the stored runs."""
    entries = get_workbench().store.list(limit=max(1, arguments.limit))
    if arguments.json:
        keys = ("id", "created", "strategy", "question", "corpus", "state", "recording")
        print_json({"runs": [{key: getattr(run, key) for key in keys} for run in entries]})
        return
    if not entries:
        print("No run is stored yet. `ask` makes one.")
        return
    more = ["RECORDING"] if any(run.recording for run in entries) else []
    head = ("RUN", "CREATED (UTC)", "STRATEGY", "STATE", *more, "QUESTION OR NAME")
    rows = [
        (
            run.id,
            f"{run.created:%Y-%m-%d %H:%M}",
            run.strategy,
            run.state,
            *([run.recording] if more else []),
            run.title,
        )
        for run in entries
    ]
    print_table(head, rows)


def run_show(arguments: argparse.Namespace) -> None:
    """Show one stored run."""
    shown = record(get_workbench().store.events(arguments.id))
    if arguments.json:
        print_json(summary(shown))
    else:
        print_run(shown)


def run_export(arguments: argparse.Namespace) -> None:
    """Write one stored run to a file.

    Raises:
        InputError: The file's ending names no form, or it cannot be written.
    """
    path: Path = arguments.output
    written = FORMS.get(path.suffix.lower())
    if written is None:
        raise InputError(f"'{path.name}' does not say in which form: choose a name that ends in {_forms()}.")
    workbench = get_workbench()
    events = workbench.store.events(arguments.id)
    text = written(workbench, events)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}.") from None
    print(f"{path}: {len(events)} events")


def _report(sources: Sources, events: Sequence[Event]) -> str:
    from core.report import stored_report

    return stored_report(events, sources.store)


def _notebook(sources: Sources, events: Sequence[Event]) -> str:
    from core.runs.notebook import gather, notebook

    run = record(events)
    return notebook(run, gather(run, sources.corpora, sources.graphs))


FORMS: dict[str, Callable[[Sources, Sequence[Event]], str]] = {
    ".jsonl": lambda _, events: to_lines(events),
    ".html": _report,
    ".ipynb": _notebook,
}
"""Ending of a file -> what writes a run in that form."""


def _forms() -> str:
    return " or ".join(FORMS)
