"""Query variants: what is searched, and what was dropped and why."""

from __future__ import annotations

from core.cards.kind import Gist, Kind, Scene, dropped, lines_edit, provenance
from core.cards.parts import Card, Line, Lines
from core.runs import edits
from core.runs.record import Record
from core.trace.artefacts import Fusion, PooledRanking, Queries
from core.wording import counted

ORIGINS = {"question": "the question itself", "model": "written by the model", "user": "written by you"}


def card(artefact: Queries, scene: Scene) -> Card:
    """The queries with their origin, and those that were dropped.

    A method that asks no model is named in place of the model.
    """
    written = {} if artefact.method in ("", "model") else {"model": f"made by “{artefact.method}”"}
    origins = ORIGINS | written
    lines = Lines([Line(query.text, origins[query.origin]) for query in artefact.queries])
    parts = (lines, *dropped(artefact.dropped), *provenance(artefact))
    return Card(parts, f"{len(artefact.queries)} searched")


def merged(record: Record) -> str:
    """How many queries a run searched with, and what became of their rankings; empty: it did not say."""
    queries, fusions, unions = record.find(Queries), record.find(Fusion), record.find(PooledRanking)
    lists = (fusions or unions)[-1].lists if fusions or unions else ()
    count = len({ranked.query for ranked in lists}) or (len(queries[-1].queries) if queries else 0)
    how = ", fused by reciprocal ranks" if fusions else ", pooled" if unions else ""
    return counted(count, "query", "queries") + how if count else ""


KINDS = (
    Kind(
        key="queries",
        title="Queries",
        icon="manage_search",
        moment="Queries",
        gist=Gist(80, merged),
        card=card,
        edit=lines_edit(
            "Queries, one a line",
            lambda artefact: [query.text for query in artefact.queries],
            edits.with_queries,
        ),
    ),
)
