"""Where the evidence for a question is: a document, and the words that say it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from operator import not_
from typing import Annotated, NamedTuple

from pydantic import Field

from core.trace.passages import Frozen, Passage
from core.wording import shortened

MAX_QUOTE = 2000
MAX_CHUNKS = 1000
_NAMED_CHARS = 60


class Gold(Frozen):
    """One piece of evidence, and where it is."""

    document: str
    """Id of the document."""
    title: str
    quote: Annotated[str, Field(max_length=MAX_QUOTE, exclude_if=not_)] = ""
    """The words that say it; empty: only the document is known."""
    chunks: Annotated[tuple[str, ...], Field(max_length=MAX_CHUNKS, exclude_if=not_)] = ()
    """Ids of all chunks that hold it, in whatever document; empty: any passage of the document counts.

    Both are left out of files where they are empty, so that earlier versions can read them.
    """

    @property
    def name(self) -> str:
        """The title, and in brackets the beginning of the words, since one document may hold several pieces."""
        title, words = self.title or "Untitled", shortened(self.quote, _NAMED_CHARS)
        return f"{title} (“{words}”)" if words else title

    def found_in(self, passage: Passage) -> bool:
        """True if it stands in the chunks of a passage, where chunks are known; else, in its document. Or in what gave
        its place to the passage, where that has the words of the quote, too."""
        if not self.chunks:
            return self.document in (passage.document, *(repeat.document for repeat in passage.stands_for))
        if any(chunk in self.chunks for chunk in passage.chunks):
            return True
        behind = any(repeat.chunk in self.chunks for repeat in passage.stands_for)
        return behind and _bare(self.quote) in _bare(passage.text)

    def held_by(self, passage: Passage) -> bool:
        """True if a passage holds it, and none of its words are among the strips that were left out."""
        return self.found_in(passage) and not any(_share(self.quote, strip) for strip in passage.left_out)

    def lost_from(self, passage: Passage) -> bool:
        """True if it was lost when a passage was refined into strips."""
        return self.found_in(passage) and not self.held_by(passage)


class Known(NamedTuple):
    """The labels of a question, as far as they are known."""

    gold: tuple[Gold, ...] = ()
    """The evidence; empty: it has none, or none is known."""
    answers: tuple[str, ...] = ()
    """Right answers, each as good as another; empty: none is known."""


def pieces_held(gold: Iterable[Gold], passages: Collection[Passage]) -> int:
    """How many pieces of evidence any of these passages holds."""
    return sum(any(piece.held_by(passage) for passage in passages) for piece in gold)


def holds_evidence(gold: Iterable[Gold], passage: Passage) -> bool:
    """True if a passage holds any of the evidence."""
    return any(piece.held_by(passage) for piece in gold)


def _bare(text: str) -> str:
    """The letters and figures of a text."""
    return "".join(filter(str.isalnum, text.casefold()))


def _share(quote: str, strip: str) -> bool:
    """True if a quote lies within a strip, or a strip within a quote, whatever blanks are between their words."""
    quoted, cut = "".join(quote.split()), "".join(strip.split())
    return bool(quoted and cut) and (quoted in cut or cut in quoted)
