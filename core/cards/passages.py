"""The passage card: the same wherever a passage appears.

Folded, it shows the sentence that the answer cited, else the one that shares most with what was asked; see
`core.cards.matching`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pydantic import BaseModel

from core.cards.matching import Sentence, Stretch, sentences_of
from core.runs.record import Record
from core.skills.quotes import find_quote
from core.trace.artefacts import Citation, FusedRow, RankRow
from core.trace.gold import Gold, holds_evidence
from core.trace.passages import Passage
from core.wording import shortened as cut_text

STAR = "★"
"""Stands before the name of a passage that holds evidence."""
MEANING = "★ marks a passage that holds evidence, as the question's labels say."


Stars = frozenset[str]
"""Ids of the passages that hold evidence; empty where nobody knows, and before a run has ended."""


def stars_of(record: Record, gold: Sequence[Gold] | None = None) -> Stars:
    """Return the stars among everything that a run has found; `gold` says where the evidence is, else the run does,
    at its end."""
    if gold is None:
        gold = record.baseline.gold if record.baseline else ()
    artefacts = (artefact for _, artefact in record.artefacts)
    chunks = (passage.chunk for passage in passages_in(artefacts) if holds_evidence(gold, passage))
    return frozenset(chunks if gold else ())


def passages_in(value: object) -> Iterator[Passage]:
    """Every passage in artefacts, wherever they keep them."""
    if isinstance(value, Passage):
        yield value
    elif isinstance(value, BaseModel):
        for _, field in value:
            yield from passages_in(field)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        for item in value:
            yield from passages_in(item)


@dataclass(frozen=True)
class Piece:
    """A stretch of a passage's text."""

    text: str
    marked: bool
    """Whether the answer used it."""
    around: bool = False
    """Whether it stands around what the search found."""
    match: bool = False
    """Whether it is the sentence that shares most with what was asked."""
    early: bool = False
    """Whether it is left out while the card is folded."""
    instead: str = ""
    """What stands in its place then."""


@dataclass(frozen=True)
class PassageCard:
    """A passage as it is shown; all text is raw and must not be interpreted."""

    id: str
    rank: str
    title: str
    """Title of the document, after a star where the passage is `starred`."""
    where: str
    score: str
    """Empty: there is none to show."""
    score_name: str
    score_help: str
    pieces: tuple[Piece, ...]
    badge: str = ""
    faint: bool = False
    """Not used by the strategy or not given to the answer."""
    was: str = ""
    """Rank that it had before, where another judge ordered the passages anew."""
    context: str = ""
    """What a model wrote about it for the index."""
    context_by: str = ""
    """Says so, with the model's name."""
    starred: bool = False
    """True if it holds evidence, as far as the question's labels say."""


def passage_card(
    passage: Passage,
    rank: int,
    score: float | None,
    score_name: str,
    *,
    quotes: Sequence[str] = (),
    match: Stretch | None = None,
    badge: str = "",
    faint: bool = False,
    name: str = "",
    was: int | None = None,
    stars: Stars = frozenset(),
) -> PassageCard:
    """A passage with its rank from 1 and its score.

    Args:
        quotes: The words of the passage that the answer used.
        match: The sentence that shares most with what was asked, see `core.cards.matching.matches`; None: none does.
        name: In place of its title, see `names`.
        was: The rank that it had before another judge ordered the passages anew.
    """
    starred = passage.chunk in stars
    cut = pieces(passage.text, quotes, surroundings(passage), match)
    seen = sentences_of(passage.text)
    starts = _starts(cut, seen)
    section = next(
        (sentence.section for sentence in seen if starts and sentence.start <= starts[0] < sentence.end), ""
    )
    return PassageCard(
        id=passage.chunk,
        rank=str(rank),
        title=f"{STAR} {name or passage.title}" if starred else name or passage.title,
        where=where(passage, section, beside=name),
        score="" if score is None else f"{score:.3f}" if abs(score) >= 0.1 else f"{score:.4f}",
        score_name=SHORT_SCORES.get(score_name, score_name),
        score_help=SCORE_HELP.get(score_name, f"The {score_name} that put the passage at this rank."),
        pieces=_folded(cut, starts, seen),
        badge=badge,
        faint=faint,
        was="" if was is None else str(was),
        context=passage.indexed_with.text if passage.indexed_with else "",
        context_by=f"Context for the index, written by {passage.indexed_with.model}"
        if passage.indexed_with
        else "",
        starred=starred,
    )


