"""GraphML, which Gephi, yEd, Cytoscape and networkx open (http://graphml.graphdrawing.org)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from xml.sax.saxutils import escape

from core.knowledge.records import EdgeRecord, NodeRecord

_NODE = ("label", "id", "kind")
_EDGE = ("label", "type", "chunk", "document", "quote")
"""Texts that nodes and edges have; “label” is what the programs write beside them."""
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold in any form."""


def graphml(
    nodes: Iterable[NodeRecord], edges: Callable[[Iterable[str]], Iterable[EdgeRecord]]
) -> Iterator[str]:
    """A graph as the lines of a GraphML file, each with its line feed.

    Args:
        nodes: All nodes; of several with one id, the first one counts.
        edges: Gives the edges that begin at nodes with these ids. An edge to a node that is not there is left out.
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
