"""`python -m core graph export`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from core.cli.graph_stores import opened_graphs
from core.cli.output import printable, progress
from core.knowledge.store.exporting import SUFFIXES, lines, save
from core.knowledge.store.importing import demo_graph


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
    with opened_graphs() as graphs:
        graph = demo_graph(graphs, arguments.graph, lambda done: progress(f"{done} triples written"))
        text = lines(graphs.store(graph), arguments.format)
        if arguments.file is None:
            for line in text:
                sys.stdout.buffer.write(line.encode())
            sys.stdout.buffer.flush()
            return
        count = save(text, arguments.file, lambda done: progress(f"{done} lines written"))
    print(f"{printable(arguments.file.name)}: {count} lines")
