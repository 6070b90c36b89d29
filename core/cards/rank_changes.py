"""Two rankings of the same corpus side by side: what came in, what dropped out, what moved."""

from __future__ import annotations

from dataclasses import dataclass

from core.cards.passages import PassageCard, names, passage_card, says_the_same
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
    """What became of it, in a few words; empty: it is used in both."""
    change: str
    """`in`, `out`, or empty."""
    aside: bool = False
    """Whether neither ranking uses it."""


@dataclass(frozen=True)
class RankChanges:
    """Both rankings, best first; text is raw."""

    before: str
    """What the first ranking was searched with."""
    after: str
    left: tuple[RankedPassage, ...]
    right: tuple[RankedPassage, ...]
    summary: str
    """One sentence."""


def rank_changes(before: Ranking, after: Ranking) -> RankChanges:
    """What changed from one ranking to the other; only the first k of each are used."""
    every = [hit.passage for hit in (*before.hits, *after.hits)]
    called, short = names(every), names(every, SHORT)
    was = {hit.passage.chunk: hit.rank for hit in before.hits}
    now = {hit.passage.chunk: hit.rank for hit in after.hits}
    left = tuple(_ranked(hit, before, now, after, "out", short) for hit in before.hits)
    right = tuple(_ranked(hit, after, was, before, "in", short) for hit in after.hits)
    came = [called[stand.card.id] for stand in right if stand.change]
    left_out = [called[stand.card.id] for stand in left if stand.change]
    parts = [f"{_list(came)} came in"] if came else []
    parts += [f"{_list(left_out)} dropped out"] if left_out else []
    kept = len(after.used) - len(came)
    if parts:
        summary = f"Of {counted(len(after.used), 'passage')} used, {kept} stayed; " + "; ".join(parts) + "."
    elif [hit.passage.chunk for hit in before.used] == [hit.passage.chunk for hit in after.used]:
        summary = "Both use the same passages in the same order."
    else:
        summary = "Both use the same passages, in another order."
    return RankChanges(before.query, after.query, left, right, summary)


def _ranked(
    hit: Hit, mine: Ranking, others: dict[str, int], other: Ranking, change: str, called: dict[str, str]
) -> RankedPassage:
    """A hit, and where the other ranking has it."""
    used = _uses(mine, hit)
    name = called[hit.passage.chunk]
    card = passage_card(hit.passage, hit.rank, hit.score, mine.score_name, faint=not used, name=name)
    if hit.repeats:
        return RankedPassage(card, says_the_same(hit.repeats), "", hit not in mine.used_as_found)
    rank = others.get(hit.passage.chunk)
    elsewhere = _uses(other, hit)
    if not used or elsewhere:
        return RankedPassage(card, "", "", not used and not elsewhere)
    place = f"rank {rank}" if rank is not None else f"below rank {len(other.hits)}"
    return RankedPassage(
        card, f"came in, was {place}" if change == "in" else f"dropped out, now {place}", change
    )


def _uses(ranking: Ranking, hit: Hit) -> bool:
    return any(one.passage.chunk == hit.passage.chunk for one in ranking.used)


def _list(titles: list[str], limit: int = 3) -> str:
    named = ", ".join(f"“{title}”" for title in titles[:limit])
    return named if len(titles) <= limit else f"{named} and {len(titles) - limit} more"
