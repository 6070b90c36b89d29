"""`python -m core graph export`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from core.cli.output import end_progress, printable, progress
from core.knowledge.store.exporting import SUFFIXES, lines, save
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import demo_graph
from core.services.supervisor import Supervisor
from core.settings import get_settings


def add(actions: Any) -> None:
    """Declare the command."""
    exporting = actions.add_parser("export", help="write a graph to a file, or to standard output")
    exporting.add_argument("file", metavar="FILE", type=Path, nargs="?", help="replaced if it is there")
    exporting.add_argument("--graph", metavar="NAME", required=True)
    exporting.add_argument(
        "--format",
        choices=list(SUFFIXES),
        default="triples",
        help="triples (.tsv) and jsonl can be imported again; graphml is for Gephi and the like",
    )
    exporting.set_defaults(run=run_export)


def run_export(arguments: argparse.Namespace) -> None:
    """Export a graph."""
    settings = get_settings()
    graphs = Graphs(settings, Supervisor(settings.rag_loupe_home))
    try:
        graph = demo_graph(graphs, arguments.graph, lambda done: progress(f"{done} triples written"))
        text = lines(graphs.store(graph), arguments.format)
        if arguments.file is None:
            for line in text:
                sys.stdout.buffer.write(line.encode())
            sys.stdout.buffer.flush()
            return
        count = save(text, arguments.file, lambda done: progress(f"{done} lines written"))
    finally:
        end_progress()
        graphs.close()
    print(f"{printable(arguments.file.name)}: {count} lines")
