"""A graph as a file: triples that `core.knowledge.store.importing` reads back, or GraphML, which Gephi, yEd, Cytoscape
and networkx open (http://graphml.graphdrawing.org)."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape

from core.errors import InputError
from core.knowledge.records import EdgeRecord, NodeRecord, edge_record
from core.knowledge.store import cypher
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.importing import COLUMNS
from core.knowledge.triples import MAX_NESTING, STATEMENT, Entity, Statement, Triple, TripleSource

Format = Literal["triples", "jsonl", "graphml"]
SUFFIXES: dict[Format, str] = {"triples": ".tsv", "jsonl": ".jsonl", "graphml": ".graphml"}
_PAGE = 500
_NODE_IDS = "MATCH (e:Entity) WHERE e.id > $after RETURN e.id AS id ORDER BY id LIMIT $limit"
"""A page of the ids of all nodes, by id."""

_STATEMENTS = """MATCH (h:Entity {kind: 'Statement'}) WHERE h.id > $after
WITH h ORDER BY h.id LIMIT $limit
OPTIONAL MATCH (h)-[:SUBJECT]->(s:Entity) OPTIONAL MATCH (h)-[:OBJECT]->(o:Entity)
RETURN h.id AS id, h.name AS name, h.rel AS rel, s.id AS s, s.name AS subject, s.kind AS subject_kind,
o.id AS t, o.name AS object, o.kind AS object_kind, h.chunk AS chunk, h.document AS document, h.quote AS quote
ORDER BY id"""
"""A page of all hypernodes with their ends, by id."""

_TRIPLE = """RETURN a.id AS s, a.name AS subject, a.kind AS subject_kind, r.rel AS rel,
b.id AS t, b.name AS object, b.kind AS object_kind, r.chunk AS chunk, r.document AS document, r.quote AS quote
ORDER BY s, rel, t, chunk"""

_TRIPLES_OF_STATEMENTS = f"""UNWIND $ids AS id MATCH (h:Entity {{id: id}})-[r:REL]-()
WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b {_TRIPLE}"""
"""Triples about the hypernodes in $ids, and by means of them."""

_PLAIN_TRIPLES = f"""UNWIND $ids AS id MATCH (a:Entity {{id: id}})-[r:REL]->(b:Entity)
WHERE a.kind <> 'Statement' AND b.kind <> 'Statement' {_TRIPLE}"""
"""Triples without hypernodes whose subjects are in $ids."""


def lines(store: GraphStore, form: Format) -> Iterator[str]:
    """Return a graph as the lines of a file, each with its line feed; read from the server page by page.

    “triples” (TSV) and “jsonl” give the same graph when they are imported: nodes with name and kind, hypernodes, and
    every edge with its source. Two hypernodes that a merge has made the same are one then. A node without any edge
    is in no triple, so only “graphml” has it.

    Raises:
        InputError: Triples were asked of a graph with a schema of its own; it has none. No line was given out.
        ServiceError, StoreError: The graph server fails.
    """
    if form == "graphml":
        return graphml((node for node, _, _ in store.nodes()), lambda ids: _edges(store, ids))
    if store.native:
        raise InputError(
            "This graph has a schema of its own, so it is not made of triples. Export it as GraphML."
        )
    if form == "jsonl":
        return (f"{triple.model_dump_json()}\n" for triple in triples(store))
    return _table(triples(store))


def save(text: Iterable[str], file: Path, progress: Callable[[int], None] = lambda _: None) -> int:
    """Write lines to a file, which takes the place of one that is there when it is whole; how many.

    `progress` is told now and then how many lines are written.

    Raises:
        InputError: The file cannot be written.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    count = 0
    try:
        try:
            with part.open("w", encoding="utf-8", newline="\n") as out:
                for count, line in enumerate(text, start=1):
                    out.write(line)
                    if count % _PAGE == 0:
                        progress(count)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"“{file.name}” cannot be written: {error.strerror}.") from None
    return count


def triples(store: GraphStore) -> Iterator[Triple]:
    """Yield all triples of a graph made of triples, hypernodes put together again.

    In an order in which writing them gives the hypernodes the same sources, since that of the last triple counts.
    """
    rows = {row["id"]: row for row in _paged(store, _STATEMENTS)}
    statements: dict[str, Statement] = {}

    def node(ident: str, name: str, kind: str, depth: int = 0) -> Entity | Statement:
        row = rows.get(ident)
        if row is None or row["s"] is None or row["t"] is None or depth > MAX_NESTING:
            return Entity(name=name, kind=kind or "")
        if ident not in statements:
            ends = [
                node(row[end], row[name], row[f"{name}_kind"], depth + 1)
                for end, name in (("s", "subject"), ("t", "object"))
            ]
            statements[ident] = Statement(subject=ends[0], relation=row["rel"], object=ends[1])
        return statements[ident]

    def whole(row: Mapping[str, Any]) -> Triple:
        return Triple(
            subject=node(row["s"], row["subject"], row["subject_kind"]),
            relation=row["rel"],
            object=node(row["t"], row["object"], row["object_kind"]),
            source=_source(row),
        )

    nested: dict[tuple[str, ...], Triple] = {}
    for page in _pages(iter(rows)):
        for row in store.read(_TRIPLES_OF_STATEMENTS, ids=page):
            nested[row["s"], row["rel"], row["t"], row["chunk"] or ""] = whole(row)
    sources: dict[Entity | Statement, TripleSource] = {
        statements[ident]: _source(row) for ident, row in rows.items() if ident in statements
    }
    yield from _in_order(list(nested.values()), sources)
    for page in _pages(row["id"] for row in _paged(store, _NODE_IDS)):
        yield from map(whole, store.read(_PLAIN_TRIPLES, ids=page))


