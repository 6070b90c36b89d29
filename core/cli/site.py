"""`python -m core site`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.cli.output import end_progress, print_json, printable, progress
from core.report.site import write


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("site", help="write lessons and recorded runs as static pages")
    parser.add_argument(
        "folder", metavar="FOLDER", type=Path, help="made where it is missing; pages there are replaced"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run_site)


def run_site(arguments: argparse.Namespace) -> None:
    """Write the site."""
    sizes = write(arguments.folder, lambda title, done, of: progress(f"{done} of {of}: {title}"))
    end_progress()
    if arguments.json:
        print_json({"folder": str(arguments.folder), "pages": len(sizes), "bytes": sum(sizes)})
        return
    print(
        f"{len(sizes)} pages, {sum(sizes) / 1e6:.1f} MB. Open {printable(str(arguments.folder / 'index.html'))}"
    )
