"""From what a model extracted to the graph's triples."""

from __future__ import annotations

from collections import Counter

from pydantic import ValidationError

from core.errors import InputError
from core.knowledge.triples import Entity, Source, Statement, Triple
from core.skills.extract import Extraction
from core.skills.stated_triples import Part
from core.trace.passages import Passage

TOO_DEEP = "nested too deep"
UNFIT = "a name that cannot be used"


def to_triples(extraction: Extraction, passage: Passage) -> tuple[list[Triple], dict[str, int]]:
    """The triples of a chunk, each with its source, and how many were dropped for which reason."""
    dropped = Counter(drop.reason for drop in extraction.dropped)
    triples = []
    for found in extraction.found:
        source = Source(chunk=passage.chunk, document=passage.document, quote=found.quote)
        part = found.triple
        try:
            one = Triple(
                subject=_node(part.subject), relation=part.relation, object=_node(part.object), source=source
            )
            _ = [node.id for node in one.nodes]
        except InputError:
            dropped[TOO_DEEP] += 1
        except ValidationError:
            dropped[UNFIT] += 1
        else:
            triples.append(one)
    return triples, dict(dropped)


def _node(end: str | Part) -> Entity | Statement:
    if isinstance(end, str):
        return Entity(name=end)
    return Statement(subject=_node(end.subject), relation=end.relation, object=_node(end.object))
