"""Artefacts of searching: what was found, in which order, and where it led on."""

from __future__ import annotations

from collections.abc import Sequence
from operator import not_
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from core.trace.artefacts.base import Artefact
from core.trace.gold import Gold
from core.trace.passages import Frozen, Hit, Passage

EVAL_CUTOFF = 10
"""Rankings are kept at least to this depth, so that retrieval can be judged."""


R = TypeVar("R", bound="Hit | RankRow")


def places(ranked: Sequence[R]) -> list[tuple[R, R]]:
    """The places of a ranking, but for repeats: each with the passage that takes it, itself or one that repeats it."""
    order: dict[int, int] = {}
    for place, item in enumerate(ranked, 1):
        # A list may have been cut since, or come from anywhere.
        order.setdefault(item.repeats if item.repeats and item.repeats <= len(ranked) else place, place)
    return [(ranked[own - 1], ranked[place - 1]) for own, place in order.items()]


class Ranking(Artefact):
    """The passages that one retriever found for one query, best first.

    Where another judge ordered the hits anew, `skill` is `rerank`, `method` says which one, the scores are its own, and
    each hit has its rank `before`. If that judge failed, none has one: the order is the search's, `note` says why.
    """

    kind: Literal["ranking"] = "ranking"

    query: str
    retriever: str
    """`dense`, `keyword`, `hybrid` or `linked`."""
    score_name: str
    """What the scores are, e.g. `cosine similarity`."""
    k: int = Field(ge=1)
    """How many of the hits the strategy uses; the rest are kept for judging."""
    hits: tuple[Hit, ...]
    recorded: str = ""
    """Name of the recording that holds it; empty: it was searched for."""

    @property
    def places(self) -> tuple[Hit, ...]:
        """The hits without those that repeat another, which takes the better place of both, and its rank."""
        return tuple(
            hit if hit is first else hit.model_copy(update={"rank": first.rank})
            for hit, first in places(self.hits)
        )

    @property
    def reranked(self) -> bool:
        """True if another judge ordered the hits anew."""
        return any(hit.before is not None for hit in self.hits)

    @property
    def used(self) -> tuple[Hit, ...]:
        """The hits that the strategy uses: what repeats another takes no place of `k`."""
        return self.places[: self.k]

    @property
    def used_as_found(self) -> tuple[Hit, ...]:
        """The same in the order that they were found in, with those that repeat one of them."""
        own = {hit.passage.chunk for hit in self.used}
        stay = {place for place, hit in enumerate(self.hits, 1) if hit.passage.chunk in own}
        return tuple(hit for place, hit in enumerate(self.hits, 1) if (hit.repeats or place) in stay)


class RankedList(Frozen):
    """The query and the retriever of a column of ranks."""

    query: str
    retriever: str


class RankRow(Frozen):
    """One passage and its rank in each list."""

    passage: Passage
    ranks: tuple[int | None, ...]
    """Rank from 1 in each list, in the order of `lists`; None: not in that list."""
    score: float | None = None
    """None in a plain union, which has none; runs stored earlier have 0 there."""
    repeats: Annotated[int | None, Field(ge=1, exclude_if=lambda rank: rank is None)] = None
    """Place of the row that holds nearly all of its sentences; None, and left out: there is none."""


class FusedRow(RankRow):
    """One passage, its rank in each list and what they come to."""

    score: float
    """Fused score as the run computed it."""


class PooledRanking(Artefact):
    """Unique union of several rankings: best rank first, then first seen."""

    kind: Literal["union"] = "union"

    lists: tuple[RankedList, ...]
    rows: tuple[RankRow, ...]

    @property
    def places(self) -> tuple[RankRow, ...]:
        """The rows without those that repeat another, see `Ranking.places`."""
        return tuple(row for row, _ in places(self.rows))


class Fusion(Artefact):
    """Reciprocal Rank Fusion of several rankings (Cormack, Clarke, Büttcher 2009)."""

    kind: Literal["fusion"] = "fusion"

    k: int = Field(ge=0, le=1000)
    first_rank: Literal[0, 1]
    lists: tuple[RankedList, ...]
    rows: tuple[FusedRow, ...]
    """Best fused score first."""

    @property
    def places(self) -> tuple[FusedRow, ...]:
        """The rows without those that repeat another, see `Ranking.places`."""
        return tuple(row for row, _ in places(self.rows))


class Baseline(Artefact):
    """The baseline of a run: plain retrieval, and where the evidence for its question is, where that is known.

    Plain retrieval is one search with the question, by the run's own retriever among the same documents, for as many
    passages as the run gave to its answers. It asks no model, and is none of the run's steps. A run that searched no
    documents, or gave none, is compared with the right answers alone.
    """

    kind: Literal["baseline"] = "baseline"

    retriever: str
    """`dense`, `keyword`, `hybrid` or `linked`; empty: nothing was searched for it."""
    score_name: str
    """What the scores are, e.g. `cosine similarity`."""
    hits: tuple[Hit, ...]
    """Best first, with those that repeat one of them; fewer than the run gave where no more were found."""
    gold: tuple[Gold, ...] = ()
    """The evidence, as the question's labels said when it was asked; empty: nobody knows, or no documents were
    searched."""
    answers: tuple[str, ...] = ()
    """Right answers, each as good as another; empty: nobody knows."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages that plain retrieval gives: none that repeats another."""
        return tuple(hit.passage for hit in self.hits if hit.repeats is None)


class WalkedPassage(Frozen):
    """A passage that a walk reached, or that it was offered."""

    rank: int = Field(ge=1)
    """Place in the order by score."""
    passage: Passage
    visits: tuple[float, ...]
    """The chance to be there after 0, 1, 2 … steps; all 0: nothing led there."""
    chance: float
    """To stop there."""
    cosine: float
    """Of its vector with the query's."""
    score: float
    """Of both."""
    via: str = ""
    """Id of the passage before it, on the way by which most come; empty: the walk begins there, or never came."""


class MentionLink(Frozen):
    """A passage that mentions a document by its title, and a passage of that; or two that tell of one entity."""

    source: str
    """Id of the passage that mentions."""
    target: str
    name: str
    """The words that mention, as they are written there; the name of the entity."""
    entity: Annotated[bool, Field(exclude_if=not_)] = False
    """Whether both tell of an entity of a graph; left out of files where they do not."""
    sentence: str
    """In which they stand."""
    onward: float
    """Share of what is at the source that goes to the target in a step."""
    back: float
    """The share of the other direction."""


class Walk(Artefact):
    """A walk from the first hits of a ranking, from passage to passage, along titles that they mention."""

    kind: Literal["walk"] = "walk"

    query: str
    seeds: int = Field(ge=1)
    """How many of the first hits it begins at."""
    restart: float
    """Chance to stop at a passage, and not to go on."""
    weight: float
    """Of the cosine in the score, where the chance to stop has 1."""
    reached: int = Field(0, ge=0)
    """Passages in all that it may stop at."""
    passages: tuple[WalkedPassage, ...] = ()
    """The best by score, and those on the way to them; empty: there was nothing to walk along, as the note says."""
    links: tuple[MentionLink, ...] = ()
    """Between these passages."""
