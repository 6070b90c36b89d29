"""Linked retrieval: a walk along the mentions of a corpus, from the first hits of hybrid retrieval.

It is a personalised PageRank: where a reader ends who reads on from the first hits (T. H. Haveliwala: Topic-Sensitive
PageRank. WWW 2002). At each passage the reader stops with probability `restart`, else goes on along one of its links.
The chance to stop at a passage is Σ r (1 − r)^j · visits_j over the steps j, where visits_j is the chance to be there
after j steps.

The idea is HippoRAG's (B. J. Gutiérrez et al., NeurIPS 2024, arXiv 2405.14831), which walks otherwise: over the phrases
of triples that a model wrote, from the entities of the query; a passage gets the chances of its phrases times how often
it has them (section 2.3). Its second version (2025, arXiv 2502.14802) has passages in the graph as well, and their
cosines among the chances to begin. Passages as the only nodes, hits as the beginning, and a score of chance and cosine
are this app's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.corpora.filtering import Where
from core.models.embedding_vectors import cosine_matrix, standardise
from core.retrieval.caches import PASSAGES, CorpusCache
from core.retrieval.corpus import SearchableCorpus, Snapshot
from core.retrieval.kinds import Walking
from core.retrieval.links import Links
from core.retrieval.titles import mention_name
from core.trace.artefacts import Ranking

Visits: TypeAlias = NDArray[np.float64]
"""Steps × passages: the chance to be at a passage after so many steps; the first row are the seeds."""
STEPS = 10
"""Steps that are followed; with a restart of 0.5, less than a thousandth of the readers goes further."""


def visits(links: Links, seeds: Mapping[int, float], steps: int = STEPS) -> Visits:
    """Return the chances to be at each passage after each number of steps, from 0; the sum of each row is 1.

    The walk begins at one of the seeds, each with its chance, scaled to a sum of 1; from a passage without links, one
    goes on to a seed.
    """
    begin = np.zeros(len(links.passages))
    begin[list(seeds)] = list(seeds.values())
    begin /= begin.sum()
    rows = [begin]
    for _ in range(steps):
        moved = links.step(rows[-1])
        rows.append(moved + (1 - moved.sum()) * begin)
    return np.array(rows)


def stops(visited: Visits, restart: float) -> NDArray[np.float64]:
    """Return the chance to stop at each passage; their sum is 1.

    Args:
        visited: See `visits`; who has not stopped after the last step stops there.
        restart: Chance to stop at a passage, above 0 and at most 1.
    """
    steps = len(visited)
    shares = restart * (1 - restart) ** np.arange(steps)
    shares[-1] = (1 - restart) ** (steps - 1)
    # `@` would wait for threads that it wakes.
    chances: NDArray[np.float64] = np.einsum("s,sp->p", shares, visited)
    return chances


def way(links: Links, visited: Visits, passage: int) -> list[int]:
    """Return the shortest way from a seed to a passage, along which most readers come; empty: none leads there."""
    reached = visited[:, passage].nonzero()[0]
    if not len(reached):
        return []
    places = [passage]
    for step in range(int(reached[0]), 0, -1):
        before = visited[step - 1]
        places.append(int((before * links.shares(places[-1])).argmax()))
    return places[::-1]


Numbers = NDArray[np.float64]
POOL = 30
"""Passages with the largest chances that are candidates, beside all hits of the ranking."""
NO_LINKS = (
    "No passage of this corpus mentions the title of another document, so there is nothing to walk along."
)
NOWHERE = "No mention leads on from the first hits, so they stay in their order."


@dataclass(frozen=True)
class ReachedPassage:
    """A passage that the walk reached, or that the ranking has."""

    place: int
    """In `links.passages`."""
    chance: float
    """To stop there."""
    cosine: float
    score: float


@dataclass(frozen=True)
class WalkResult:
    """A walk that came to an end."""

    links: Links
    visited: Visits
    order: tuple[ReachedPassage, ...]
    """Best first."""


def walk_from(
    links: Links,
    hits: Sequence[int],
    cosines: Callable[[Sequence[int]], Numbers],
    how: Walking,
    known: Mapping[int, float] | None = None,
) -> WalkResult | str:
    """Walk on from the first hits of a ranking, all of whose hits are candidates.

    Args:
        hits: Passages by their place, best first.
        cosines: Gives the cosine of passages with the query, by their places.
        known: Places of all candidates -> their scores, where these are known already: they make the order, and
            links that are there no longer do not end the walk.

    Returns:
        The walk; or, in a sentence, why there is none.
    """
    if not links.count and not known:
        return NO_LINKS
    seeds = {place: 1 / rank for rank, place in enumerate(hits[: how.seeds], 1)}
    if not (known or any(links.leads_on(place) for place in seeds)):
        return NOWHERE
    visited = visits(links, seeds)
    chances = stops(visited, how.restart)
    places = list(known or dict.fromkeys([*hits, *_largest(chances)]))
    near = cosines(places)
    scores = list(known.values()) if known else join_scores(chances[places], near, how.weight).tolist()
    order = map(ReachedPassage, places, chances[places].tolist(), near.tolist(), scores)
    return WalkResult(links, visited, tuple(sorted(order, key=lambda passage: -passage.score)))


def _largest(chances: Numbers) -> list[int]:
    """Return the places of the largest chances, the largest first, and of equal ones the first; none that is 0."""
    least = np.partition(chances, -POOL)[-POOL] if len(chances) > POOL else 0
    candidates = np.flatnonzero((chances >= least) & (chances > 0))
    order: list[int] = candidates[np.argsort(-chances[candidates], kind="stable")][:POOL].tolist()
    return order


def join_scores(chances: Numbers, cosines: Numbers, weight: float) -> Numbers:
    """Return one score for each passage from its chance and its cosine.

    Both are standardised over the candidates (mean 0, standard deviation 1), so that neither outweighs the other by its
    range alone, as it would with the smallest and largest value: those are of single passages. Of the chances the roots
    are taken: they fall by the step, and the first seeds' alone would decide.
    """
    return standardise(np.sqrt(chances)) + weight * standardise(cosines)


def walk(
    corpus: SearchableCorpus,
    where: Where,
    ranking: Ranking,
    vector: Sequence[float],
    how: Walking,
    recorded: Ranking | None = None,
) -> WalkResult | str:
    """Walk on from the first hits of a ranking; blocks. The corpus's graph of mentions is made when first needed, and
    again when it has changed.

    Args:
        corpus: Its passages are walked.
        where: A filter; only documents that match it are walked.
        ranking: Best first.
        vector: Of the query, for the cosine.
        recorded: The ranking of the same walk in a recording, which makes the order; None: there is none.

    Returns:
        The walk; or, in a sentence, why there is none.
    """
    links = LINKS.of(corpus)
    if where:
        links = links.within(corpus.matching(where))
    chunks = (hit.passage.chunk for hit in ranking.hits)
    hits = [links.places[chunk] for chunk in chunks if chunk in links.places]

    def cosines(places: Sequence[int]) -> Numbers:
        """Return the cosine of each passage with the vector; -1 of one that is not there any more."""
        chunks = [links.passages[place].chunk for place in places]
        known = corpus.chunks.vectors(chunks)
        present = [chunk for chunk in chunks if chunk in known]
        values = cosine_matrix([vector], [known[chunk] for chunk in present])[0] if present else []
        by_chunk = dict(zip(present, values, strict=True))
        return np.array([by_chunk.get(chunk, -1.0) for chunk in chunks])

    if recorded and not recorded.hits:
        return recorded.note
    scores = {hit.passage.chunk: hit.score for hit in recorded.hits} if recorded else {}
    # A recording comes from anywhere, and may name what a filter leaves out.
    known_scores = {links.places[chunk]: score for chunk, score in scores.items() if chunk in links.places}
    begin = links.named_first(ranking.query, hits, how.seeds)
    return walk_from(links, begin, cosines, how, known_scores)


def _links(corpus: SearchableCorpus, snapshot: Snapshot) -> Links:
    passages = PASSAGES.of(corpus, snapshot)
    shown = {passage.document: passage.title for passage in passages}
    titles = {document: mention_name(snapshot.titles[document], title) for document, title in shown.items()}
    return Links(passages, titles, corpus.graphs.quotes(corpus.corpus, passages) if corpus.graphs else None)


LINKS: CorpusCache[Links] = CorpusCache(
    _links,
    lambda links: len(links.passages),
    lambda corpus: corpus.graphs.mark(corpus.corpus) if corpus.graphs else "",
    doing="looking through all passages for titles of other documents, once",
)
