"""Cutting a document into chunks by the embedding model's own tokens, at sentence and paragraph borders."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

import regex
from semantic_text_splitter import TextSplitter

from core.corpora.documents import Document
from core.corpora.entries import DEFAULT_CHUNK_TOKENS, DEFAULT_OVERLAP_TOKENS, SENTENCES
from core.corpora.sentence_spans import sentence_spans, without_false_borders
from core.trace.passages import Passage, chunk_id

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SECTION = 200_000
"""Number of characters split at a time, so that splitting a large file can be stopped in between."""
_CHARACTERS_PER_TOKEN = 20
"""No language needs more; a longer chunk is one unbroken word (Base64, say), counted as one unknown token."""
_TOKENS_PER_CHARACTER = 4
"""At most: WordPiece takes a Hangul syllable apart into three letters, byte-level tokenizers know four bytes."""
_LARGEST_TITLE = 0.25
"""Share of a chunk's tokens that a title may take when it is embedded with the text."""
_STEP = 8
"""Capacities are multiples of this number, so that documents with titles of different lengths share a splitter."""
_PARAGRAPH = re.compile(r"\n\s*\n")
_SEEN_AS_ONE = regex.compile(r"\X")
"""A grapheme cluster (Unicode Standard Annex #29)."""
_LOOK_AHEAD = 64
"""Characters after a cut that say whether the one before it goes on."""
_AFTER_HEADING = re.compile(r"(?<!\s)\s*\n\s*")


def sizes_text(chunk: int, overlap: int) -> str:
    """Return the way in which documents are cut, in words that follow “chunk” or “chunks”."""
    if chunk == SENTENCES:
        return "of one sentence each"
    return f"of at most {chunk} tokens, {overlap} shared with the next"


def embedded_text(title: str, text: str, context: str = "") -> str:
    """Return the text that is embedded and indexed for a passage: its document's own title, if any, what a model wrote
    about it for the index, if anything, and its text."""
    return "\n\n".join(filter(None, (title, context, text)))


def fitting_text(title: str, passage: Passage, tokenizer: Tokenizer, max_tokens: int) -> str:
    """Return the text that is embedded for a passage, with as much of its context as the embedding model reads besides
    its title and text. The text comes last, so without this its end would be lost."""
    if passage.indexed_with is None:
        return embedded_text(title, passage.text)
    used = len(tokenizer.encode(embedded_text(title, "\n\n" + passage.text)).ids)
    context = first_tokens(passage.indexed_with.text, max_tokens - used, tokenizer)
    return embedded_text(title, passage.text, context)


