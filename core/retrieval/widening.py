"""Reads what stands around hits, or all documents from the first on, as far as they may fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count as counting_on
from itertools import islice
from typing import TYPE_CHECKING

from core.corpora.entries import Entry
from core.corpora.filtering import Where
from core.retrieval.corpus import SearchableCorpus
from core.retrieval.fitting import (
    COUNTED,
    LONGEST_TOKEN,
    Count,
    Fitted,
    Widening,
    around,
    cost_of,
    counting,
    fitted,
)
from core.trace.passages import Hit, Passage, chunk_id, merged

if TYPE_CHECKING:
    from core.models.embeddings import Embedder

_PAGE = 500
"""Documents of the catalogue, or chunks of one of them, that are read together."""
_USUAL_TOKEN = 4
"""Characters; by it is guessed how many documents are worth reading at once."""


class Widener:
    """Widens what is found in one corpus. Reading and counting block."""

    def __init__(self, corpus: SearchableCorpus, embedder: Embedder, where: Where = ()) -> None:
        self._corpus = corpus
        self._where = where
        self._embedder = embedder

    def widen(self, hits: Sequence[Hit], used: int, how: Widening) -> Fitted:
        """Hits with what stands around them.

        Args:
            hits: Best first.
            used: How many of them are to be given.
            how: What is given, and how much.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        found, sizes, large = [hit.passage for hit in hits[:used]], dict[str, int](), set[str]()
        if how.give == "documents":
            documents = list(dict.fromkeys(passage.document for passage in found))
            for entry in self._corpus.catalogue.entries(self._corpus.corpus.id, documents):
                sizes[entry.id] = entry.chunks
                if _too_large(entry, how.most_tokens):
                    large.add(entry.id)
        wanted = {
            chunk_id(hit.document, place)
            for hit in found
            if hit.document not in large
            for place in around(hit, how, sizes.get(hit.document, 0))
        }
        return fitted(hits, used, self._read(wanted), large, how, counting(self._embedder.token_count))

    def everything(self, most_tokens: int) -> Fitted:
        """All documents in the order of their names, each a passage, until the next one does not fit.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        count, left, given = counting(self._embedder.token_count), most_tokens, list[Passage]()
        for passage in self._documents(most_tokens):
            cost = cost_of(passage, count)
            if cost > left:
                break
            given.append(passage)
            left -= cost
        if not given:
            return self._beginning(most_tokens, count)
        total = len(self._corpus.matching(self._where))
        what = f"of {total:,} documents the first {len(given):,} by name, as many as fit into {most_tokens:,}"
        if len(given) == total:
            what = "the only document" if total == 1 else f"all {total:,} documents"
        note = f"{most_tokens - left:,} tokens: {what}. {COUNTED}"
        return Fitted(tuple((passage, None) for passage in given), (), note)

    def _documents(self, most_tokens: int) -> Iterator[Passage]:
        """Documents in the order of their names, each a passage, until one is certainly too large. Many are read at
        once while their characters leave no doubt that they are needed, and then one by one."""
        entries, left = self._in_order(), most_tokens * _USUAL_TOKEN
        entry = next(entries, None)
        while entry is not None and not _too_large(entry, most_tokens):
            batch = [entry]
            left -= entry.characters
            while (entry := next(entries, None)) is not None and entry.characters <= left:
                batch.append(entry)
                left -= entry.characters
            yield from self._whole(batch)

    def _whole(self, entries: Iterable[Entry]) -> Iterator[Passage]:
        ids = {entry.id: [chunk_id(entry.id, place) for place in range(entry.chunks)] for entry in entries}
        read = {chunk.chunk: chunk for chunk in self._read([one for own in ids.values() for one in own])}
        for own in ids.values():
            if chunks := [read[one] for one in own if one in read]:
                yield merged(chunks, ())

    def _beginning(self, most_tokens: int, count: Count) -> Fitted:
        """As many chunks of the first document as fit, one at least; nothing where there is no document."""
        given: list[Passage] = []
        cost = 0
        for chunk in self._first_document():
            seen = given[-1].end if given else chunk.start
            # The title is counted once, and what the chunk shares with the one before it not again.
            more = count(chunk.text[max(0, seen - chunk.start) :]) if given else cost_of(chunk, count)
            if given and cost + more > most_tokens:
                break
            given.append(chunk)
            cost += more
        if not given:
            return Fitted((), (), "")
        note = (
            f"{cost:,} tokens: the beginning of the first document by name, which does not fit whole into "
            f"{most_tokens:,}. {COUNTED}"
        )
        return Fitted(((merged(given, ()), None),), (), note)

    def _first_document(self) -> Iterator[Passage]:
        for entry in islice(self._in_order(), 1):
            for start in range(0, entry.chunks, _PAGE):
                places = range(start, min(start + _PAGE, entry.chunks))
                read = self._read(chunk_id(entry.id, place) for place in places)
                yield from sorted(read, key=lambda chunk: chunk.position)

    def _in_order(self) -> Iterator[Entry]:
        """All documents that may be searched, by name; with a filter only those that match."""
        chosen = self._corpus.matching(self._where) if self._where else None
        for offset in counting_on(0, _PAGE):
            page = self._corpus.catalogue.documents(self._corpus.corpus.id, offset, _PAGE)
            yield from (entry for entry in page if entry.ready and (chosen is None or entry.id in chosen))
            if len(page) < _PAGE:
                return

    def _read(self, ids: Iterable[str]) -> list[Passage]:
        """The chunks with these ids that may be searched at the moment."""
        ready = self._corpus.snapshot().documents
        return [one for one in self._corpus.chunks.chunks(list(ids)).values() if one.document in ready]


def _too_large(entry: Entry, most_tokens: int) -> bool:
    """Whether a document has more tokens than these however they are counted, so that it need not be read."""
    return entry.characters > most_tokens * LONGEST_TOKEN
