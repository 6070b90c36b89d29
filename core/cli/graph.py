"""`python -m core graph list|import|query|delete`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.output import end_progress, print_json, print_table, printable, progress
from core.knowledge.catalogue import Graph
from core.knowledge.graphs import Graphs
from core.knowledge.importing import import_file
from core.services.supervisor import Supervisor
from core.settings import get_settings


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser("graph", help="list, import, ask and delete knowledge graphs")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))
    listing = actions.add_parser("list", help="what graphs there are")
    listing.set_defaults(run=run_list)
    importing = actions.add_parser(
        "import", help="import triples (.tsv, .jsonl) or a Cypher script (.cypher)"
    )
    importing.add_argument("file", metavar="FILE", type=Path)
    importing.set_defaults(run=run_import)
    query = actions.add_parser("query", help="run one Cypher query that only reads")
    query.add_argument("cypher", metavar="CYPHER")
    query.set_defaults(run=run_query)
    deleting = actions.add_parser("delete", help="delete a graph")
    deleting.set_defaults(run=run_delete)
    for action in (importing, query, deleting):
        action.add_argument("--graph", metavar="NAME", required=True)
    for action in (listing, importing, query):
        action.add_argument("--json", action="store_true", help="print one JSON object")


def run_list(arguments: argparse.Namespace) -> None:
    """List the graphs; no graph server is started for it."""
    found = _graphs().catalogue.graphs()
    if arguments.json:
        print_json({"graphs": [_public(graph) for graph in found]})
    elif found:
        rows = ((graph.nodes, graph.edges, "yes" if graph.ready else "no", graph.name) for graph in found)
        print_table(("NODES", "EDGES", "READY", "NAME"), rows)
    else:
        print("No graph yet. `graph import` makes one.")


def run_import(arguments: argparse.Namespace) -> None:
    """Import a file."""
    graphs = _graphs()
    try:
        graph = import_file(
            graphs, arguments.file, arguments.graph, progress=lambda done: progress(f"{done} triples written")
        )
    finally:
        end_progress()
        graphs.close()
    if arguments.json:
        print_json(_public(graph))
    else:
        print(f"{printable(graph.name)}: {graph.nodes} nodes, {graph.edges} edges")


def run_query(arguments: argparse.Namespace) -> None:
    """Run a query behind the guard."""
    graphs = _graphs()
    try:
        result = graphs.open(arguments.graph).query(arguments.cypher)
    finally:
        graphs.close()
    if arguments.json:
        print_json(
            {
                "columns": result.columns,
                "rows": result.rows,
                "truncated": result.truncated,
                "seconds": result.seconds,
            }
        )
        return
    if result.columns:
        print_table(
            [printable(name) for name in result.columns], ([_cell(v) for v in row] for row in result.rows)
        )
    note = ", cut off" if result.truncated else ""
    print(f"\n{len(result.rows)} rows{note}, {result.seconds:.3f} s")


def run_delete(arguments: argparse.Namespace) -> None:
    """Delete a graph."""
    graphs = _graphs()
    try:
        graphs.delete(arguments.graph)
    finally:
        graphs.close()
    print(f"{printable(arguments.graph)}: deleted")


def _graphs() -> Graphs:
    settings = get_settings()
    return Graphs(settings, Supervisor(settings.rag_loupe_home))


def _public(graph: Graph) -> dict[str, Any]:
    return {key: value for key, value in asdict(graph).items() if key not in ("id", "database")}


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text.replace("\n", " ")
