"""What a written text shares with retrieved passages, sentence by sentence.

Words in common, names and numbers, and embeddings where they are given: similarity that anyone can check by eye,
not a proof that a sentence is true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.cards.passages import Piece
from core.retrieval.tokens import tokens
from core.skills.sentences import sentences
from core.trace.passages import Passage

Level = Literal["near", "some", "none", "unknown"]

NEAR_WORDS, SOME_WORDS = 0.6, 0.3
"""Share of a sentence's words that one retrieved sentence holds, from which it counts as near, or as somewhat so."""
NEAR_COSINE, SOME_COSINE = 0.75, 0.5
"""Cosine of the two sentences' vectors from which the sentence counts as near, or as somewhat so."""

_WORD = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*")
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those it its he she they we i his her their our my there here in on at as by for "
        "from of to with and or but if when while after before during since although because however also both each "
        "many most some such one two who what which where how",
    )
)


@dataclass(frozen=True)
class Source:
    """A sentence of a retrieved passage."""

    text: str
    title: str


@dataclass(frozen=True)
class SentenceSupport:
    """A sentence and the retrieved one that is nearest to it; all text is raw."""

    pieces: tuple[Piece, ...]
    """The sentence; marked is a name or number that no retrieved passage holds."""
    level: Level
    shared: int
    """Different words, stemmed, that the nearest sentence holds too."""
    words: int
    """Different words of the sentence."""
    cosine: float | None
    nearest: str
    title: str
    """Of the passage that the nearest sentence is from."""


def sources(passages: Sequence[Passage]) -> list[Source]:
    """Every sentence of some passages, in order."""
    return [Source(sentence, passage.title) for passage in passages for sentence in sentences(passage.text)]


def support(
    text: str, passages: Sequence[Passage], cosines: Sequence[Sequence[float]] | None = None
) -> tuple[SentenceSupport, ...]:
    """Each sentence of a text with what supports it.

    Args:
        text: What was written.
        passages: What was retrieved; without any, nothing can be said.
        cosines: For each sentence of the text, its cosine with each of `sources(passages)`; None: words alone count.
    """
    pool = sources(passages)
    known = {word for passage in passages for word in _words(f"{passage.title} {passage.text}")}
    bags = [set(tokens(source.text)) | set(tokens(source.title)) for source in pool]
    found: list[SentenceSupport] = []
    for place, sentence in enumerate(sentences(text)):
        if not pool:
            found.append(SentenceSupport((Piece(sentence, marked=False),), "unknown", 0, 0, None, "", ""))
            continue
        own = set(tokens(sentence))
        shares = [len(own & bag) / len(own) if own else 0.0 for bag in bags]
        likeness = list(cosines[place]) if cosines is not None else None
        best = max(range(len(pool)), key=lambda i: (shares[i] + (likeness[i] if likeness else 0.0), -i))
        marked = unseen(sentence, known)
        cosine = likeness[best] if likeness else None
        found.append(
            SentenceSupport(
                pieces=marked,
                level=_level(shares[best], cosine, strange=any(piece.marked for piece in marked)),
                shared=round(shares[best] * len(own)),
                words=len(own),
                cosine=cosine,
                nearest=pool[best].text if shares[best] or likeness else "",
                title=pool[best].title if shares[best] or likeness else "",
            )
        )
    return tuple(found)


def _level(share: float, cosine: float | None, *, strange: bool) -> Level:
    """Names and numbers come first: a sentence with an unknown one is never near."""
    near = share >= NEAR_WORDS or (cosine is not None and cosine >= NEAR_COSINE)
    if near and not strange:
        return "near"
    return "some" if near or share >= SOME_WORDS or (cosine or 0.0) >= SOME_COSINE else "none"


def unseen(sentence: str, known: set[str]) -> tuple[Piece, ...]:
    """A sentence cut into pieces; marked are names (capitalised words) and numbers that are not `known`.

    The first word of a sentence is capitalised anyway: it counts as a name only if another one follows.
    """
    runs: list[tuple[int, int]] = []
    matches = list(_WORD.finditer(sentence))
    for index, match in enumerate(matches):
        word = match.group()
        following = matches[index + 1].group() if index + 1 < len(matches) else ""
        named = word[0].isupper() and word.casefold() not in _NO_NAMES
        if named and (index > 0 or following[:1].isupper()):
            # Capitalised words that follow one another are one name.
            joins = runs and sentence[runs[-1][1] : match.start()] == " " and sentence[runs[-1][0]].isupper()
            start = runs.pop()[0] if joins else match.start()
            runs.append((start, match.end()))
        elif any(char.isdigit() for char in word):
            runs.append(match.span())
    marked = [(start, end) for start, end in runs if not _words(sentence[start:end]) <= known]
    pieces: list[Piece] = []
    reached = 0
    for start, end in marked:
        pieces += [Piece(sentence[reached:start], marked=False), Piece(sentence[start:end], marked=True)]
        reached = end
    pieces.append(Piece(sentence[reached:], marked=False))
    return tuple(piece for piece in pieces if piece.text)


def _words(text: str) -> set[str]:
    """Words without case, possessive ending and the commas inside numbers; a compound counts by its parts."""
    words: set[str] = set()
    for match in _WORD.finditer(text.casefold()):
        word = re.sub(r"['’]s$", "", match.group())
        if word[0].isdigit():
            words.add(word.replace(",", ""))
        else:
            words.update(filter(None, re.split(r"[.,'’-]", word)))
    return words
