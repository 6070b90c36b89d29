"""The changes that reranking made: the order before and after, and which passages came into those that are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from core.cards.kind import Scene, provenance
from core.cards.models import method_view
from core.cards.narration import quoted
from core.cards.parts import Aid, Drawing, Fold, Heading, Note, Part
from core.cards.passages import PassageCard, Stars, names, passage_card, says_the_same
from core.trace.artefacts import Ranking
from core.trace.passages import Hit
from core.wording import counted

SHORT = 44
"""Characters of a name in one of two columns."""


@dataclass(frozen=True)
class RankedPassage:
    """A passage in one of the rankings."""

    card: PassageCard
    remark: str
    """Its fate, in a few words; empty: it is used in both."""
    change: str
    """`in`, `out`, or empty."""
    aside: bool = False
    """True if neither ranking uses it."""


@dataclass(frozen=True)
class RankChanges:
    """Both rankings, best first; text is raw."""

    before: str
    """Query of the first ranking."""
    after: str
    left: tuple[RankedPassage, ...]
    right: tuple[RankedPassage, ...]
    summary: str
    """One sentence."""


def rank_changes(before: Ranking, after: Ranking, stars: Stars = frozenset()) -> RankChanges:
    """The changes from one ranking to the other; only the first k of each are used, and `stars` hold evidence."""
    every = [hit.passage for hit in (*before.hits, *after.hits)]
    called, short = names(every), names(every, SHORT)
    left = tuple(_ranked(hit, before, after, "out", short, stars) for hit in before.hits)
    right = tuple(_ranked(hit, after, before, "in", short, stars) for hit in after.hits)
    newcomers = [called[row.card.id] for row in right if row.change]
    left_out = [called[row.card.id] for row in left if row.change]
    parts = [f"{_list(newcomers)} came in"] if newcomers else []
    parts += [f"{_list(left_out)} dropped out"] if left_out else []
    stayed = len(after.used) - len(newcomers)
    if parts:
        summary = f"Of {counted(len(after.used), 'passage')} used, {stayed} stayed; " + "; ".join(parts) + "."
    elif [hit.passage.chunk for hit in before.used] == [hit.passage.chunk for hit in after.used]:
        summary = "Both use the same passages in the same order."
    else:
        summary = "Both use the same passages, in another order."
    return RankChanges(before.query, after.query, left, right, summary)


def _ranked(
    hit: Hit,
    mine: Ranking,
    other: Ranking,
    change: str,
    called: dict[str, str],
    stars: Stars,
) -> RankedPassage:
    """A hit, and where the other ranking has it."""
    used = _uses(mine, hit)
    name = called[hit.passage.chunk]
    card = passage_card(
        hit.passage, hit.rank, hit.score, mine.score_name, faint=not used, name=name, stars=stars
    )
    if hit.repeats:
        return RankedPassage(card, says_the_same(hit.repeats), "", hit not in mine.used_as_found)
    elsewhere = _uses(other, hit)
    if not used or elsewhere:
        return RankedPassage(card, "", "", not used and not elsewhere)
    rank = next((own.rank for own in other.hits if own.passage.chunk == hit.passage.chunk), None)
    place = f"below rank {len(other.hits)}" if rank is None else f"rank {rank}"
    return RankedPassage(
        card, f"came in, was {place}" if change == "in" else f"dropped out, now {place}", change
    )


def _uses(ranking: Ranking, hit: Hit) -> bool:
    return any(used.passage.chunk == hit.passage.chunk for used in ranking.used)


def _list(titles: list[str], limit: int = 3) -> str:
    named = ", ".join(quoted(title) for title in titles[:limit])
    return named if len(titles) <= limit else f"{named} and {len(titles) - limit} more"


READING = (
    "Left the order of the search, right the new one. A line leads from a passage to itself; it is dashed where only "
    "one of the two orders uses the passage. Choose one to read it."
)


def count_newcomers(ranking: Ranking) -> int:
    """Count the used hits that the search alone had too low to be used."""
    return sum((hit.before or hit.rank) > ranking.k for hit in ranking.used)


def changes(ranking: Ranking, stars: Stars = frozenset()) -> RankChanges:
    """The search's own order beside the new one, whose scores are not known any more; `stars` hold evidence."""
    order = sorted(ranking.hits, key=lambda hit: hit.before or hit.rank)
    chunks = {at: hit.passage.chunk for at, hit in enumerate(ranking.hits, 1)}
    place = {hit.passage.chunk: at for at, hit in enumerate(order, 1)}
    moved = (
        hit.model_copy(
            update={
                "rank": hit.before or hit.rank,
                "repeats": place[chunks[hit.repeats]] if hit.repeats in chunks else None,
            }
        )
        for hit in order
    )
    own = ranking.model_copy(update={"hits": tuple(moved)})
    compared = rank_changes(own, ranking, stars)
    judge = method_view(ranking)
    return replace(
        compared,
        before=f"by {ranking.retriever} search",
        after=f"by “{judge.method}”" if judge else "by another judge",
        left=tuple(replace(row, card=replace(row.card, score="")) for row in compared.left),
    )


def rerank_sentence(ranking: Ranking) -> str:
    """The changes among the hits that are used, in a sentence."""
    newcomers, used = count_newcomers(ranking), ranking.used
    if not used or all(hit.before == hit.rank for hit in used):
        return f"Reranking left the first {len(used)} as they were."
    first = used[0].before
    led = "the first stayed first" if first == 1 else f"the first was at rank {first} before"
    if not newcomers:
        return f"Reranking kept the same {counted(len(used), 'passage')}, in another order; {led}."
    return f"Reranking brought in {counted(newcomers, 'passage')} and dropped {newcomers}; {led}."


def flow(ranking: Ranking, scene: Scene, slot: str = "") -> tuple[Part, ...]:
    """Both orders side by side, and how to read them; arguments as of `passage_list`."""
    drawn = asdict(changes(ranking, scene.stars)) | {"titles": ("Before", "After"), "colour": scene.colour}
    return Drawing("moves", drawn, slot), Aid(READING)


def searches_reranked(rankings: Sequence[Ranking], scene: Scene) -> tuple[Part, ...]:
    """The effect of reranking in searches whose hits stand in the card of another kind, one click away."""
    judged = [ranking for ranking in rankings if ranking.skill == "rerank"]
    if not judged:
        return ()
    parts: list[Part] = []
    for number, ranking in enumerate(judged, 1):
        parts.append(Heading(ranking.query))
        if ranking.note:
            parts.append(Note(ranking.note, "info"))
        if ranking.reranked:
            parts += [Note(rerank_sentence(ranking), "compare_arrows"), *flow(ranking, scene, str(number))]
    newcomers = counted(sum(map(count_newcomers, judged)), "passage")
    title = f"Reranked: {counted(len(judged), 'search', 'searches')}, {newcomers} brought in"
    return (Fold(title, (*parts, *provenance(judged[0], note=False)), slot="reranked"),)
