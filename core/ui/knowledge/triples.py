"""Triples as they are drawn: two ends, a relation, and the words that state it. All text is raw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from core.knowledge.build.graph_building import NewTriple
from core.knowledge.records import Neighbourhood, NodeRecord
from core.knowledge.triples import STATEMENT, Node, Statement, Triple
from core.ui.shell.assets import drawing
from core.wording import counted


@dataclass(frozen=True)
class End:
    """An end of a triple."""

    name: str
    inner: Arrow | None = None
    """The triple that a hypernode is made of, where that is known."""
    hyper: bool = False
    """True if it is a hypernode."""


@dataclass(frozen=True)
class Arrow:
    """A triple without its words."""

    subject: End
    relation: str
    object: End


@dataclass(frozen=True)
class TripleLine:
    """A triple and the words that state it."""

    triple: Arrow
    quote: str = ""
    where: str = ""
    """Title of the document; empty: not shown."""
    shared: bool = False
    """True if it is said of each of the entities that are compared."""


@dataclass(frozen=True)
class TripleColumn:
    """Triples below one another."""

    lines: tuple[TripleLine, ...]
    head: str = ""
    """Empty: no heading."""
    note: str = ""


def latest_column(latest: Iterable[NewTriple]) -> TripleColumn:
    """Return the triples that a build found last."""
    lines = (TripleLine(_arrow(new.triple), new.triple.source.quote, new.title) for new in latest)
    return TripleColumn(tuple(lines))


def neighbour_columns(neighbourhoods: Sequence[Neighbourhood], shown: int) -> tuple[TripleColumn, ...]:
    """Return triples of several entities, for comparing: first what is said of all, then each relation once."""
    all_lines = [_lines(neighbourhood) for neighbourhood in neighbourhoods]
    shared = set.intersection(*(set(lines) for lines in all_lines))
    columns = []
    for neighbourhood, lines in zip(neighbourhoods, all_lines, strict=True):
        relations: Counter[str] = Counter()
        order = []
        for key, line in sorted(lines.items()):
            order.append((key not in shared, relations[key[0]], key, line))
            relations[key[0]] += 1
        ordered = sorted(order, key=lambda row: row[:3])
        chosen = [replace(line, shared=not alone) for alone, _, _, line in ordered]
        edges = len(neighbourhood.neighbours) + neighbourhood.hidden
        kind = f"{neighbourhood.node.kind}, " if neighbourhood.node.kind else ""
        note = f"{kind}{counted(edges, 'edge')}"
        columns.append(TripleColumn(tuple(chosen[:shown]), neighbourhood.node.name, note))
    return tuple(columns)


def _lines(neighbourhood: Neighbourhood) -> dict[tuple[str, bool, str], TripleLine]:
    """Return the triples of an entity by relation, direction and the other end; each once."""
    lines: dict[tuple[str, bool, str], TripleLine] = {}
    for neighbour in neighbourhood.neighbours:
        edge = neighbour.edge
        if edge.type != "REL":
            continue  # the plain triple of a hypernode stands beside it
        out = edge.src == neighbourhood.node.id
        here, there = _end(neighbourhood.node), _end(neighbour.node)
        arrow = Arrow(here, edge.rel, there) if out else Arrow(there, edge.rel, here)
        lines.setdefault((edge.rel, out, neighbour.node.id), TripleLine(arrow, edge.quote))
    return lines


def _end(node: NodeRecord) -> End:
    return End(node.name, hyper=node.kind == STATEMENT)


def _arrow(part: Triple | Statement) -> Arrow:
    return Arrow(_node(part.subject), part.relation, _node(part.object))


def _node(node: Node) -> End:
    return End(node.name, _arrow(node), hyper=True) if isinstance(node, Statement) else End(node.name)


def draw_triples(columns: Sequence[TripleColumn], key: str, *, growing: bool = False) -> None:
    """Draw columns beside each other, or below one another where there is no room.

    If they are `growing`, triples that come in light up for a moment. `key` is unique on the page and stable between
    redraws.
    """
    data = {"columns": [asdict(column) for column in columns], "growing": growing}
    drawing("triples")(data=data, key=f"triples-{key}")
