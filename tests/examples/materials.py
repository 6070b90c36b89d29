"""Materials of a notebook, made of a run alone. Apart, as few tests of examples need what this imports."""

from __future__ import annotations

from core.runs.notebook.materials import Materials, found_passages, found_triples
from core.runs.record import Record


def own_materials(run: Record) -> Materials:
    """The passages and triples that a run itself found, without its corpus or graph."""
    return Materials(found_passages(run), triples=found_triples(run))
