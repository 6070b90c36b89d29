"""Small to big: hits with what stands around them, or documents from the first on, as far as they fit into a number of
tokens.

After the sentence windows and parent documents of LlamaIndex and LangChain: what is searched may be small, and what is
given large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby, islice
from itertools import count as counting_on
from math import ceil
from typing import TYPE_CHECKING, Literal

from core.trace.passages import Hit, Passage, chunk_id, merged
from core.wording import counted

if TYPE_CHECKING:  # strategies read the options at every start
    from core.corpora.entries import DocumentEntry
    from core.corpora.filtering import Where
    from core.models.embeddings import Embedder
    from core.retrieval.corpus import SearchableCorpus

Give = Literal["passages", "surroundings", "documents", "everything"]
Count = Callable[[str], int]
"""Text -> its number of tokens."""

LONGEST_TOKEN = 20
"""Characters; no language needs more. What is longer is one unbroken word (Base64, say), an unknown token."""


@dataclass(frozen=True)
class Widening:
    """The passages that are given around each hit."""

    give: Give = "surroundings"
    neighbours: int = 1
    """Chunks on either side, where surroundings are given."""
    most_tokens: int = 3000


@dataclass(frozen=True)
class Selection:
    """Passages that fit, best first."""

    given: tuple[tuple[Passage, float | None], ...]
    """Passages with the score of their best hit."""
    rest: tuple[Hit, ...]
    """Hits that are in none of them."""
    note: str
    """Sentences about the tokens that it takes, and about passages that did not fit."""


def counting(tokenizer: Count) -> Count:
    """Return a function that counts tokens as a tokenizer does, each text once, and long words for more than one."""

    @cache
    def count(text: str) -> int:
        return max(tokenizer(text), ceil(len(text) / LONGEST_TOKEN))

    return count


def cost_of(passage: Passage, count: Count) -> int:
    """Return the tokens of a passage as an answer is given it, with its title."""
    return count(f"{passage.title}\n{passage.text}")


def around(hit: Passage, how: Widening, document_chunks: int) -> range:
    """Return the positions of the chunks that a hit is given with, in a document of `document_chunks`."""
    if how.give == "documents":
        return range(max(document_chunks, hit.position + 1))
    return range(max(0, hit.position - how.neighbours), hit.position + how.neighbours + 1)


def fit(
    hits: Sequence[Hit],
    used: int,
    chunks: Iterable[Passage],
    missing: Collection[str],
    how: Widening,
    count: Count,
) -> Selection:
    """Return all hits, and then each widened by what stands around it, the best first, if that still fits.

    Args:
        used: How many of them are to be given; the first one always is.
        chunks: The chunks around them, as far as they are there.
        missing: Ids of documents that are too large to be given whole, so that their chunks were not even read.
    """
    known: defaultdict[str, dict[int, Passage]] = defaultdict(dict)
    for chunk in (*chunks, *(hit.passage for hit in hits[:used])):
        known[chunk.document][chunk.position] = chunk
    order = [hit.passage.chunk for hit in hits[:used]]

    def passages(chosen: Collection[tuple[str, int]]) -> list[Passage]:
        return [
            run[0] if len(run) == 1 else merged(run, order)
            for run in _runs(known[document][place] for document, place in sorted(chosen))
        ]

    def fits(chosen: Collection[tuple[str, int]]) -> bool:
        return sum(cost_of(passage, count) for passage in passages(chosen)) <= how.most_tokens

    chosen: set[tuple[str, int]] = set()
    taken: list[Hit] = []
    for hit in hits[:used]:
        more = chosen | {(hit.passage.document, hit.passage.position)}
        if taken and not fits(more):
            break
        chosen, taken = more, [*taken, hit]
    alone = sum(cost_of(hit.passage, count) for hit in taken)
    bare: list[Hit] = []
    for hit in taken:
        document = hit.passage.document
        wanted = known[document].keys() & set(around(hit.passage, how, max(known[document]) + 1))
        more = chosen | {(document, place) for place in _next_to(hit.passage.position, wanted)}
        if document not in missing and (more == chosen or fits(more)):
            chosen = more
        else:
            bare.append(hit)
    selected = sorted(passages(chosen), key=lambda passage: order.index(passage.chunk))
    scores = {hit.passage.chunk: hit.score for hit in hits}
    covered = {chunk for passage in selected for chunk in passage.chunks}
    cost = sum(cost_of(passage, count) for passage in selected)
    return Selection(
        tuple((passage, scores[passage.chunk]) for passage in selected),
        tuple(hit for hit in hits if hit.passage.chunk not in covered),
        _note(how, taken, min(used, len(hits)), bare, cost, alone),
    )


def _next_to(place: int, places: Collection[int]) -> Iterator[int]:
    """Yield the places on either side of one, up to the first that is missing."""
    for side in (-1, 1):
        beside = place + side
        while beside in places:
            yield beside
            beside += side


def _runs(chunks: Iterable[Passage]) -> Iterator[list[Passage]]:
    """Yield chunks that follow one another in their document, together."""
    # Within a run, positions and places in the sequence grow alike.
    for _, run in groupby(enumerate(chunks), lambda each: (each[1].document, each[1].position - each[0])):
        yield [chunk for _, chunk in run]


def _note(
    how: Widening, taken: Sequence[Hit], wanted: int, bare: Sequence[Hit], cost: int, alone: int
) -> str:
    if not taken:
        return ""
    hits = "the hit alone" if len(taken) == 1 else f"the {len(taken)} hits alone"
    parts = [f"{cost:,} tokens; {hits}: {alone:,}."]
    if len(taken) < wanted:
        parts.append(
            f"Of {wanted} hits, {counted(len(taken), 'fits', 'fit')} into {how.most_tokens:,} tokens."
        )
    if bare and how.give == "documents":
        documents = {hit.passage.document for hit in taken}
        whole = len(documents) - len({hit.passage.document for hit in bare})
        fits = counted(whole, "fits", "fit")
        parts.append(
            f"Of {counted(len(documents), 'document')}, {fits} whole into {how.most_tokens:,} tokens."
        )
    elif bare:
        parts.append(
            f"Of {counted(len(taken), 'hit')}, {len(bare)} came without neighbours, which did not fit into "
            f"{how.most_tokens:,} tokens."
        )
    return " ".join([*parts, COUNTED])


COUNTED = (
    "Counted as chunks are, by the tokens of the built-in embedding model; other models count otherwise."
)


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

    def widen(self, hits: Sequence[Hit], used: int, how: Widening) -> Selection:
        """Return the first `used` hits, best first, with what stands around them, and the rest."""
        passages, sizes, large = [hit.passage for hit in hits[:used]], dict[str, int](), set[str]()
        if how.give == "documents":
            documents = list(dict.fromkeys(passage.document for passage in passages))
            for entry in self._corpus.catalogue.entries(self._corpus.corpus.id, documents):
                sizes[entry.id] = entry.chunks
                if _too_large(entry, how.most_tokens):
                    large.add(entry.id)
        wanted = {
            chunk_id(hit.document, place)
            for hit in passages
            if hit.document not in large
            for place in around(hit, how, sizes.get(hit.document, 0))
        }
        return fit(hits, used, self._read(wanted), large, how, counting(self._embedder.token_count))

    def everything(self, most_tokens: int) -> Selection:
        """Return all documents in the order of their names, each a passage, until the next one does not fit."""
        count, left, whole = counting(self._embedder.token_count), most_tokens, list[Passage]()
        for passage in self._documents(most_tokens):
            cost = cost_of(passage, count)
            if cost > left:
                break
            whole.append(passage)
            left -= cost
        if not whole:
            return self._beginning(most_tokens, count)
        total = len(self._corpus.matching(self._where))
        what = f"of {total:,} documents the first {len(whole):,} by name, as many as fit into {most_tokens:,}"
        if len(whole) == total:
            what = "the only document" if total == 1 else f"all {total:,} documents"
        note = f"{most_tokens - left:,} tokens: {what}. {COUNTED}"
        return Selection(tuple((passage, None) for passage in whole), (), note)

    def _documents(self, most_tokens: int) -> Iterator[Passage]:
        """Yield documents in the order of their names, each a passage, until one is certainly too large. Many are read
        at once while their characters leave no doubt that they are needed, and then one by one."""
        entries, left = self._in_order(), most_tokens * _USUAL_TOKEN
        entry = next(entries, None)
        while entry is not None and not _too_large(entry, most_tokens):
            batch = [entry]
            left -= entry.characters
            while (entry := next(entries, None)) is not None and entry.characters <= left:
                batch.append(entry)
                left -= entry.characters
            yield from self._whole(batch)

    def _whole(self, entries: Iterable[DocumentEntry]) -> Iterator[Passage]:
        ids = {entry.id: [chunk_id(entry.id, place) for place in range(entry.chunks)] for entry in entries}
        read = {chunk.chunk: chunk for chunk in self._read(chain.from_iterable(ids.values()))}
        for own in ids.values():
            if chunks := [read[chunk] for chunk in own if chunk in read]:
                yield merged(chunks, ())

    def _beginning(self, most_tokens: int, count: Count) -> Selection:
        """Return as many chunks of the first document as fit, one at least; nothing where there is no document."""
        chunks: list[Passage] = []
        cost = 0
        for chunk in self._first_document():
            seen = chunks[-1].end if chunks else chunk.start
            # The title is counted once, and what the chunk shares with the one before it not again.
            more = count(chunk.text[max(0, seen - chunk.start) :]) if chunks else cost_of(chunk, count)
            if chunks and cost + more > most_tokens:
                break
            chunks.append(chunk)
            cost += more
        if not chunks:
            return Selection((), (), "")
        note = (
            f"{cost:,} tokens: the beginning of the first document by name, which does not fit whole into "
            f"{most_tokens:,}. {COUNTED}"
        )
        return Selection(((merged(chunks, ()), None),), (), note)

    def _first_document(self) -> Iterator[Passage]:
        for entry in islice(self._in_order(), 1):
            for start in range(0, entry.chunks, _PAGE):
                places = range(start, min(start + _PAGE, entry.chunks))
                read = self._read(chunk_id(entry.id, place) for place in places)
                yield from sorted(read, key=lambda chunk: chunk.position)

    def _in_order(self) -> Iterator[DocumentEntry]:
        """Yield all documents that may be searched, by name; with a filter only those that match."""
        chosen = self._corpus.matching(self._where) if self._where else None
        for offset in counting_on(0, _PAGE):
            page = self._corpus.catalogue.documents(self._corpus.corpus.id, offset, _PAGE)
            yield from (entry for entry in page if entry.ready and (chosen is None or entry.id in chosen))
            if len(page) < _PAGE:
                return

    def _read(self, ids: Iterable[str]) -> list[Passage]:
        """Return the chunks with these ids that may be searched at the moment."""
        ready = self._corpus.snapshot().documents
        return [chunk for chunk in self._corpus.chunks.chunks(list(ids)).values() if chunk.document in ready]


def _too_large(entry: DocumentEntry, most_tokens: int) -> bool:
    """Return True if a document has more tokens than these however they are counted, so that it need not be read."""
    return entry.characters > most_tokens * LONGEST_TOKEN
