"""`python -m core graph list|import|export|build|query|delete`, and `duplicates|merge|merges|unmerge`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.output import (
    FIRST_USE,
    complain,
    end_progress,
    first_use_note,
    follow,
    make_ready,
    print_json,
    print_table,
    printable,
    progress,
)
from core.cli.playing import add_playing, chat_of
from core.errors import InputError
from core.jobs import run_blocking
from core.knowledge.build.merging import merge, unmerge
from core.knowledge.build.resolution import NEAR, duplicates
from core.knowledge.store.aliases import Merge
from core.knowledge.store.demo_graphs import demo_names
from core.knowledge.store.exporting import SUFFIXES, lines, save
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import demo_graph, import_file
from core.models.chat_models import CONFIGURED
from core.runs.sources.builds import BuildJob
from core.runs.workbench import get_workbench
from core.skills.base import prompt_key
from core.skills.extract import EXTRACT
from core.wording import counted, duration

STOP_SECONDS = 15.0
"""Longest time for an interrupted build to put down what it has."""


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser("graph", help="list, import, export, ask and delete knowledge graphs")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))
    listing = actions.add_parser("list", help="what graphs there are")
    listing.set_defaults(run=run_list)
    importing = actions.add_parser(
        "import", help="import triples (.tsv, .jsonl) or a Cypher script (.cypher)"
    )
    importing.add_argument("file", metavar="FILE", type=Path)
    importing.set_defaults(run=run_import)
    building = actions.add_parser(
        "build", help="extract a corpus's triples; run it again to go on after a stop, a kill or a failure"
    )
    building.add_argument("--corpus", metavar="NAME", required=True)
    building.add_argument("--limit", metavar="N", type=int, help="do at most N chunks this time")
    building.add_argument(
        "--retry-failed", action="store_true", help="send chunks that failed before once more"
    )
    add_playing(building)
    building.add_argument("--method", metavar="KEY", choices=[m.key for m in EXTRACT.methods])
    building.add_argument(
        "--prompt", metavar="FILE", type=Path, help="a prompt in the place of the built-in one"
    )
    building.set_defaults(run=run_build)
    query = actions.add_parser("query", help="run one Cypher query that only reads")
    query.add_argument("cypher", metavar="CYPHER")
    query.set_defaults(run=run_query)
    _add_export(actions)
    _add_duplicates(actions)
    deleting = actions.add_parser("delete", help="delete a graph")
    deleting.set_defaults(run=run_delete)
    for action in (importing, building, query, deleting):
        action.add_argument("--graph", metavar="NAME", required=True)
    for action in (listing, importing, building, query):
        action.add_argument("--json", action="store_true", help="print one JSON object")


def run_list(arguments: argparse.Namespace) -> None:
    """List the graphs; no graph server is started for it."""
    with _opened_graphs() as graphs:
        listed = graphs.catalogue.graphs()
    names = {graph.name for graph in listed}
    later = [name for name in demo_names() if name not in names]
    if arguments.json:
        print_json({"graphs": [_public(graph) for graph in listed], "at_first_use": later})
        return
    rows: list[tuple[object, ...]] = [
        (graph.nodes, graph.edges, "yes" if graph.ready else "no", graph.name) for graph in listed
    ]
    rows += [("-", "-", FIRST_USE, name) for name in later]
    print_table(("NODES", "EDGES", "READY", "NAME"), rows)
    first_use_note(later)


def run_import(arguments: argparse.Namespace) -> None:
    """Import a file."""
    with _opened_graphs() as graphs:
        graph = import_file(graphs, arguments.file, arguments.graph, progress=_written)
    if arguments.json:
        print_json(_public(graph))
    else:
        print(f"{printable(graph.name)}: {counted(graph.nodes, 'node')}, {counted(graph.edges, 'edge')}")


def run_build(arguments: argparse.Namespace) -> int:
    """Build a graph; chunks that failed are listed, and make the exit status 1 if nothing is done at all."""
    methods = {EXTRACT.key: arguments.method} if arguments.method else {}
    prompts = _prompt(arguments.prompt, methods) if arguments.prompt else {}
    corpora = get_workbench().corpora
    make_ready(corpora, arguments.corpus)
    with _opened_graphs() as graphs:
        job = BuildJob(
            corpora,
            graphs,
            arguments.corpus,
            arguments.graph,
            limit=arguments.limit,
            retry_failed=arguments.retry_failed,
            methods=methods,
            prompts=prompts,
            chat=chat_of(arguments, get_workbench()),
        )
        report = follow(job, lambda: job.message + _left(job.progress.left), STOP_SECONDS)
    if arguments.json:
        print_json(report.model_dump())
    else:
        print(
            f"{printable(report.graph)}: {counted(report.nodes, 'node')}, {counted(report.edges, 'edge')}; "
            f"{counted(report.chunks, 'chunk')} done now, "
            f"{report.before} before, {report.open} left, {len(report.failed)} failed; "
            f"{counted(report.triples, 'triple')}, "
            f"{sum(report.dropped.values())} dropped, {report.seconds:.1f} s"
        )
        for reason, count in sorted(report.dropped.items()):
            print(f"  dropped {count}: {reason}")
        if report.demonstration:
            print("  Made by the tiny built-in model: a demonstration, not a graph to rely on.")
    for item in report.failed:
        complain(f"failed {item.chunk} of “{item.title}”: {item.reason}")
    if report.failed:
        complain("--retry-failed sends these chunks once more.")
    return 1 if report.failed and not report.chunks and not report.before else 0


def _left(seconds: float | None) -> str:
    return f", about {duration(seconds)} left" if seconds is not None else ""


def _written(triples: int) -> None:
    progress(f"{counted(triples, 'triple')} written")


def _prompt(file: Path, methods: dict[str, str]) -> dict[str, str]:
    method = methods.get(EXTRACT.key) or EXTRACT.default_method(get_workbench().backends.kind(CONFIGURED))
    try:
        return {prompt_key(EXTRACT.key, method): file.read_text(encoding="utf-8")}
    except (OSError, UnicodeDecodeError):
        raise InputError(f"“{file.name}” cannot be read as text in UTF-8.") from None


def run_query(arguments: argparse.Namespace) -> None:
    """Run a query behind the guard."""
    with _opened_graphs() as graphs:
        result = graphs.store(demo_graph(graphs, arguments.graph, _written)).query(arguments.cypher)
    if arguments.json:
        keys = ("columns", "rows", "truncated", "seconds")
        print_json({key: getattr(result, key) for key in keys})
        return
    if result.columns:
        print_table(
            [printable(name) for name in result.columns], ([_cell(v) for v in row] for row in result.rows)
        )
    note = ", cut off" if result.truncated else ""
    print(f"\n{len(result.rows)} rows{note}, {result.seconds:.3f} s")


def run_delete(arguments: argparse.Namespace) -> None:
    """Delete a graph."""
    service = get_workbench().graphs
    with closing(service.graphs):
        service.delete(arguments.graph)
    print(f"{printable(arguments.graph)}: deleted")


def _public(graph: Graph) -> dict[str, Any]:
    return {key: value for key, value in asdict(graph).items() if key not in ("id", "database", "owner")}


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text.replace("\n", " ")


@contextmanager
def _opened_graphs() -> Iterator[Graphs]:
    """Catalogue and stores; at the end they are closed, and no line of progress is left behind."""
    workbench = get_workbench()
    graphs = Graphs(workbench.settings, workbench.backends.supervisor)
    try:
        yield graphs
    finally:
        end_progress()
        graphs.close()


def _add_export(actions: Any) -> None:
    """Declare the command that exports."""
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
    with _opened_graphs() as graphs:
        graph = demo_graph(graphs, arguments.graph, lambda done: progress(f"{done} triples written"))
        text = lines(graphs.store(graph), arguments.format)
        if arguments.file is None:
            for line in text:
                sys.stdout.buffer.write(line.encode())
            sys.stdout.buffer.flush()
            return
        count = save(text, arguments.file, lambda done: progress(f"{done} lines written"))
    print(f"{printable(arguments.file.name)}: {count} lines")


def _add_duplicates(actions: Any) -> None:
    """Declare the commands that make one entity of two."""
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
    with _opened_graphs() as graphs:
        embedder = None if arguments.spelling_only else get_workbench().backends.embedder
        proposals = run_blocking(duplicates(graphs.open(arguments.graph), embedder, arguments.near))
    if arguments.json:
        print_json(proposals.model_dump())
    elif proposals.proposals:
        rows = ((p.keep.name, p.duplicate.name, p.reason) for p in proposals.proposals)
        print_table(("KEEP", "DUPLICATE", "REASON"), rows)
    else:
        print("Nothing to propose.")
    if proposals.compared < proposals.entities and not arguments.spelling_only and not arguments.json:
        print(
            f"The meaning of {proposals.compared} of {proposals.entities} names was compared: the most connected."
        )


def run_merge(arguments: argparse.Namespace) -> None:
    """Merge two entities."""
    with _opened_graphs() as graphs:
        graph = graphs.catalogue.graph(arguments.graph)
        done = run_blocking(merge(graphs, graph, arguments.keep, arguments.duplicate, "by hand"))
    edges = counted(len(done.moved), "edge")
    _print_merge(done, f"{done.id}: “{done.gone.name}” is “{done.keep.name}” now, {edges}", arguments.json)


def run_merges(arguments: argparse.Namespace) -> None:
    """List the merges."""
    with _opened_graphs() as graphs:
        merges = graphs.aliases.merges(graphs.catalogue.graph(arguments.graph).id)
    if arguments.json:
        print_json({"merges": [_public_merge(record) for record in merges]})
    elif merges:
        rows = ((record.id, record.gone.name, len(record.moved), record.keep.name) for record in merges)
        print_table(("ID", "WAS", "EDGES", "IS"), rows)
    else:
        print("Nothing was merged.")


def run_unmerge(arguments: argparse.Namespace) -> None:
    """Undo a merge."""
    with _opened_graphs() as graphs:
        done = run_blocking(unmerge(graphs, graphs.catalogue.graph(arguments.graph), arguments.merge))
    edges = counted(len(done.moved), "edge")
    _print_merge(done, f"“{done.gone.name}” is an entity of its own again, with {edges}", arguments.json)


def _print_merge(merge: Merge, sentence: str, as_json: bool) -> None:
    if as_json:
        print_json(_public_merge(merge))
    else:
        print(printable(sentence))


def _public_merge(merge: Merge) -> dict[str, Any]:
    return {
        "id": merge.id,
        "keep": merge.keep.model_dump(),
        "duplicate": merge.gone.model_dump(),
        "reason": merge.reason,
        "created": merge.created,
        "edges": len(merge.moved),
    }