def quotes_by_chunk(citations: Iterable[Citation]) -> dict[str, list[str]]:
    """Return the words that were cited, by the chunk of their passage."""
    quotes: defaultdict[str, list[str]] = defaultdict(list)
    for citation in citations:
        quotes[citation.chunk].append(citation.quote)
    return quotes


def row_card(row: RankRow | FusedRow, rank: int, name: str, stars: Stars = frozenset()) -> PassageCard:
    """The card of the passage at a rank from 1 of a pool of several searches, faint where it repeats another one."""
    same = says_the_same(row.repeats)
    return passage_card(row.passage, rank, None, "", badge=same, faint=bool(same), name=name, stars=stars)


def says_the_same(place: int | None) -> str:
    """The badge of a passage that gave its place to the one at this rank, such as “says the same as rank 2”; empty
    for None."""
    return "" if place is None else f"says the same as rank {place}"


APART = " · "
"""Stands between a title and what tells it from others, see `names`."""

DETAIL = 12
"""Longest heading that tells passages of one title apart in `named_apart`; where one is longer, their numbers do."""


def names(passages: Iterable[Passage], limit: int = 0) -> dict[str, str]:
    """Return, by chunk, what each passage is called in a list: its title, and where several share one, its page or
    section. `limit` is the longest name in characters, the title being cut first; 0: none."""
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
        passage.chunk: short[passage.chunk].rpartition(APART)[2]
        if called[passage.chunk] != passage.title
        else ""
        for passage in every
    }


def shortened(name: str, letters: int) -> str:
    """A name of `names` of at most so many letters: its title is cut before what tells it from others."""
    title, _, detail = name.rpartition(APART)
    room = letters - len(APART) - len(detail)
    if len(name) <= letters or not title or room < letters // 2:
        return name
    return f"{cut_text(title, room)}{APART}{detail}"


def _details(group: Sequence[Passage], limit: int) -> list[str]:
    """The details that tell passages of one title apart: page, else heading; their numbers where these do not."""
    if len(group) == 1:
        return [""]
    sections = [_section(passage) for passage in group]
    details = []
    for passage, section in zip(group, sections, strict=True):
        number = f"chunk {passage.position + 1}"
        detail = section if sections.count(section) == 1 else f"{section}{APART}{number}"
        details.append(detail if section and not (limit and len(detail) > limit) else number)
    return details


def _section(passage: Passage) -> str:
    """Page or heading of a passage, shortly; empty: it has neither, or the heading is the title."""
    if passage.page is not None:
        return f"p. {passage.page}"
    return passage.heading if passage.heading != passage.title else ""


def _name(title: str, detail: str, limit: int) -> str:
    rest = f"{APART}{detail}" if detail else ""
    room = limit - len(rest)
    return (cut_text(title, room) if limit else title) + rest


SEEN = 120
"""Characters between two sentences that were used up to which they stay in sight while a card is folded."""
LEFT_OUT = "… "
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
SHORT_SCORES = {"cosine similarity": "cosine"}
"""Name of a score -> what it is called beside its number."""


def where(passage: Passage, section: str = "", *, beside: str = "") -> str:
    """Return the place of a passage in its document, under the heading `section` (empty: the passage's own); words
    of the name that stands `beside` it are not said twice."""
    heading = section or passage.heading
    if heading.casefold() == passage.title.casefold():
        heading = ""
    details = beside.split(APART)[1:]
    parts = (
        [f"page {passage.page}"] if passage.page is not None and f"p. {passage.page}" not in details else []
    )
    if heading and heading not in details:
        parts.append(heading)
    first, several = passage.first_position + 1, len(passage.chunks)
    chunks = f"chunk {first}" if several == 1 else f"chunks {first} to {first + several - 1}"
    return APART.join([*parts, *([chunks] if chunks not in details else [])])


