"""Where a triple comes from: the passage with the quoted words marked, or the words alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.cards.passages import PassageCard, passage_card
from core.knowledge.records import EdgeRecord
from core.trace.passages import Passage

Source = tuple[PassageCard, Passage | None]
"""A place that states some triples, with its passage in the corpus; None: only the quoted words are known."""


def sources(edges: Sequence[EdgeRecord], passages: Mapping[str, Passage], limit: int) -> tuple[Source, ...]:
    """The places that state these edges, in their order; nothing for edges without any source.

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
    """The quoted words as they stand in a text, whose line breaks a quote lacks; empty: they are not there."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return found[0] if found else ""


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
