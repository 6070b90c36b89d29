"""Near-duplicates: of two passages of which one holds nearly all sentences of the other, that one gives way.

Corpora hold a page in two versions, a paragraph in two articles, and chunks that lie within others. Each of them takes
a place of the few that an answer is given, and says nothing new. So the passage that holds the other stays, at the
better place of the two; what gives way is marked, and the passage that stays stands for it.

Giving way wrongly loses a fact, staying wrongly costs a place. So the rule is a strict one:

- Sentences are the same if their words, numbers and symbols are, whatever case, white space and punctuation. A row of a
  table is a sentence. A heading and a line that repeats the title are none.
- At least `SHARE` of the letters must stand in the same sentences: all of a chunk but one of seven sentences. Measured
  on MuSiQue, whose paragraphs come from several years' Wikipedia: at 0.9 one pair is missed that differs in “of”, at
  0.7 there are no more, and most pairs above it differ in a figure, so that the next rule keeps them.
- Each sentence beyond must say little: English without a number, a name that the other lacks, a negation, or a word
  that binds or limits (`_WEIGHTY`). Words of other languages are not known in this module, so there each one counts.
- A short passage leans on its title (“It opens at nine.”): below `LEAST` letters none gives way, and below
  `LEAST_APART` only to one of the same title and heading.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from core.corpora.rows import row_cells
from core.corpora.sentence_spans import segments, without_false_borders
from core.retrieval.tokens import CJK, STOP_WORDS, word_set
from core.trace.artefacts import FusedRow, Ranking, RankRow
from core.trace.passages import Hit, Passage

SHARE = 0.85
"""Of the letters of a passage that stand in the same sentences of the other."""
LEAST, LEAST_APART = 40, 160
"""Letters of a passage that may give way: one sentence of some length, or three where title or heading differ."""
_DEEPER = 3
"""Number of times that a search is made twice as deep, where too many of its hits repeat others."""
_LETTERS_OF_CJK = 3
"""As many letters of an alphabet does a character of Han, kana or Hangul stand for."""

T = TypeVar("T")
Row = TypeVar("Row", RankRow, FusedRow)
Marked = TypeVar("Marked", Hit, RankRow, FusedRow)
Words = tuple[str, ...]

_NUMBER = re.compile(r"(?:(?<![^\s(])[+−-])?\d(?:[\d.,:/−-]*\d)?[%‰]?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_ENGLISH = word_set("the is are and of to with their this these it its")
"""Without any of them, a sentence is not taken for English."""
_PRONOUNS = word_set("he she we you his her its our your")
_WEIGHTY = word_set(
    "no not never none nor neither nobody nothing nowhere cannot t without except unless only but however if must may "
    "might shall should can could would will than less more fewer most least all any every each some both before after "
    "until since always rarely former formerly longer one two three four five six seven eight nine ten eleven twelve "
    "twenty hundred thousand million billion first second third half twice once"
)
"""Numbers, negations (“t” is that of “don't”), and what binds or limits: with another of them a rule is another one."""


class _Blanks(dict[int, int | str | None]):
    """Maps punctuation and white space to a blank, and what has no shape to nothing; looks each character up once."""

    def __missing__(self, code: int) -> int | str | None:
        category = unicodedata.category(chr(code))
        self[code] = None if category == "Cf" else " " if category[0] in "PZC" else code
        return self[code]


_BLANKS = _Blanks()


@dataclass(frozen=True)
class _Content:
    """The sentences of a passage."""

    names: tuple[Words, Words]
    """Its title and the heading above it."""
    sentences: dict[Words, str]
    """The words of each different sentence -> the sentence as it is written."""
    words: frozenset[str]
    """All of them, with those of the names."""
    letters: int


def holders(passages: Sequence[Passage]) -> list[int | None]:
    """Return, for each passage, best first, the place (from 0) of the one that it gives way to; None: it stays.

    One that gives way does so to the best one that stays. Of equal ones the first stays; where each of two holds nearly
    all of the other, the longer one.
    """
    contents = [_content(passage.title, passage.heading, passage.text) for passage in passages]
    holder: list[int | None] = [None] * len(contents)
    holding: dict[Words, list[int]] = defaultdict(list)
    often = Counter(sentence for content in contents for sentence in content.sentences)
    # What holds a passage has as many letters at least, up to those that may be missing.
    for place in sorted(range(len(contents)), key=lambda place: (-contents[place].letters, place)):
        content = contents[place]
        others = {at for sentence in _rare(content, often) for at in holding[sentence]}
        holder[place] = min((at for at in others if _holds(contents[at], content)), default=None)
        if holder[place] is None:
            for sentence in content.sentences:
                holding[sentence].append(place)
    return holder


def mark_repeats(ranking: Ranking) -> Ranking:
    """Return the ranking with its repeats marked, and with what each hit stands for; the order and the scores stay."""
    places = holders([hit.passage for hit in ranking.hits])
    if not any(hit.repeats for hit in ranking.hits) and all(at is None for at in places):
        return ranking
    return ranking.model_copy(update={"hits": tuple(_with_marks(ranking.hits, places))})


async def deep_enough(search: Callable[[int], Awaitable[list[Ranking]]], k: int, depth: int) -> list[Ranking]:
    """Return rankings with their repeats marked, from a deeper search where repeats would cost places of `k`.

    Args:
        search: By how deep it searches: that, or k where that is more.
        depth: Of the first search.
    """
    for deep in (depth, *(max(k, depth) << step for step in range(1, _DEEPER + 1))):
        rankings = [await asyncio.to_thread(mark_repeats, ranking) for ranking in await search(deep)]
        if all(len(ranking.used) >= k or len(ranking.hits) < max(k, deep) for ranking in rankings):
            break
    return rankings


def without_marks(ranking: Ranking) -> Ranking:
    """Return the ranking without marks, so that each of its hits is used again."""
    return ranking.model_copy(
        update={"hits": tuple(hit.model_copy(update={"repeats": None}) for hit in ranking.hits)}
    )


def mark_row_repeats(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a pool, best first, with the repeats marked, and with what each passage stands for."""
    return _with_marks(rows, holders([row.passage for row in rows]))


def _with_marks(ranked: Sequence[Marked], places: Sequence[int | None]) -> list[Marked]:
    standing = _with_repeats([row.passage for row in ranked], places)
    return [
        row.model_copy(update={"repeats": None if at is None else at + 1, "passage": passage})
        for row, at, passage in zip(ranked, places, standing, strict=True)
    ]


def without_repeats(ranked: Iterable[tuple[Passage, T]]) -> list[tuple[Passage, T]]:
    """Return the passages that several searches found, best first, without repeats, each with what belongs to it, such
    as its score. One that holds another takes the better place of both; a chunk that comes again is left out."""
    first: dict[str, tuple[Passage, T]] = {}
    for passage, own in ranked:
        known = first.setdefault(passage.chunk, (passage, own))
        first[passage.chunk] = known[0].standing_for([passage]), known[1]
    unique = list(first.values())
    places = holders([passage for passage, _ in unique])
    standing = _with_repeats([passage for passage, _ in unique], places)
    order = dict.fromkeys(place if at is None else at for place, at in enumerate(places))
    return [(standing[place], unique[place][1]) for place in order]


def holder_of(pool: Sequence[Passage], passage: Passage) -> int | None:
    """Return the place (from 0) in a pool of a passage that holds nearly all of another one.

    For pools whose passages were cited by their numbers, so that none can give way any more.
    """
    return holders([*pool, passage])[-1]


def _with_repeats(passages: Sequence[Passage], places: Sequence[int | None]) -> list[Passage]:
    """Return the passages, each standing for those that gave way to it."""
    repeats: dict[int, list[Passage]] = defaultdict(list)
    for passage, at in zip(passages, places, strict=True):
        if at is not None:
            repeats[at].append(passage)
    return [
        passage.standing_for(repeats[place]) if place in repeats else passage
        for place, passage in enumerate(passages)
    ]


def _rare(content: _Content, often: Counter[Words]) -> Iterator[Words]:
    """Yield the sentences of a passage, the rarest first, until what is left is not enough: what holds the passage has
    one of them, so that a sentence which all have (the footer of a site) leads to no comparison of all with all."""
    left = content.letters
    for sentence in sorted(content.sentences, key=lambda sentence: often[sentence]):
        if left < SHARE * content.letters:
            return
        yield sentence
        left -= _letters(sentence)


def _holds(holder: _Content, content: _Content) -> bool:
    """Return True if a passage holds nearly all of another one, and that may give way."""
    if content.letters < (LEAST if content.names == holder.names else LEAST_APART):
        return False
    beyond = content.sentences.keys() - holder.sentences.keys()
    if sum(map(_letters, beyond)) > (1 - SHARE) * content.letters:
        return False
    return all(_says_little(content.sentences[words], words, holder) for words in beyond)


def _says_little(sentence: str, words: Words, holder: _Content) -> bool:
    """Return True if nothing is lost with a sentence that the other passage lacks."""
    if _WEIGHTY.intersection(words) or not _ENGLISH.intersection(words):
        return False
    if not sentence.isascii() or any(map(str.isdigit, sentence)):
        return False
    # The first word has a capital in any case, so what is no common one may be a name.
    names = {words[0]} - STOP_WORDS - _PRONOUNS
    for part in sentence.split()[1:]:
        names.update(_words(part) if part != part.casefold() else ())
    return names <= holder.words


@lru_cache(maxsize=4096)
def _content(title: str, heading: str, text: str) -> _Content:
    names, sentences = (_words(title), _words(heading)), dict[Words, str]()
    for line in without_false_borders(text).splitlines():
        if _HEADING.match(line) or _words(line) in names:
            continue
        for part in [line] if row_cells(line) else segments(line):
            if words := _words(part):
                sentences.setdefault(words, part)
    all_words = frozenset(word for words in (*sentences, *names) for word in words)
    return _Content(names, sentences, all_words, sum(map(_letters, sentences)))


def _words(text: str) -> Words:
    """Return the words, numbers and symbols of a text."""
    folded, parts, at = unicodedata.normalize("NFKC", text).casefold(), list[str](), 0
    for number in _NUMBER.finditer(folded):
        parts += folded[at : number.start()].translate(_BLANKS).split()
        parts.append(number[0])
        at = number.end()
    return (*parts, *folded[at:].translate(_BLANKS).split())


@lru_cache(maxsize=16384)
def _letters(words: Words) -> int:
    """Return the letters of a sentence, characters of East Asian scripts for as many as they stand for."""
    joined = "".join(words)
    dense = sum(map(len, CJK.findall(joined)))
    return sum(map(str.isalpha, joined)) + (_LETTERS_OF_CJK - 1) * dense
