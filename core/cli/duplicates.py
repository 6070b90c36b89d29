"""`python -m core graph duplicates|merge|merges|unmerge`."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.graph_stores import opened_graphs
from core.cli.output import print_json, print_table, printable
from core.jobs import run_blocking
from core.knowledge.build.merging import merge, unmerge
from core.knowledge.build.resolution import NEAR, duplicates
from core.knowledge.store.aliases import Merge
from core.runs.workbench import get_workbench
from core.wording import counted


def add(actions: Any) -> None:
    """Declare the commands."""
    finding = actions.add_parser("duplicates", help="propose entities that may be one")
    finding.add_argument("--near", metavar="COSINE", type=float, default=NEAR, help=f"from which on ({NEAR})")
    finding.add_argument("--spelling-only", action="store_true", help="do not compare meanings")
    finding.set_defaults(run=run_duplicates)
    merging = actions.add_parser("merge", help="make one entity of two")
    merging.add_argument("keep", metavar="KEEP")
    merging.add_argument("duplicate", metavar="DUPLICATE", help="its edges are moved to KEEP")
    merging.set_defaults(run=run_merge)
    listing = actions.add_parser("merges", help="what was merged")
    listing.set_defaults(run=run_merges)
    undoing = actions.add_parser("unmerge", help="undo a merge")
    undoing.add_argument("merge", metavar="ID", help="see `graph merges`")
    undoing.set_defaults(run=run_unmerge)
    for action in (finding, merging, listing, undoing):
        action.add_argument("--graph", metavar="NAME", required=True)
        action.add_argument("--json", action="store_true", help="print one JSON object")


def run_duplicates(arguments: argparse.Namespace) -> None:
    """Propose duplicates."""
    with opened_graphs() as graphs:
        embedder = None if arguments.spelling_only else get_workbench().backends.embedder
        found = run_blocking(duplicates(graphs.open(arguments.graph), embedder, arguments.near))
    if arguments.json:
        print_json(found.model_dump())
    elif found.proposals:
        rows = ((p.keep.name, p.duplicate.name, p.reason) for p in found.proposals)
        print_table(("KEEP", "DUPLICATE", "REASON"), rows)
    else:
        print("Nothing to propose.")
    if found.compared < found.entities and not arguments.spelling_only and not arguments.json:
        print(f"The meaning of {found.compared} of {found.entities} names was compared: the most connected.")


def run_merge(arguments: argparse.Namespace) -> None:
    """Merge two entities."""
    with opened_graphs() as graphs:
        graph = graphs.catalogue.graph(arguments.graph)
        done = run_blocking(merge(graphs, graph, arguments.keep, arguments.duplicate, "by hand"))
    if arguments.json:
        print_json(_public(done))
    else:
        print(
            printable(
                f"{done.id}: “{done.gone.name}” is “{done.keep.name}” now, {counted(len(done.moved), 'edge')}"
            )
        )


def run_merges(arguments: argparse.Namespace) -> None:
    """List the merges."""
    with opened_graphs() as graphs:
        merges = graphs.aliases.merges(graphs.catalogue.graph(arguments.graph).id)
    if arguments.json:
        print_json({"merges": [_public(one) for one in merges]})
    elif merges:
        rows = ((one.id, one.gone.name, len(one.moved), one.keep.name) for one in merges)
        print_table(("ID", "WAS", "EDGES", "IS"), rows)
    else:
        print("Nothing was merged.")


def run_unmerge(arguments: argparse.Namespace) -> None:
    """Undo a merge."""
    with opened_graphs() as graphs:
        done = run_blocking(unmerge(graphs, graphs.catalogue.graph(arguments.graph), arguments.merge))
    if arguments.json:
        print_json(_public(done))
    else:
        print(
            printable(
                f"“{done.gone.name}” is an entity of its own again, with {counted(len(done.moved), 'edge')}"
            )
        )


def _public(merge: Merge) -> dict[str, Any]:
    return {
        "id": merge.id,
        "keep": merge.keep.model_dump(),
        "duplicate": merge.gone.model_dump(),
        "reason": merge.reason,
        "created": merge.created,
        "edges": len(merge.moved),
    }
