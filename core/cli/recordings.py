"""`python -m core recordings list|export|import|delete`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.cli.output import print_json, print_table, printable
from core.errors import InputError
from core.models.recordings.files import import_recording, read_file, to_lines
from core.models.recordings.items import Recording
from core.runs.request import COMMAND_LINE
from core.runs.workbench import get_workbench
from core.wording import counted, file_size


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser(
        "recordings", help="list, export, import or delete recordings of a model's replies"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))
    listing = actions.add_parser("list", help="which there are; `ask --record NAME` makes one")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    listing.set_defaults(run=run_list)
    export = actions.add_parser(
        "export", help="write one to a file; it holds the questions, and replies that quote the documents"
    )
    export.add_argument("name", metavar="NAME")
    export.add_argument("--output", metavar="FILE", required=True, type=Path)
    export.set_defaults(run=run_export)
    importing = actions.add_parser("import", help="take one from a file, to be played without a model")
    importing.add_argument("file", metavar="FILE", type=Path)
    importing.set_defaults(run=run_import)
    delete = actions.add_parser("delete", help="forget one")
    delete.add_argument("name", metavar="NAME")
    delete.set_defaults(run=run_delete)


def run_list(arguments: argparse.Namespace) -> None:
    """List the recordings."""
    recordings = get_workbench().recordings.store.listed([COMMAND_LINE])
    if arguments.json:
        print_json({"recordings": [_described(recording) for recording in recordings]})
        return
    if not recordings:
        print(
            "No recording is kept yet. `ask … --record NAME` makes one, `recordings import FILE` takes one."
        )
        return
    rows = (
        (
            printable(recording.name),
            printable(recording.model),
            f"{recording.created:%Y-%m-%d}",
            str(recording.replies),
            file_size(recording.bytes),
        )
        for recording in recordings
    )
    print_table(("NAME", "MODEL", "CREATED", "REPLIES", "SIZE"), rows)


def run_export(arguments: argparse.Namespace) -> None:
    """Write a recording to a file.

    Raises:
        InputError: There is none of this name, or the file cannot be written.
    """
    recordings, path = get_workbench().recordings, arguments.output
    recording = recordings.find(arguments.name, [COMMAND_LINE])
    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(to_lines(recordings.store, recording))
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}.") from None
    print(
        f"{path}: {counted(recording.replies, 'reply', 'replies')}. The file holds the questions that were asked, "
        "and replies that quote the documents: hand it on only where both may be seen."
    )


def run_import(arguments: argparse.Namespace) -> None:
    """Take a recording from a file.

    Raises:
        InputError: It cannot be read, or is none.
    """
    bench = get_workbench()
    limit = bench.settings.max_recording_bytes
    try:
        data = read_file(arguments.file, limit)
    except OSError as error:
        raise InputError(f"'{arguments.file}' cannot be read: {error.strerror}.") from None
    recording = import_recording(arguments.file.name, data, bench.recordings.store, COMMAND_LINE, limit)
    print(
        printable(
            f"“{recording.name}”: {counted(recording.replies, 'reply', 'replies')} of the model “{recording.model}”. "
            f"Play them with `ask … --recording '{recording.name}'`."
        )
    )


def run_delete(arguments: argparse.Namespace) -> None:
    """Forget a recording.

    Raises:
        InputError: There is none of this name.
    """
    recordings = get_workbench().recordings
    recording = recordings.find(arguments.name, [COMMAND_LINE])
    recordings.store.delete(recording.id)
    print(printable(f"“{recording.name}” is deleted."))


def _described(recording: Recording) -> dict[str, Any]:
    keys = ("name", "model", "created", "replies", "bytes", "licence", "measured")
    return {key: getattr(recording, key) for key in keys}