def _in_order(group: Sequence[Triple], sources: Mapping[Entity | Statement, TripleSource]) -> list[Triple]:
    """Return triples with hypernodes so that, of those that hold one, the last has its source."""
    holders: dict[Entity | Statement, list[int]] = {}
    for place, triple in enumerate(group):
        for node in set(triple.nodes) & sources.keys():
            holders.setdefault(node, []).append(place)
    wrong = Counter(p for node, places in holders.items() for p in places if sources[node] != group[p].source)
    ready = [place for place in range(len(group)) if not wrong[place]]
    backwards: dict[int, Triple] = {}
    while ready:
        place = ready.pop()
        backwards[place] = group[place]
        for node in set(group[place].nodes):
            for holder in holders.pop(node, ()):  # from here on, its source is settled
                wrong[holder] -= sources[node] != group[holder].source
                if not wrong[holder] and holder not in backwards and holder not in ready:
                    ready.append(holder)
    rest = [triple for place, triple in enumerate(group) if place not in backwards]
    return [*rest, *reversed(backwards.values())]


def _table(stated: Iterable[Triple]) -> Iterator[str]:
    yield "\t".join(COLUMNS) + "\n"
    for triple in stated:
        ends = [triple.subject, triple.object]
        kinds = [end.kind if isinstance(end, Entity) else STATEMENT for end in ends]
        cells = [
            end.model_dump_json() if kind == STATEMENT else end.name
            for end, kind in zip(ends, kinds, strict=True)
        ]
        source = triple.source
        row = [cells[0], triple.relation, cells[1], source.quote, source.chunk, source.document, *kinds]
        # A cell that begins with a quote would be taken for one in quotes.
        yield (
            "\t".join('"' + cell.replace('"', '""') + '"' if cell.startswith('"') else cell for cell in row)
            + "\n"
        )


def _source(row: Mapping[str, Any]) -> TripleSource:
    return TripleSource(**{name: row[name] or "" for name in TripleSource.model_fields})


def _paged(store: GraphStore, statement: str) -> Iterator[dict[str, Any]]:
    """Yield all rows of a statement that gives those whose id comes after another one."""
    after = ""
    while rows := store.read(statement, after=after, limit=_PAGE):
        yield from rows
        after = rows[-1]["id"]


def _pages(ids: Iterator[str]) -> Iterator[list[str]]:
    while page := list(islice(ids, _PAGE)):
        yield page


def _edges(store: GraphStore, ids: Iterable[str]) -> Iterator[EdgeRecord]:
    for page in _pages(iter(ids)):
        for row in store.read(cypher.edges_out(store.native), ids=page):
            yield edge_record(row["edge"])


# GraphML

_NODE = ("label", "id", "kind")
_EDGE = ("label", "type", "chunk", "document", "quote")
"""Texts that nodes and edges have; “label” is what the programs write beside them."""
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold in any form."""


def graphml(
    nodes: Iterable[NodeRecord], edges: Callable[[Iterable[str]], Iterable[EdgeRecord]]
) -> Iterator[str]:
    """Yield a graph as the lines of a GraphML file, each with its line feed.

    Of several nodes with one id, the first one counts. `edges` gives those that begin at nodes with these ids; one to a
    node that is not there is left out.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for domain, names in (("node", _NODE), ("edge", _EDGE)):
        for name in names:
            yield f'<key id="{domain}-{name}" for="{domain}" attr.name="{name}" attr.type="string"/>\n'
    yield '<graph edgedefault="directed">\n'
    places: dict[str, int] = {}
    for node in nodes:
        if node.id not in places:
            places[node.id] = len(places)
            texts = zip(_NODE, (node.name, node.id, node.kind), strict=True)
            yield f'<node id="n{places[node.id]}">{_data("node", texts)}</node>\n'
    count = 0
    for edge in edges(list(places)):
        if edge.src in places and edge.dst in places:
            texts = zip(_EDGE, (edge.rel, edge.type, edge.chunk, edge.document, edge.quote), strict=True)
            ends = f'source="n{places[edge.src]}" target="n{places[edge.dst]}"'
            yield f'<edge id="e{count}" {ends}>{_data("edge", texts)}</edge>\n'
            count += 1
    yield "</graph>\n</graphml>\n"


def _data(domain: str, texts: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f'<data key="{domain}-{name}">{escape(_FORBIDDEN.sub("�", text))}</data>'
        for name, text in texts
        if text
    )
