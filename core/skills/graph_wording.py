"""Triples and names of a knowledge graph in words, as people and models read them."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.frame import NOTHING
from core.trace.artefacts import PathTriple


def triple_line(triple: PathTriple) -> str:
    """A triple in one line, with arrows also within a hypernode."""
    return f"{readable_name(triple.subject)} —{triple.relation.replace('_', ' ')}→ {readable_name(triple.object)}"


def readable_name(name: str) -> str:
    """A node's name: of a hypernode, the triple that it is, with an arrow."""
    if not (name.startswith("(") and "]->(" in name):
        return name
    return name.replace(")-[", " —").replace("]->(", "→ ")


def names_line(names: Sequence[str], more: int = 0) -> str:
    """Names on one line, separated by a sign that hardly any name contains, and the number of those not shown."""
    line = " · ".join(" ".join(name.split()) for name in names)
    return (f"{line} (and {more} more, which are not shown)" if more else line) or NOTHING
