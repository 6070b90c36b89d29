"""A graph in memory, for small graphs: those of explorables, and of tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.knowledge.records import EDGES, Direction, EdgeRecord, Hop, Link, NodeRecord
from core.knowledge.triples import Entity, Statement, Triple

_End = Entity | Statement


class MemoryGraph:
    """Triples, with their hypernodes, explored as a graph on a server is."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        """Take these triples; the plain triple of a hypernode stays beside it, as in a store."""
        self._links: dict[tuple[str, Hop], dict[tuple[str, str], Link]] = {}
        for one in triples:
            for node in one.nodes:
                if isinstance(node, Statement):
                    stated = Triple(subject=node.subject, relation=node.relation, object=node.object)
                    self._add(stated, one)
            self._add(one, one)

    def hops(self, idents: Sequence[str], hypernodes: bool = True) -> list[tuple[Hop, int]]:
        """See `core.knowledge.explore.chains.Walkable`."""
        found: dict[Hop, set[str]] = {}
        for (ident, hop), links in self._links.items():
            if ident in idents and (hypernodes or not hop.statement):
                found.setdefault(hop, set()).update(link.node.id for link in links.values())
        order = sorted(found, key=lambda hop: (hop.statement, hop.rel, hop.direction))
        return [(hop, len(found[hop])) for hop in order]

    def follow(self, idents: Sequence[str], hop: Hop, limit: int = EDGES) -> list[Link]:
        """See `core.knowledge.explore.chains.Walkable`."""
        links = [link for ident in idents for link in self._links.get((ident, hop), {}).values()]
        return sorted(links, key=lambda link: (link.node.id, link.source))[:limit]

    def _add(self, one: Triple, source: Triple) -> None:
        edge = EdgeRecord(
            src=one.subject.id, dst=one.object.id, type="REL", rel=one.relation, **source.source.model_dump()
        )
        for subject, statement in _ends(one.subject):
            for object_, other in _ends(one.object):
                through = statement or other
                hop = Hop(rel=one.relation, statement=through.relation if through else "")
                name = through.name if through else ""
                # From an end of the hypernode to what is said of it, whichever way that edge is directed.
                ways: tuple[tuple[Entity, Entity, Direction], ...] = (
                    ((object_, subject, "out"), (subject, object_, "in"))
                    if other and not statement
                    else ((subject, object_, "out"), (object_, subject, "in"))
                )
                for start, end, direction in ways:
                    way = (start.id, hop.model_copy(update={"direction": direction}))
                    link = Link(source=start.id, node=_record(end), edge=edge, statement=name)
                    self._links.setdefault(way, {}).setdefault((end.id, edge.chunk), link)


def _ends(node: _End) -> list[tuple[Entity, Statement | None]]:
    """An entity itself; of a hypernode, the entities within it."""
    if isinstance(node, Entity):
        return [(node, None)]
    return [(end, node) for part in (node.subject, node.object) for end, _ in _ends(part)]


def _record(entity: Entity) -> NodeRecord:
    return NodeRecord(id=entity.id, name=entity.name, kind=entity.kind)
