"""What reranking changed: the order before and after, and which passages came into those that are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from core.cards.kind import Scene, provenance
from core.cards.methods import method_view
from core.cards.parts import Aid, Drawing, Fold, Heading, Note, Part
from core.cards.rank_changes import RankChanges, rank_changes
from core.trace.artefacts import Ranking
from core.wording import counted

READING = (
    "Left the order of the search, right the new one. A line leads from a passage to itself; it is dashed where only "
    "one of the two orders uses the passage. Choose one to read it."
)


def reranked(ranking: Ranking) -> bool:
    """Whether another judge ordered the hits anew."""
    return any(hit.before is not None for hit in ranking.hits)


def came_in(ranking: Ranking) -> int:
    """How many of the hits that are used the search alone had below them."""
    return sum((hit.before or hit.rank) > ranking.k for hit in ranking.used)


def changes(ranking: Ranking) -> RankChanges:
    """The search's own order beside the new one; its scores are not known any more."""
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
    found = rank_changes(own, ranking)
    judge = method_view(ranking)
    return replace(
        found,
        before=f"by {ranking.retriever} search",
        after=f"by “{judge.method}”" if judge else "by another judge",
        left=tuple(replace(one, card=replace(one.card, score="")) for one in found.left),
    )


def said(ranking: Ranking) -> str:
    """What changed among the hits that are used, in a sentence."""
    came, used = came_in(ranking), ranking.used
    if not used or all(hit.before == hit.rank for hit in used):
        return f"Reranking left the first {len(used)} as they were."
    first = used[0].before
    led = "the first stayed first" if first == 1 else f"the first was at rank {first} before"
    if not came:
        return f"Reranking kept the same {counted(len(used), 'passage')}, in another order; {led}."
    return f"Reranking brought in {counted(came, 'passage')} and dropped {came}; {led}."


def flow(ranking: Ranking, colour: str, slot: str = "") -> tuple[Part, ...]:
    """Both orders side by side, and how to read them; arguments as of `passage_list`."""
    drawn = asdict(changes(ranking)) | {"titles": ("Before", "After"), "colour": colour}
    return Drawing("moves", drawn, slot), Aid(READING)


def searches_reranked(rankings: Sequence[Ranking], scene: Scene) -> tuple[Part, ...]:
    """What reranking did in searches whose hits stand in the card of another kind, one click away."""
    judged = [ranking for ranking in rankings if ranking.skill == "rerank"]
    if not judged:
        return ()
    parts: list[Part] = []
    for number, ranking in enumerate(judged, 1):
        parts.append(Heading(ranking.query))
        if ranking.note:
            parts.append(Note(ranking.note, "info"))
        if reranked(ranking):
            parts += [Note(said(ranking), "compare_arrows"), *flow(ranking, scene.colour, str(number))]
    came = counted(sum(map(came_in, judged)), "passage")
    title = f"Reranked: {counted(len(judged), 'search', 'searches')}, {came} brought in"
    return (Fold(title, (*parts, *provenance(judged[0], note=False)), slot="reranked"),)
