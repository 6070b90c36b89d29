"""The searches of a reasoning: what each looked for, what was read of it, and the passages that it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.cards.passages import names, passage_card
from core.runs.record import Record
from core.skills.synthesise import renumber_citations
from core.skills.variants import letters
from core.trace.artefacts import Ranking, SubAnswer, Thought
from core.trace.passages import Passage

AGAIN = "Not searched again: it was searched for above."
NO_MORE = "Not searched: no search was left."


def searches_data(thoughts: Sequence[Thought], record: Record) -> list[list[dict[str, Any]]]:
    """The searches of each thought, as far as they are, for the drawing."""
    rankings = {letters(ranking.query): ranking for ranking in reversed(record.find(Ranking))}
    digests = {letters(one.question): one for one in record.find(SubAnswer)}
    given = [item.passage for item in record.context.passages if item.given] if record.context else []
    seen: set[str] = set()
    found: set[str] = set()
    chain = []
    for thought in thoughts:
        drawn = []
        for query in thought.queries:
            key = letters(query)
            ranking = None if key in seen else rankings.get(key)
            why = AGAIN if key in seen else "" if ranking or record.under_way else NO_MORE
            drawn.append(_search(query, why, ranking, digests.get(key) if ranking else None, given, found))
            if ranking:
                seen.add(key)
                found.update(hit.passage.chunk for hit in ranking.used)
        chain.append(drawn)
    return chain


def _search(
    query: str,
    why_not: str,
    ranking: Ranking | None,
    digest: SubAnswer | None,
    given: Sequence[Passage],
    found: set[str],
) -> dict[str, Any]:
    """One search; passages have their numbers of the evidence, and are new where no earlier search found them."""
    numbers = {passage.chunk: number for number, passage in enumerate(given, 1)}
    quotes: dict[str, list[str]] = {}
    for citation in digest.citations if digest else ():
        quotes.setdefault(citation.chunk, []).append(citation.quote)
    hits = [hit.passage for hit in ranking.used] if ranking else []
    called = names(given)
    cards = [
        asdict(
            passage_card(
                one,
                numbers[one.chunk],
                None,
                "",
                quotes=quotes.get(one.chunk, ()),
                name=called[one.chunk],
            )
        )
        for one in hits
        if one.chunk in numbers
    ]
    return {
        "query": query,
        "why_not": why_not,
        "cards": cards,
        "new": sum(one.chunk in numbers and one.chunk not in found for one in hits),
        "digest": renumber_citations(digest, given) if digest else "",
        "nothing": bool(digest and digest.abstained),
        "note": digest.note if digest else "",
    }