def first_tokens(text: str, count: int, tokenizer: Tokenizer) -> str:
    """Return the beginning of a text that has at most this many tokens; empty where the number is below 1."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    if len(encoding.ids) <= count:
        return text
    return text[: encoding.offsets[count - 1][1]] if count > 0 else ""


def short_title(title: str, tokenizer: Tokenizer, max_tokens: int) -> str:
    """Return the title, cut to a quarter of `max_tokens` so that it leaves room for the text."""
    return first_tokens(title, int(max_tokens * _LARGEST_TITLE), tokenizer)


@dataclass(frozen=True)
class Splitter:
    """Cuts documents for one embedding model."""

    tokenizer: Tokenizer
    """The embedding model's, without truncation."""
    max_tokens: int
    """Most tokens that the embedding model reads, special ones included. A chunk with its title never has more, however
    large `chunk_tokens` is."""
    chunk_tokens: int = DEFAULT_CHUNK_TOKENS
    """Intended size, in tokens, or `SENTENCES`."""
    overlap_tokens: int = DEFAULT_OVERLAP_TOKENS
    """Most tokens of a chunk's end that the next chunk repeats, in whole sentences."""

    def split(self, document: Document) -> Iterator[Passage]:
        """Yield the document's chunks in order; each one's text is `document.text[start:end]`."""
        title = short_title(document.title, self.tokenizer, self.max_tokens)
        overhead = len(self.tokenizer.encode(embedded_text(title, "")).ids)
        room = (self.max_tokens - overhead) // _STEP * _STEP
        capacity = max(1, min(self.chunk_tokens or room, room))
        splitter = _splitter(self.tokenizer, capacity, min(self.overlap_tokens, capacity // 2))
        headings = [offset for offset, _ in document.headings]
        below = _below(document.text, headings)
        longest = capacity * _CHARACTERS_PER_TOKEN
        if self.chunk_tokens == SENTENCES:
            spans = _sentences(document.text, headings, splitter, capacity, longest)
        else:
            spans = _spans(document.text, headings, splitter, longest)
        for position, (start, end) in enumerate(spans):
            place = below.get(start, start)
            yield Passage(
                chunk=chunk_id(document.id, position),
                document=document.id,
                title=document.title or document.name,
                text=document.text[start:end],
                position=position,
                start=start,
                end=end,
                page=document.page_at(start),
                heading=document.heading_at(place if place < end else start),
            )


@lru_cache(maxsize=16)
def _splitter(tokenizer: Tokenizer, capacity: int, overlap: int) -> TextSplitter:
    # Making one copies the whole vocabulary, which takes longer than splitting a short document.
    return TextSplitter.from_huggingface_tokenizer(tokenizer, capacity, overlap=overlap)


def _spans(
    text: str, headings: Sequence[int], splitter: TextSplitter, longest: int
) -> Iterator[tuple[int, int]]:
    for begin, finish in _sections(text):
        inner = [offset - begin for offset in headings if begin <= offset < finish]
        spread, added = _spread(without_false_borders(text[begin:finish]), inner)
        for offset, chunk in splitter.chunk_indices(spread):
            first, last = (begin + at - bisect_left(added, at) for at in (offset, offset + len(chunk)))
            yield from _pieces(text, first, last, longest)


def _sentences(
    text: str, headings: Sequence[int], splitter: TextSplitter, capacity: int, longest: int
) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a text; one that is too long for the embedding model is cut."""
    for begin, finish in _sections(text):
        inner = {offset - begin for offset in headings if begin <= offset < finish}
        for start, end in sentence_spans(text[begin:finish], inner):
            first, last = begin + start, begin + end
            if (last - first) * _TOKENS_PER_CHARACTER <= capacity:
                yield first, last
            else:
                yield from _cut(text, first, last, splitter, longest)


def _cut(text: str, first: int, last: int, splitter: TextSplitter, longest: int) -> Iterator[tuple[int, int]]:
    for offset, chunk in splitter.chunk_indices(text[first:last]):
        end = first + offset + len(chunk)
        yield from _pieces(text, first + offset, end, longest)


def _pieces(text: str, first: int, last: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield spans of at most `longest` characters; none begins within what a reader sees as one character."""
    while last - first > longest:
        end = _whole(text, first, first + longest)
        yield first, end
        first = end
    yield first, last


def _whole(text: str, first: int, end: int) -> int:
    """Return the last border of a character as a reader sees it, such as a letter with its marks or a joined emoji, up
    to `end`; `end` itself where a single one reaches over all."""
    if end == len(text) or (text[end - 1 : end + 1].isascii() and text[end - 1 : end + 1] != "\r\n"):
        return end
    borders = (match.end() for match in _SEEN_AS_ONE.finditer(text, first, end + _LOOK_AHEAD))
    return max(takewhile(lambda border: border <= end, borders), default=end)


def _spread(text: str, headings: Sequence[int]) -> tuple[str, list[int]]:
    """Return the text with one more line end before each heading that ends a text, and where these are; where a text
    follows a heading, no line ends between them.

    Splitters like best to cut at the longest run of line ends. Without this every third chunk of a text with many
    headings ends with the heading of the next, and a title above a first heading is a chunk of its own.
    """
    before, *parts = (text[start:end] for start, end in pairwise([0, *headings, len(text)]))
    bare = list(map(_alone, parts))
    spread, added, ended = [before], list[int](), bool(before.strip())
    for offset, part, alone, next_alone in zip(headings, parts, bare, [*bare, False][1:], strict=True):
        if ended:
            added.append(offset + len(added))
            spread.append("\n")
        ended = not alone
        spread.append(
            part
            if alone and next_alone
            else _AFTER_HEADING.sub(lambda ends: " " * len(ends[0]), part, count=1)
        )
    return "".join(spread), added


def _below(text: str, headings: Sequence[int]) -> dict[int, int]:
    """Return the offset of each heading that another one follows at once -> the last of them, which has the text."""
    last: dict[int, int] = {}
    for offset, following in reversed(list(pairwise(headings))):
        if _alone(text[offset:following]):
            last[offset] = last.get(following, following)
    return last


def _alone(part: str) -> bool:
    """Return True if a heading, with what stands below it, is the heading only."""
    return "\n" not in part.strip()


def _sections(text: str) -> Iterator[tuple[int, int]]:
    """Yield spans of at most `_SECTION` characters that end at a paragraph, a line or a word if possible."""
    borders = [match.start() for match in _PARAGRAPH.finditer(text)]
    begin = 0
    while len(text) - begin > _SECTION:
        limit = begin + _SECTION
        index = bisect_right(borders, limit) - 1
        finish = borders[index] if index >= 0 else 0
        if finish <= begin + _SECTION // 2:
            finish = max(text.rfind("\n", begin + 1, limit), text.rfind(" ", begin + 1, limit))
        if finish <= begin:
            finish = _whole(text, begin, limit)
        yield begin, finish
        begin = finish
    yield begin, len(text)
