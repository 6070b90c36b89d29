"""Query variants: what is searched, and what was dropped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.cards.kind import Gist, Kind, Scene, dropped, edited, lines_edit, lines_of, provenance
from core.cards.narration import SceneContext, Sentence, quoted
from core.cards.parts import Card, Line, Lines
from core.runs.record import Record
from core.trace.artefacts import DroppedQuery, Fusion, PooledRanking, Queries, Query
from core.wording import counted, number_word

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
    """Say how many queries a run searched with, and what became of their rankings; empty: it did not say."""
    queries, fusions, unions = record.find(Queries), record.find(Fusion), record.find(PooledRanking)
    lists = (fusions or unions)[-1].lists if fusions or unions else ()
    count = len({ranked.query for ranked in lists}) or (len(queries[-1].queries) if queries else 0)
    how = ", fused by reciprocal ranks" if fusions else ", pooled" if unions else ""
    return counted(count, "query", "queries") + how if count else ""


def with_queries(artefact: Queries, text: str) -> Queries:
    """Other queries, one a line, in this order; those that were there keep their origin."""
    known = {query.text: query for query in artefact.queries}
    queries = (known.get(line) or Query(text=line, origin="user") for line in lines_of(text))
    return edited(artefact, queries=tuple(queries))


def _summary(artefact: Queries) -> str:
    dropped = f", {len(artefact.dropped)} dropped" if artefact.dropped else ""
    return counted(len(artefact.queries), "query", "queries") + dropped


def _sentence(artefacts: Sequence[Queries], scene: SceneContext) -> str:
    queries = artefacts[-1].queries
    itself = any(query.origin == "question" for query in queries)
    if any(query.origin == "user" for query in queries):
        text = f"You chose what is searched with: {counted(len(queries), 'query', 'queries')}"
    elif len(queries) == 1:
        text = (
            "The question is searched as it is"
            if itself
            else f"It is searched with {quoted(queries[0].text)}"
        )
    else:
        text = (
            f"{number_word(len(queries)).capitalize()} queries, the first of them the question itself"
            if itself
            else f"The question becomes {len(queries)} queries"
        )
    return f"{text}{_dropped(artefacts[-1].dropped)}."


def _dropped(dropped: Sequence[DroppedQuery]) -> str:
    """Say how many variants were dropped, and why most of them were."""
    if not dropped:
        return ""
    (reason, times), *_ = Counter(query.reason.partition(" (")[0] for query in dropped).most_common(1)
    why = reason if times == len(dropped) else f"most of them: {reason}"
    return f"; {counted(len(dropped), 'more was', 'more were')} dropped ({why})"


KINDS = (
    Kind(
        key="queries",
        title="Queries",
        icon="manage_search",
        gist=Gist(80, merged),
        card=card,
        edit=lines_edit(
            "Queries, one a line", lambda artefact: [query.text for query in artefact.queries], with_queries
        ),
        summary=_summary,
        sentence=Sentence(130, _sentence),
    ),
)
