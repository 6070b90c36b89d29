"""The passage card: the same wherever a passage appears."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.trace.passages import Passage


@dataclass(frozen=True)
class Piece:
    """A stretch of a passage's text."""

    text: str
    marked: bool
    """Whether the answer used it."""
    around: bool = False
    """Whether it stands around what the search found."""


@dataclass(frozen=True)
class PassageCard:
    """A passage as it is shown; all text is raw and must not be interpreted."""

    id: str
    rank: str
    title: str
    where: str
    score: str
    """Empty: there is none to show."""
    score_name: str
    score_help: str
    pieces: tuple[Piece, ...]
    badge: str = ""
    faint: bool = False
    """Not used by the strategy or not given to the answer."""
    skip: int = 0
    """Pieces that are left out while the card is folded, so that it begins with what the answer used."""
    was: str = ""
    """Rank that it had before, where another judge ordered the passages anew."""
    context: str = ""
    """What a model wrote about it for the index."""
    context_by: str = ""
    """Says so, with the model's name."""


def passage_card(
    passage: Passage,
    rank: int,
    score: float | None,
    score_name: str,
    *,
    quotes: Sequence[str] = (),
    badge: str = "",
    faint: bool = False,
    name: str = "",
    was: int | None = None,
) -> PassageCard:
    """A passage with its rank from 1 and its score.

    Args:
        passage: What is shown.
        rank: From 1.
        score: None: there is none.
        score_name: What it is called.
        quotes: The words of the passage that the answer used.
        badge: A remark.
        faint: Whether the strategy did not use it.
        name: In place of its title, see `names`.
        was: The rank that it had before another judge ordered the passages anew.
    """
    cut = pieces(passage.text, quotes, surroundings(passage))
    first = next((place for place, piece in enumerate(cut) if not piece.around), 0)
    skip = next((place for place, piece in enumerate(cut) if piece.marked), first)
    if sum(len(piece.text) for piece in cut[:skip]) <= SEEN:
        skip = 0
    return PassageCard(
        id=passage.chunk,
        rank=str(rank),
        title=name or passage.title,
        where=where(passage),
        score="" if score is None else f"{score:.3f}" if abs(score) >= 0.1 else f"{score:.4f}",
        score_name=score_name,
        score_help=SCORE_HELP.get(score_name, f"The {score_name} that put the passage at this rank."),
        pieces=cut,
        badge=badge,
        faint=faint,
        skip=skip,
        was="" if was is None else str(was),
        context=passage.indexed_with.text if passage.indexed_with else "",
        context_by=f"Context for the index, written by {passage.indexed_with.model}"
        if passage.indexed_with
        else "",
    )


APART = " · "
"""Stands between a title and what tells it from others, see `names`."""

DETAIL = 12
"""Longest heading that tells passages of one title apart in `named_apart`; where one is longer, their numbers do."""


def names(passages: Iterable[Passage], limit: int = 0) -> dict[str, str]:
    """Chunk -> what its passage is called in a list: its title, and where several share one, what tells them apart.

    Args:
        passages: All that are listed.
        limit: Longest name in characters, the title being cut first; 0: none.
    """
    alike: defaultdict[str, dict[str, Passage]] = defaultdict(dict)
    for passage in passages:
        alike[passage.title][passage.chunk] = passage
    return {
        chunk: _name(title, detail, limit)
        for title, group in alike.items()
        for chunk, detail in zip(group, _details(list(group.values()), limit // 2), strict=True)
    }


def named_apart(passages: Iterable[Passage]) -> dict[str, str]:
    """Chunk -> what tells its passage from others of its title, short enough to stand beside it; mostly empty."""
    every = list(passages)
    called, short = names(every), names(every, 2 * DETAIL)
    return {
        one.chunk: short[one.chunk].rpartition(APART)[2] if called[one.chunk] != one.title else ""
        for one in every
    }


def _details(group: Sequence[Passage], limit: int) -> list[str]:
    """What tells passages of one title apart: their headings where these do, else their numbers."""
    if len(group) == 1:
        return [""]
    headings = [passage.heading for passage in group]
    if all(headings) and len(set(headings)) == len(group) and (not limit or max(map(len, headings)) <= limit):
        return [one.heading if one.heading != one.title else f"chunk {one.position + 1}" for one in group]
    return [f"chunk {passage.position + 1}" for passage in group]


def _name(title: str, detail: str, limit: int) -> str:
    rest = f"{APART}{detail}" if detail else ""
    room = limit - len(rest)
    return (title if not limit or len(title) <= room else f"{title[: room - 1].rstrip()}…") + rest


SEEN = 120
"""Characters before the first words used that leave these in sight while a card is folded."""
SCORE_HELP = {
    "cosine similarity": "Cosine of the angle between the query's vector and the passage's: 1 is the same "
    "direction, 0 has nothing in common.",
    "BM25": "BM25: rare words shared with the query count more, long passages are held back. No upper end.",
    "walk and cosine": "The root of the chance that the walk ends here, and the cosine with the question, each by how "
    "far it is from the others'. 0 is in the middle.",
    "1 / place in the model's order": "1 for the passage that the model put first, 1/2 for the second, and so on.",
    "search and MaxSim": "The search's score and how near the query's words are to words of the "
    "passage, each by how far it is from the others'. 0 is in the middle.",
    "RRF": "Sum of 1 / (k + rank) over all lists that hold the passage.",
}
"""How each score comes about, for people."""


def where(passage: Passage) -> str:
    """Place of a passage in its document."""
    parts = [f"page {passage.page}"] if passage.page is not None else []
    if passage.heading:
        parts.append(passage.heading)
    first, several = passage.first_position + 1, len(passage.chunks)
    chunks = f"chunk {first}" if several == 1 else f"chunks {first} to {first + several - 1}"
    return " · ".join([*parts, chunks])


Stretch = tuple[int, int]
"""First character of a part of a text, and one past its last."""


def surroundings(passage: Passage) -> list[Stretch]:
    """The parts of a passage's text that the search did not find; none where it found nothing of it."""
    found = [(span.start - passage.start, span.end - passage.start) for span in passage.spans if span.found]
    borders = [0, *(place for stretch in found for place in stretch), len(passage.text)]
    return [
        (start, end) for start, end in zip(borders[::2], borders[1::2], strict=True) if start < end and found
    ]


def pieces(text: str, quotes: Iterable[str], around: Iterable[Stretch] = ()) -> tuple[Piece, ...]:
    """A text cut where the quotes, and what stands around, begin and end; a quote that is not in it is left out."""
    used = [(start, start + len(quote)) for quote in quotes if quote and (start := text.find(quote)) >= 0]
    others = list(around)
    borders = {0, len(text), *(min(max(0, place), len(text)) for pair in (*used, *others) for place in pair)}
    found: list[Piece] = []
    for start, end in pairwise(sorted(borders)):
        piece = Piece(text[start:end], _in(start, used), _in(start, others))
        if found and (found[-1].marked, found[-1].around) == (piece.marked, piece.around):
            piece = replace(piece, text=found.pop().text + piece.text)
        found.append(piece)
    return tuple(found)


def _in(place: int, stretches: Iterable[Stretch]) -> bool:
    return any(start <= place < end for start, end in stretches)
