"""Query variants: what is searched, and what was dropped and why."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.artefacts import Queries

ORIGINS = {"question": "the question itself", "model": "written by the model", "user": "written by you"}


@dataclass(frozen=True)
class QueryLine:
    """One query or one dropped variant."""

    text: str
    remark: str
    """Where it comes from, or why it was dropped."""


@dataclass(frozen=True)
class QueriesView:
    """Queries in the order they are searched, and the variants that are not."""

    used: tuple[QueryLine, ...]
    dropped: tuple[QueryLine, ...]


def queries_view(artefact: Queries) -> QueriesView:
    """Queries with their origin. A method that asks no model is named in place of the model."""
    origins = ORIGINS | (
        {} if artefact.method in ("", "model") else {"model": f"made by “{artefact.method}”"}
    )
    return QueriesView(
        used=tuple(QueryLine(query.text, origins[query.origin]) for query in artefact.queries),
        dropped=tuple(QueryLine(query.text, query.reason) for query in artefact.dropped),
    )
