"""Importing graphs: triples from .tsv or .jsonl, a Cypher script, and the graphs that come with the app."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from core.corpora.labels import Finder
from core.corpora.look_alikes import look
from core.errors import InputError
from core.knowledge.store.demo_graphs import DEMO_GRAPHS, DemoGraph, demo_names, is_demo
from core.knowledge.store.graph_catalogue import Graph, UnknownGraph, graph_name
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.query_guard import read_script
from core.knowledge.triples import STATEMENT, Entity, Node, Statement, Triple, TripleSource
from core.strict_json import read_json
from core.users import TEACHER, User

MAX_BYTES = 50_000_000
COLUMNS = ("subject", "relation", "object", "quote", "chunk", "document", "subject_kind", "object_kind")
"""Of a .tsv."""
_QUOTE = re.compile(r"(?:^|\t) *\"")
_MOST_LINES = 100
"""Of one row whose cells hold line ends."""
_NODES: TypeAdapter[Entity | Statement] = TypeAdapter(Node)
Progress = Callable[[int], None]


def check_target(graphs: Graphs, name: str, by: User) -> Graph | None:
    """Refuse to write into a graph that comes with the app or is somebody else's; the graph, if there is one.

    Raises:
        InputError: It comes with the app, a new name reads like that of another, or the name is unfit.
        NotAllowed: It is somebody else's.
    """
    normal = graph_name(name)
    others = graphs.catalogue.graphs()
    target = next((graph for graph in others if graph.name == normal), None)
    if normal in demo_names() or (target is None and is_demo(normal)):
        raise InputError(
            f"“{normal}” is a graph that comes with the app: it is imported when it is first chosen, and no other "
            "graph can have its name. Choose another name."
        )
    if target is not None:
        by.check(target.owner, target.name)
    elif alike := next((graph.name for graph in others if look(graph.name) == look(normal)), None):
        raise InputError(
            f"There is already a graph named “{alike}”, which reads the same. Use that name, or choose another."
        )
    return target


def import_file(
    graphs: Graphs,
    file: Path,
    name: str,
    origin: str = "",
    corpus: str = "",
    progress: Progress = lambda _: None,
    *,
    subjects: str = "",
    by: User | None = TEACHER,
) -> Graph:
    """Write a file into the graph of that name, which is made where there is none.

    Triples are added to those that are there, none twice, so that an import that was killed is simply repeated. A
    script makes a graph of its own. `progress` is told how many triples are written.

    Args:
        file: `.tsv`, see `read_triples`; `.jsonl` with one `core.knowledge.triples.Triple` a line; or `.cypher`.
        origin: Where a new graph comes from; empty: the file's name.
        corpus: Name of the corpus that the triples of a new graph cite.
        subjects: What the subjects of all its triples are, for a file that does not say so itself.
        by: The user who asks, whose a new graph is; see `check_target`. None: the app, which may write to any graph.

    Raises:
        InputError: The file, the name or the graph cannot be used; nothing was written.
        NotAllowed: The graph is somebody else's.
        ServiceError, StoreError: The graph server or the catalogue fails.
    """
    if by is not None:
        check_target(graphs, name, by)
    name, text = graph_name(name), _read(file)
    origin, owner = origin or file.name, by.owner if by else ""
    suffix = file.suffix.lower()
    if suffix == ".cypher":
        return _import_script(graphs, read_script(text), name, origin, corpus, owner)
    if suffix not in (".tsv", ".jsonl"):
        raise InputError(f"“{file.name}” cannot be imported: it must end in .tsv, .jsonl or .cypher.")
    triples = read_triples(text) if suffix == ".tsv" else read_json_triples(text)
    if subjects:
        triples = [_of_kind(triple, subjects) for triple in triples]
    return _write(graphs, triples, name, origin, corpus, progress, owner)


def read_triples(text: str) -> list[Triple]:
    """Return the triples of a .tsv: subject, relation, object and, if wanted, the rest of `COLUMNS`.

    A header line is passed over. Cells may be in quotes, as spreadsheets write them. Where the kind of a subject or
    object is “Statement”, its cell holds a `core.knowledge.triples.Statement` as JSON.

    Raises:
        InputError: A line is none; says which and why.
    """
    triples = []
    for number, line in _rows(text.splitlines() if "\r" in text else text.split("\n")):
        cells = [cell.strip() for cell in line]
        if not any(cells) or (number == 1 and tuple(cell.lower() for cell in cells[:3]) == COLUMNS[:3]):
            continue
        if not 3 <= len(cells) <= len(COLUMNS):
            raise InputError(
                f"Line {number} has {len(cells)} columns. A triple is subject, relation and object, "
                "and may have a quote, a chunk, a document and the kinds of both ends; tabs lie between them."
            )
        row = dict(zip(COLUMNS, [*cells, *[""] * len(COLUMNS)], strict=False))
        try:
            triple = Triple(
                subject=_node(row["subject"], row["subject_kind"]),
                relation=row["relation"],
                object=_node(row["object"], row["object_kind"]),
                source=TripleSource(quote=row["quote"], chunk=row["chunk"], document=row["document"]),
            )
            _ = triple.nodes
        except ValueError:  # pydantic's among them
            what = (
                "a subject or object of the kind “Statement” must be a statement as JSON"
                if STATEMENT in (row["subject_kind"], row["object_kind"])
                else "subject, relation and object must not be empty"
            )
            raise InputError(f"Line {number}: {what}.") from None
        except InputError as error:
            raise InputError(f"Line {number}: {error}") from None
        triples.append(triple)
    return _some(triples)


def _rows(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row, and the line from 1 on which it begins.

    Spreadsheets put a cell in quotes that holds a quote, a tab or a line end; other programs write quotes as they are.
    So a row with a cell that begins with a quote is read as spreadsheets write it, if it can be.
    """
    place = 0
    while place < len(lines):
        row = _read_quoted_row(lines[place : place + _MOST_LINES]) if _QUOTE.search(lines[place]) else None
        cells, count = row or (lines[place].split("\t"), 1)
        yield place + 1, cells
        place += count


