"""What is kept of a walk along mentions: the best passages, how one comes to each, and the words that lead there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from core.retrieval.walk import Walking
from core.skills.sentences import sentence_at
from core.trace.artefacts import MentionLink, Walk, WalkedPassage

if TYPE_CHECKING:
    from core.retrieval.joined import Walked

DIGITS = 6
"""Of numbers that are kept."""


def walk_made(query: str, walked: Walked, how: Walking, count: int) -> Walk:
    """A walk as an artefact.

    Args:
        query: What was searched with.
        walked: What came of it.
        how: How was walked.
        count: How many of the best passages are kept; those on the way to them are, too.
    """
    from core.retrieval.walk import way

    ways = {one.place: way(walked.links, walked.visited, one.place) for one in walked.order[:count]}
    kept = {*ways, *(place for found in ways.values() for place in found)}
    via = {after: before for found in ways.values() for before, after in pairwise(found)}
    passages = walked.links.passages
    return Walk(
        query=query,
        seeds=how.seeds,
        restart=how.restart,
        weight=how.weight,
        reached=int((walked.visited.sum(axis=0) > 0).sum()),
        passages=tuple(
            WalkedPassage(
                rank=rank,
                passage=passages[one.place],
                visits=tuple(round(chance, DIGITS) for chance in walked.visited[:, one.place].tolist()),
                chance=round(one.chance, DIGITS),
                cosine=round(one.cosine, DIGITS),
                score=one.score,
                via=passages[via[one.place]].chunk if one.place in via else "",
            )
            for rank, one in enumerate(walked.order, 1)
            if one.place in kept
        ),
        links=tuple(_links(walked, sorted(kept))),
    )


def _links(walked: Walked, places: Sequence[int]) -> Iterator[MentionLink]:
    """The links between some passages, each with the first mention that makes it."""
    links = walked.links
    shares = {place: links.shares(place) for place in places}
    for one, other in combinations(places, 2):
        mention = next(links.mentions(one, other), None) if shares[one][other] else None
        if mention is None:
            continue
        source, target = (one, other) if mention.source == one else (other, one)
        text = links.passages[source].text
        yield MentionLink(
            source=links.passages[source].chunk,
            target=links.passages[target].chunk,
            name=mention.entity or text[mention.start : mention.end],
            entity=bool(mention.entity),
            sentence=sentence_at(text, mention.start),
            onward=round(float(shares[target][source]), DIGITS),
            back=round(float(shares[source][target]), DIGITS),
        )
