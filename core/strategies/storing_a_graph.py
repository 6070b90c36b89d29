"""Storing a graph: no strategy, but what KG-RAG walks was made by it; here is what its lesson's exercise asks for."""

from __future__ import annotations

from core.strategies.exercises import Options, Outcome


def exercise(_: Options) -> Outcome:
    """The nodes of a triple about a triple about a triple."""
    from core.knowledge.triples import Entity, Statement, Triple

    fact = Statement(subject=Entity(name="Family Guy"), relation="is broadcast by", object=Entity(name="Fox"))
    since = Statement(subject=fact, relation="since", object=Entity(name="1999"))
    nodes = Triple(subject=since, relation="stated in", object=Entity(name="almanac")).nodes
    return Outcome(str(len(nodes)), tuple(node.name for node in nodes))