def _read_quoted_row(lines: Sequence[str]) -> tuple[list[str], int] | None:
    """Return the first row, with quotes as of spreadsheets, and its number of lines; None: they are no such quotes."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter="\t", strict=True, skipinitialspace=True)
    try:
        cells = next(reader)
    except (csv.Error, StopIteration):
        return None
    return (cells, reader.line_num) if 3 <= len(cells) <= len(COLUMNS) else None


def _node(cell: str, kind: str) -> Entity | Statement:
    if kind != STATEMENT:
        return Entity(name=cell, kind=kind)
    read_json(cell)
    return _NODES.validate_json(cell)


def read_json_triples(text: str) -> list[Triple]:
    """Return the triples of a .jsonl, one `Triple` a line; these may have hypernodes as their ends.

    Raises:
        InputError: A line is none; says which.
    """
    triples = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            read_json(line)
            triple = Triple.model_validate_json(line)
            _ = triple.nodes
        except ValueError:  # pydantic's among them
            raise InputError(f"Line {number} is not a triple with subject, relation and object.") from None
        except InputError as error:
            raise InputError(f"Line {number}: {error}") from None
        triples.append(triple)
    return _some(triples)


def demo_graph(
    graphs: Graphs, name: str, progress: Progress = lambda _: None, finder: Finder | None = None
) -> Graph:
    """Return the graph of that name, ready; one that comes with the app is imported if it is missing or not whole.

    With a finder of quoted words in the corpus that it cites, its triples name the chunks of that corpus, however it is
    cut: a graph of an earlier version of the app, or of chunks that are no more, is replaced. Without, it is taken as
    it is. `progress` is told how many triples are written.

    Raises:
        UnknownGraph: There is none, and none of that name comes with the app.
    """
    demo = next((demo for demo in DEMO_GRAPHS if demo.name == name.strip()), None)
    ready = next((graph for graph in graphs.catalogue.graphs() if graph.ready and graph.name == name), None)
    if demo is None or (ready and (finder is None or not ready.mark)):
        return ready or graphs.catalogue.graph(name, demo_names())
    if not demo.corpus:
        return import_file(
            graphs, demo.file, demo.name, demo.origin, progress=progress, subjects=demo.subjects, by=None
        )
    triples = demo_triples(demo, finder)
    mark = hashlib.sha256("".join(map(Triple.model_dump_json, triples)).encode()).hexdigest()
    if ready:
        if ready.mark == mark:
            return ready
        graphs.delete(ready.name)
    graph = _write(graphs, triples, demo.name, demo.origin, demo.corpus, progress)
    graphs.catalogue.change(graph.id, mark=mark)
    return graphs.catalogue.graph(name)


def demo_triples(demo: DemoGraph, finder: Finder | None) -> list[Triple]:
    """Return the triples of a graph that comes with the app as .jsonl, each with the chunk that holds its words.

    Blocks while reading. Without a finder, they have the chunks that the file names.
    """
    triples = read_json_triples(_read(demo.file))
    return [_with_chunk(triple, finder) for triple in triples] if finder else triples


def _with_chunk(triple: Triple, finder: Finder) -> Triple:
    """Return the triple with the chunk that holds its words; without any, if none does."""
    chunk = next(iter(finder(triple.source.document, triple.source.quote)), "")
    return triple.model_copy(update={"source": triple.source.model_copy(update={"chunk": chunk})})


def _write(
    graphs: Graphs,
    triples: Sequence[Triple],
    name: str,
    origin: str,
    corpus: str,
    progress: Progress,
    owner: str = "",
) -> Graph:
    try:
        graph = graphs.catalogue.graph(name)
    except UnknownGraph:
        graph = graphs.create(name, origin, corpus, owner=owner)
    if graph.native:
        raise InputError(
            f"“{name}” has a schema of its own, so triples cannot be added. Choose another name."
        )
    graph = graphs.begin(graph)
    graphs.store(graph).write(triples, progress)
    return graphs.finish(graph)


def _import_script(
    graphs: Graphs, statements: list[str], name: str, origin: str, corpus: str, owner: str
) -> Graph:
    try:
        former = graphs.catalogue.graph(name)
    except UnknownGraph:
        pass
    else:
        if former.ready or not former.native:
            raise InputError(
                f"There is already a graph named “{name}”. Delete it first, or choose another name."
            )
        graphs.delete(name)  # left behind by an import that was killed
    graph = graphs.create(name, origin, corpus, native=True, owner=owner)
    try:
        for statement in statements:
            graphs.store(graph).change([(statement, {})])
    except BaseException:
        graphs.delete(name)
        raise
    return graphs.finish(graph)


def _of_kind(triple: Triple, kind: str) -> Triple:
    """Return the triple with its subject known to be of a kind."""
    if not isinstance(triple.subject, Entity):
        return triple
    return triple.model_copy(update={"subject": triple.subject.model_copy(update={"kind": kind})})


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"“{file.name}” is larger than {MAX_BYTES // 1_000_000} MB.")
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"“{file.name}” is not text in UTF-8.") from None
    except OSError as error:
        raise InputError(f"“{file.name}” cannot be read: {error.strerror}.") from None


def _some(triples: list[Triple]) -> list[Triple]:
    if not triples:
        raise InputError("There is no triple in this file.")
    return triples