def surroundings(passage: Passage) -> list[Stretch]:
    """The parts of a passage's text that the search did not find; none where it found nothing of it."""
    stretches = [
        (span.start - passage.start, span.end - passage.start) for span in passage.spans if span.found
    ]
    borders = [0, *(place for stretch in stretches for place in stretch), len(passage.text)]
    return [
        (start, end)
        for start, end in zip(borders[::2], borders[1::2], strict=True)
        if start < end and stretches
    ]


def pieces(
    text: str, quotes: Iterable[str], around: Iterable[Stretch] = (), match: Stretch | None = None
) -> tuple[Piece, ...]:
    """A text cut where the quotes, what stands around, and the sentence that matches begin and end; a quote that is not
    in it is left out, and where there are quotes, no other sentence is shown to match."""
    used = [place for quote in quotes if (place := _place(quote, text))]
    return _cut(text, used, list(around), [match] if match and not used else [])


def marked_pieces(text: str, marked: Sequence[Stretch]) -> tuple[Piece, ...]:
    """Return a text cut where these stretches of it, which are marked, begin and end."""
    return _cut(text, marked, (), ())


def _cut(
    text: str, used: Sequence[Stretch], others: Sequence[Stretch], near: Sequence[Stretch]
) -> tuple[Piece, ...]:
    stretches = (*used, *others, *near)
    borders = {0, len(text), *(min(max(0, place), len(text)) for pair in stretches for place in pair)}
    parts: list[Piece] = []
    for start, end in pairwise(sorted(borders)):
        piece = Piece(text[start:end], _in(start, used), _in(start, others), _in(start, near))
        if parts and replace(parts[-1], text="") == replace(piece, text=""):
            piece = replace(piece, text=parts.pop().text + piece.text)
        parts.append(piece)
    return tuple(parts)


def _place(quote: str, text: str) -> Stretch | None:
    """Where a quote stands in a text, which may break its lines; None: nowhere."""
    words = quote if quote in text else find_quote(quote, text)
    start = text.find(words)
    return (start, start + len(words)) if words else None


def _starts(cut: Sequence[Piece], seen: Sequence[Sentence]) -> list[int]:
    """Where the sentences begin that a folded card shows: those with words that were used, else the one that matches,
    else the first that was found, in their order."""
    begins, at = [], 0
    for piece in cut:
        begins.append(at)
        at += len(piece.text)
    for wanted in ("marked", "match"):
        if own := [place for place, piece in zip(begins, cut, strict=True) if getattr(piece, wanted)]:
            return sorted({_sentence_start(seen, place) for place in own})
    first = next((place for place, piece in zip(begins, cut, strict=True) if not piece.around), 0)
    return [next((max(first, sentence.start) for sentence in seen if sentence.end > first), first)]


def _sentence_start(seen: Sequence[Sentence], place: int) -> int:
    return next((sentence.start for sentence in seen if sentence.start <= place < sentence.end), place)


def _folded(cut: Sequence[Piece], starts: Sequence[int], seen: Sequence[Sentence]) -> tuple[Piece, ...]:
    """Pieces with what is left out while their card is folded: all before the first sentence that is shown, and between
    two of them what is long."""
    ends = {start: next((s.end for s in seen if s.start <= start < s.end), start) for start in starts}
    out: list[Stretch] = [(0, starts[0])] if starts else []
    for start, following in pairwise(starts):
        if following - ends[start] > SEEN:
            out.append((ends[start], following))
    # A heading is no text that is missed, since the card says it.
    has_words = {
        start: any(sentence.start < end and sentence.end > start for sentence in seen) for start, end in out
    }
    parts: list[Piece] = []
    at = 0
    for piece in cut:
        borders = sorted(
            {0, len(piece.text), *(min(max(0, x - at), len(piece.text)) for s in out for x in s)}
        )
        for start, end in pairwise(borders):
            hidden = next((stretch for stretch in out if stretch[0] <= at + start < stretch[1]), None)
            instead = LEFT_OUT if hidden and at + start == hidden[0] and has_words[hidden[0]] else ""
            parts.append(
                replace(piece, text=piece.text[start:end], early=hidden is not None, instead=instead)
            )
        at += len(piece.text)
    return tuple(parts)


def _in(place: int, stretches: Iterable[Stretch]) -> bool:
    return any(start <= place < end for start, end in stretches)
