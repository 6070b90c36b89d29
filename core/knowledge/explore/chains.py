"""Chains of relations through a graph: one start, a relation after the other, and the nodes reached by each.

Neither a model nor a server is needed: any graph with `hops` and `follow` can be walked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from core.knowledge.records import EDGES, Hop, Link, NodeRecord, relation_arrow
from core.trace.artefacts import PathTriple
from core.trace.passages import Frozen

NODES = 500
"""Nodes that a chain keeps at each hop; some nodes have more neighbours than anybody can follow."""
TRIPLES = 40
"""Triples of a path that are shown and read."""

T = TypeVar("T")


class Chain(Frozen):
    """Relations from a start, in order, and the nodes that each of them led to."""

    start: NodeRecord
    hops: tuple[Hop, ...] = ()
    levels: tuple[tuple[NodeRecord, ...], ...] = ()
    """After each hop."""
    score: float = 0.0
    hidden: int = 0
    """Nodes left out on the way because there were too many."""

    @property
    def nodes(self) -> tuple[NodeRecord, ...]:
        """The nodes that it has led to; before the first hop, its start."""
        return self.levels[-1] if self.levels else (self.start,)


class Walkable(Protocol):
    """A graph that can be explored."""

    def hops(self, idents: Sequence[str], hypernodes: bool = True) -> list[tuple[Hop, int]]:
        """Return the hops that are possible from any of these nodes, each with the number of nodes that it leads to."""

    def follow(self, idents: Sequence[str], hop: Hop, limit: int = EDGES) -> list[Link]:
        """Return the links by which a hop leads on from these nodes."""


def extend(graph: Walkable, chain: Chain, hop: Hop, score: float = 0.0) -> Chain | None:
    """Return the chain with one more hop; None where it leads nowhere but back to its start."""
    reached: dict[str, NodeRecord] = {}
    for link in graph.follow([node.id for node in chain.nodes], hop):
        reached.setdefault(link.node.id, link.node)
    reached.pop(chain.start.id, None)
    if not reached:
        return None
    level = tuple(reached.values())
    return Chain(
        start=chain.start,
        hops=(*chain.hops, hop),
        levels=(*chain.levels, level[:NODES]),
        score=score,
        hidden=chain.hidden + max(0, len(level) - NODES),
    )


def best(chains: Sequence[Chain], beam: int) -> tuple[Chain, ...]:
    """Return the chains with the best scores, best first; of equal ones the shorter, then the one found first."""
    return tuple(sorted(chains, key=lambda chain: (-chain.score, len(chain.hops)))[:beam])


def narrow(graph: Walkable, chain: Chain, named: Collection[str]) -> tuple[Chain, tuple[NodeRecord, ...]]:
    """Return a chain through the other entities that the question names, by their ids, and its answers.

    A question does not ask for what it names itself. A chain that ends at such an entity is answered one hop earlier;
    of the nodes at any other end, those count that are joined to one, if there are any.
    """
    reached = tuple(node for node in chain.nodes if node.id in named)
    if not chain.hops or not named:
        return chain, chain.nodes
    if reached and len(chain.hops) > 1:
        through = chain.model_copy(update={"levels": (*chain.levels[:-1], reached)})
        near = {link.node.id for link in _back(graph, through, len(chain.hops) - 1, [n.id for n in reached])}
        return through, tuple(node for node in chain.levels[-2] if node.id in near) or chain.nodes
    for hop, _ in [] if reached else graph.hops(list(named)):
        near = {link.node.id for link in graph.follow(list(named), hop)}
        kept_nodes = tuple(node for node in chain.nodes if node.id in near)
        if kept_nodes:
            through = chain.model_copy(update={"levels": (*chain.levels[:-1], kept_nodes)})
            last = extend(graph, through, _reversed(hop), chain.score)
            if last is not None:
                ends = tuple(node for node in last.nodes if node.id in named)
                return last.model_copy(update={"levels": (*last.levels[:-1], ends)}), kept_nodes
    return chain, chain.nodes


def _reversed(hop: Hop) -> Hop:
    return hop.model_copy(update={"direction": "in" if hop.direction == "out" else "out"})


def triples(graph: Walkable, chain: Chain, limit: int | None = TRIPLES) -> tuple[PathTriple, ...]:
    """Return the triples of a chain, hop by hop: those that lead to the nodes at its end.

    At most `limit` of them, every hop with its share; None: all.
    """
    wanted = [node.id for node in chain.nodes]
    hops: list[list[PathTriple]] = []
    for place in range(len(chain.hops) - 1, -1, -1):
        links = _back(graph, chain, place, wanted)
        hops.append(list(dict.fromkeys(_triple(link, chain, place) for link in links)))
        wanted = list(dict.fromkeys(link.node.id for link in links))
    hops.reverse()
    return tuple(triple for hop in (hops if limit is None else shared(hops, limit)) for triple in hop)


def shared(groups: Sequence[Sequence[T]], limit: int) -> list[Sequence[T]]:
    """Return the beginnings of groups, at most `limit` items in all; a share that one leaves goes to others."""
    counts: dict[int, int] = {}
    left = limit
    for place in sorted(range(len(groups)), key=lambda place: len(groups[place])):  # the small ones first
        counts[place] = min(len(groups[place]), left // (len(groups) - len(counts)))
        left -= counts[place]
    return [group[: counts[place]] for place, group in enumerate(groups)]


def _back(graph: Walkable, chain: Chain, place: int, ids: Sequence[str]) -> list[Link]:
    """Return the links of one hop that lead to these nodes, followed backwards."""
    hop = chain.hops[place]
    before = {node.id for node in (chain.levels[place - 1] if place else (chain.start,))}
    return [link for link in graph.follow(list(ids), _reversed(hop)) if link.node.id in before]


def _triple(link: Link, chain: Chain, place: int) -> PathTriple:
    """Return the triple of a link that was followed backwards from this hop of the chain."""
    edge = link.edge
    ends = {node.id: node.name for node in chain.levels[place]}
    names = {link.node.id: link.node.name, link.source: ends.get(link.source, link.source)}
    subject, object_ = names.get(edge.src, edge.src), names.get(edge.dst, edge.dst)
    if link.statement:  # one end is the hypernode, which has no name of its own here
        subject = subject if edge.src in names else link.statement
        object_ = object_ if edge.dst in names else link.statement
    return PathTriple(
        hop=place + 1,
        subject=subject,
        relation=edge.rel,
        object=object_,
        inverse=chain.hops[place].direction == "in",
        hypernode=bool(link.statement),
        chunk=edge.chunk,
        document=edge.document,
        quote=edge.quote,
    )


def chain_text(hops: Sequence[Hop], start: str = "X") -> str:
    """Return a chain of relations in words: what it asks for, seen from its start."""
    text = start
    for hop in hops:
        text = f"the {hop.name} of {text}" if hop.direction == "out" else f"what {hop.name} {text}"
    return text


def chain_arrows(chain: Chain) -> str:
    """Return a chain of relations with arrows, for people."""
    return " ".join([chain.start.name, *map(_arrow, chain.hops), *(["●"] if chain.hops else [])])


def _arrow(hop: Hop) -> str:
    """Return a hop as an arrow; of a hypernode, what is said of which fact."""
    if not hop.statement:
        return relation_arrow(hop.rel, hop.direction)
    fact = relation_arrow(hop.statement, hop.direction)
    remark = f"(said of it: {' '.join(hop.rel.replace('_', ' ').split())})"
    return f"{fact} {remark} →" if hop.direction == "out" else f"← {remark} {fact}"
