"""Passages and hits: what retrieval returns and everything else points at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import not_
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """Immutable value; unknown fields are refused so that an imported run cannot smuggle any in."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def is_none(value: object) -> bool:
    """True if a field has no value: such a field is then left out of what is stored."""
    return value is None


class Span(Frozen):
    """Where a chunk lies in a passage of several."""

    chunk: str
    """Its id."""
    start: int = Field(ge=0)
    """Its first character in the document's text."""
    end: int = Field(ge=0)
    """One past its last character."""
    found: Annotated[bool, Field(exclude_if=not_)] = False
    """Whether the search found it; else it is there because of what stands around."""


class ChunkContext(Frozen):
    """The context that a model wrote for a chunk, for the index; no part of its text, and given to no answer."""

    text: str
    model: str
    """Its name."""


class Repeat(Frozen):
    """A chunk of which a passage holds nearly all sentences, so that it needs no place of its own."""

    chunk: str
    """Its id."""
    document: str
    """Id of its document."""


class Passage(Frozen):
    """One chunk of a document, or several that follow one another; self-contained so that a stored run can be drawn
    without its corpus."""

    chunk: str
    """Stable id: document hash and position. Of several chunks, the one that was found best, else the first."""
    document: str
    """Id of the document (hash of its content)."""
    title: str
    """Document title or file name, as the user knows it."""
    text: str
    position: int = Field(ge=0)
    """Index of the chunk in its document, from 0."""
    start: int = Field(ge=0)
    """First character of the chunk in the document's text."""
    end: int = Field(ge=0)
    """One past the last character."""
    page: int | None = None
    """Page number from 1, where the format has pages."""
    heading: str = ""
    """Nearest heading above the chunk, where the format has headings."""
    left_out: Annotated[tuple[str, ...], Field(exclude_if=not_)] = ()
    """Strips of the chunk that are not in `text`, since a strategy gives only the others; empty: it is the chunk."""
    indexed_with: Annotated[ChunkContext | None, Field(exclude_if=not_)] = None
    """The context that it is searched with besides its title and text; None: it has none."""
    spans: Annotated[tuple[Span, ...], Field(exclude_if=not_)] = ()
    """The chunks that it was put together from, in their order; empty: it is one chunk as it was cut. `position`,
    `page` and `heading` are then those of `chunk`, all else is of the whole."""
    stands_for: Annotated[tuple[Repeat, ...], Field(exclude_if=not_)] = ()
    """What gave its place to it, see `core.retrieval.repeats`; what that says was found with it."""

    @property
    def chunks(self) -> tuple[str, ...]:
        """Ids of all chunks that it holds."""
        return tuple(span.chunk for span in self.spans) or (self.chunk,)

    @property
    def first_position(self) -> int:
        """Position of its first chunk."""
        return max(0, self.position - (self.chunks.index(self.chunk) if self.chunk in self.chunks else 0))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all chunks that it holds or stands for: by any of them a citation may know it."""
        return (*self.chunks, *(repeat.chunk for repeat in self.stands_for))

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of its document and of those of what it stands for, each once."""
        return tuple(dict.fromkeys((self.document, *(repeat.document for repeat in self.stands_for))))

    def standing_for(self, others: Iterable[Self]) -> Self:
        """It, standing for other passages, too, and for what they stand for."""
        known = {repeat.chunk: repeat for repeat in self.stands_for}
        for other in others:
            for repeat in (Repeat(chunk=other.chunk, document=other.document), *other.stands_for):
                if repeat.chunk != self.chunk:
                    known.setdefault(repeat.chunk, repeat)
        return self.model_copy(update={"stands_for": tuple(known.values())})

    def apart(self) -> tuple[Self, ...]:
        """Its chunks as passages of their own."""
        if not self.spans:
            return (self,)
        return tuple(
            self.model_copy(
                update={
                    "chunk": span.chunk,
                    "text": self.text[max(0, span.start - self.start) : max(0, span.end - self.start)],
                    "position": self.first_position + place,
                    "start": span.start,
                    "end": span.end,
                    "indexed_with": self.indexed_with if span.chunk == self.chunk else None,
                    "spans": (),
                    "stands_for": self.stands_for if span.chunk == self.chunk else (),
                }
            )
            for place, span in enumerate(self.spans)
        )


class Hit(Frozen):
    """A passage in one ranking."""

    rank: int = Field(ge=1)
    score: float
    passage: Passage
    before: Annotated[int | None, Field(ge=1, exclude_if=lambda rank: rank is None)] = None
    """Rank that the search gave it, where another judge ordered its hits anew; None, and left out: none did."""
    repeats: Annotated[int | None, Field(ge=1, exclude_if=lambda rank: rank is None)] = None
    """Place in the ranking, from 1, of the hit that holds nearly all of its sentences, and takes the better place of
    both; None, and left out: there is none."""


def chunk_id(document: str, position: int) -> str:
    """Id of a chunk from that of its document and its place in it."""
    return f"{document}-{position}"


def numbers_of(passages: Sequence[Passage]) -> dict[str, int]:
    """Chunk -> number, from 1, of the passage that holds it; else of one that stands for it."""
    behind = {
        repeat.chunk: number for number, passage in enumerate(passages, 1) for repeat in passage.stands_for
    }
    return behind | {chunk: number for number, passage in enumerate(passages, 1) for chunk in passage.chunks}


def text_of(chunks: Iterable[Passage], length: int = 0) -> str:
    """The text of a document, or of a part of it, from the chunks in it; what overlapping chunks share comes once.

    Chunks are exact spans of the text, with nothing but white space between them. Only the length of that white space
    is known: one character becomes a blank, more become an empty line. All offsets stay as they were. The chunks are in
    their order, and the part begins at the character `length` of the document.
    """
    parts: list[str] = []
    for chunk in chunks:
        parts.append(gap(chunk.start - length))
        parts.append(chunk.text[max(0, length - chunk.start) :])
        length = max(length, chunk.end)
    return "".join(parts)


def gap(length: int) -> str:
    """White space of this length, none below 1; see `text_of`."""
    return " " if length == 1 else "\n" * length


def merged(chunks: Sequence[Passage], best_first: Sequence[str]) -> Passage:
    """At least one chunk of a document, or several that follow one another, as one passage; `best_first` are the ids of
    those that a search found, and the passage has the id of the best."""
    own = {chunk.chunk: chunk for chunk in chunks}
    known = next((own[key] for key in best_first if key in own), chunks[0])
    return known.model_copy(
        update={
            "text": text_of(chunks, chunks[0].start),
            "start": chunks[0].start,
            "end": max(chunk.end for chunk in chunks),
            "stands_for": tuple(dict.fromkeys(repeat for chunk in chunks for repeat in chunk.stands_for)),
            "spans": tuple(
                Span(chunk=chunk.chunk, start=chunk.start, end=chunk.end, found=chunk.chunk in best_first)
                for chunk in chunks
            ),
        }
    )
