"""A node or an edge beside the drawing: its relations, and the passages that state it, with the quoted words marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.cards.kind import passage_list
from core.cards.passages import PassageCard, passage_card
from core.errors import LoupeError
from core.knowledge.explore.browsing import SeenNode, Surroundings
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import EdgeRecord, NodeRecord, RelationRecord, relation_arrow
from core.knowledge.triples import PARTS, STATEMENT
from core.runs.workbench import Workbench
from core.trace.passages import Passage
from core.ui.cards.parts import draw_drawing
from core.ui.shell.address import CHUNK, CORPUS, DOCUMENT
from core.ui.shell.safe import literal
from core.wording import counted

RELATIONS = 10
SOURCES = 4
"""Places shown that state the triples of a node."""


def node_head(explorer: Explorer, seen: SeenNode) -> None:
    """Draw the name, the kind and the number of edges of a node."""
    st.markdown(f"### {literal(seen.node.name, 300)}")
    edges = counted(seen.degree, "edge")
    st.caption(f"{literal(_kind_of(seen.node, explorer.graph.native), 80)} · {edges}")


def draw_node(bench: Workbench, explorer: Explorer, seen: SeenNode, surroundings: Surroundings) -> None:
    """Draw the relations and sources of a node."""
    node, native = seen.node, explorer.graph.native
    relations = explorer.store.relations([node.id])
    if relations:
        lines = [f"- {literal(line, 120)}" for line in relation_lines(relations, native, RELATIONS)]
        if len(relations) > RELATIONS:
            lines.append(f"- and {len(relations) - RELATIONS} more relations")
        st.markdown("\n".join(lines))
    own = [edge for edge in surroundings.edges if node.id in (edge.src, edge.dst)]
    _sources(bench, explorer, own)


def draw_edge(bench: Workbench, explorer: Explorer, edge: EdgeRecord, surroundings: Surroundings) -> None:
    """Draw the triple of an edge and its sources."""
    st.markdown(f"### {literal(_edge_line(edge, surroundings), 600)}")
    if edge.type in PARTS and not explorer.graph.native:
        st.caption(f"The {edge.type.lower()} of a hypernode: no triple of its own.")
        return
    st.caption("A triple: subject, relation, object.")
    triple = (edge.src, edge.rel, edge.dst)
    same = [twin for twin in surroundings.edges if (twin.src, twin.rel, twin.dst) == triple]
    _sources(bench, explorer, same)


def _sources(bench: Workbench, explorer: Explorer, edges: Sequence[EdgeRecord]) -> None:
    own_sources = sources(edges, _passages(bench, explorer, edges), SOURCES)
    if not own_sources:
        st.caption("Where it comes from is not noted in this graph.")
        return
    st.markdown("**Stated in**")
    name = explorer.graph.corpus
    # Empty: the corpus is gone.
    corpus = next((entry.id for entry in bench.corpora.catalogue.corpora() if entry.name == name), "")
    for place, (card, passage) in enumerate(own_sources):
        with st.container(gap=None):
            draw_drawing(passage_list([card], "source", compact=False), f"{explorer.graph.id}-{place}")
            if passage is not None and corpus:
                st.page_link(
                    "pages/documents.py",
                    label="Open the document here",
                    icon=":material/menu_book:",
                    query_params={
                        CORPUS: corpus,
                        DOCUMENT: passage.document,
                        CHUNK: str(passage.position + 1),
                    },
                )


def _passages(bench: Workbench, explorer: Explorer, edges: Sequence[EdgeRecord]) -> dict[str, Passage]:
    """Return their chunks, as far as the corpus still has them; without it the quoted words are all there is."""
    chunks = list(dict.fromkeys(edge.chunk for edge in edges if edge.chunk))[:SOURCES]
    if not chunks or not explorer.graph.corpus:
        return {}
    try:
        corpus = bench.corpora.catalogue.corpus(explorer.graph.corpus)
        return bench.corpora.chunk_store(corpus).chunks(chunks)
    except LoupeError:
        return {}


# In sentences. All text is raw


def relation_lines(relations: Sequence[RelationRecord], native: bool, limit: int) -> tuple[str, ...]:
    """Return the relations of a node with how many nodes each leads to, the most frequent first; raw text."""
    lines = []
    for relation in relations[:limit]:
        if not native and relation.type in PARTS:
            lines.append(
                f"{relation.type.lower()} of {counted(relation.count, 'hypernode')}"
                if relation.direction == "in"
                else f"has a {relation.type.lower()}"
            )
            continue
        lines.append(f"{relation_arrow(relation.rel, relation.direction)} {counted(relation.count, 'node')}")
    return tuple(lines)


def _edge_line(edge: EdgeRecord, surroundings: Surroundings) -> str:
    """Return an edge in one line; raw text."""
    names = {seen.node.id: seen.node.name for seen in surroundings.nodes}
    ends = (names.get(end, end) for end in (edge.src, edge.dst))
    return f" {relation_arrow(edge.rel, 'out')} ".join(ends)


def _kind_of(node: NodeRecord, native: bool) -> str:
    """Return the kind of a node, for people; raw text."""
    if not native and node.kind == STATEMENT:
        return "hypernode: a whole triple that is a node"
    return node.kind or "kind not known"


# Places that state triples

Source = tuple[PassageCard, Passage | None]
"""A place that states some triples, with its passage in the corpus; None: only the quoted words are known."""


def sources(edges: Sequence[EdgeRecord], passages: Mapping[str, Passage], limit: int) -> tuple[Source, ...]:
    """Return the places that state these edges, in their order; nothing for edges without any source.

    Args:
        edges: The triples.
        passages: The chunks of these edges that are in the corpus, by id.
        limit: Places at most.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for edge in edges:
        if not (edge.chunk or edge.document or edge.quote):
            continue
        known = edge.chunk in passages
        place = (edge.chunk,) if known else (edge.chunk, edge.document, edge.quote)
        quotes = groups.setdefault(place, [])
        if edge.quote and edge.quote not in quotes:
            quotes.append(edge.quote)
    return tuple(_source(place, quotes, passages) for place, quotes in list(groups.items())[:limit])


def as_written(text: str, quote: str) -> str:
    """Return the quoted words as they stand in a text, whose line breaks a quote lacks; empty: they are not there."""
    words = quote.split()
    match = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return match[0] if match else ""


def _source(place: tuple[str, ...], quotes: list[str], passages: Mapping[str, Passage]) -> Source:
    passage = passages.get(place[0])
    if passage is not None:
        marked = [as_written(passage.text, quote) for quote in quotes]
        return replace(passage_card(passage, 0, None, "", quotes=marked), rank="“”"), passage
    chunk, document, quote = place
    alone = Passage(
        chunk=chunk or f"{document}:{quote}",
        document=document,
        title=document or "Document not known",
        text=quote,
        position=0,
        start=0,
        end=len(quote),
    )
    where = "the quoted words" if quote else f"chunk {chunk}" if chunk else "no words are quoted"
    return replace(passage_card(alone, 0, None, ""), rank="“”", where=where), None
