"""Indexing with handles: how large chunks are and what they share, on a page of the demo documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.corpora.demo import DEMOS, own_documents
from core.corpora.documents import Document
from core.corpora.splitting import Splitter, embedded_text
from core.models.embedding_vectors import normalise
from core.models.embeddings import MINILM_TOKENS, Embedder, builtin_embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.floating[Any]]

PAGE = "companion-halcyon-maid.md"
AMONG = "companion-"
"""Beginning of the names of the documents that are searched: the pages of an encyclopedia."""
SIZES = (40, 80, 160, 240, 480)
SHARES = (0.0, 0.25, 0.5)
"""Of a chunk, that the next one repeats at most."""
MOST = 1024
"""Tokens of the largest chunk: more than MiniLM reads, which the app itself does not allow."""
DIMENSIONS = 384
"""Of MiniLM's vector, the first part of a built-in one."""
HOW = (
    "Set the size of the chunks and what neighbours share, and choose a question. Its answer is marked in the page. "
    "The table has its rank for every cut: choose a cell to see that cut."
)
ABOUT = (
    "A page of the Pellamar Companion, “Halcyon Maid”. All {pages} pages of it are cut in the same way and searched "
    "with MiniLM alone, the first of the two built-in models: it reads {limit} tokens of a chunk and no more."
)
ASKED = (
    (
        "What colour were the funnels of the company's ships?",
        "The Halcyon Maid belonged to the Northern Packet Line",
    ),
    ("What did the figurehead of the lost steamer show?", "She had been launched in 1886"),
    ("How long had Nunn been her captain?", "He had been captain of the Halcyon Maid for nine years"),
    ("On which reef was a steamer wrecked in fog?", "The Halcyon Maid was wrecked on Sedge Reef"),
    ("Why did the hull break?", "What broke her was the ebb"),
    ("How many people died?", "The wreck of the Halcyon Maid cost 41 lives"),
    ("Which pilot would not take a place in a boat?", "Josse Marrack was offered a place in a boat"),
    ("Could the light be seen in fog?", "The inquiry of 1904 found that Sedge Light"),
    ("What did the captain do for the rest of his life?", "He never went to sea again"),
    ("What did the carpenter take as his model for a kingfisher?", "He had never seen a kingfisher"),
)
"""Questions, and how the sentences begin that answer them."""


class Chunk(NamedTuple):
    """A chunk of a page."""

    start: int
    end: int
    read: int
    """The token at which the encoder stops reading."""
    text: str
    """The text that is embedded."""


def make() -> dict[str, Any]:
    """The page, its cuts, and for each of them the rank of the chunk that holds each answer."""
    pages = _pages()
    page = _page(pages)
    spans = [_sentence(page.text, begins) for _, begins in ASKED]
    embedder = builtin_embedder()
    asked = _vectors([question for question, _ in ASKED], embedder)
    limit = MINILM_TOKENS
    return {
        "question": "Where to cut?",
        "about": ABOUT.format(pages=len(pages), limit=limit),
        "how": HOW,
        "limit": limit,
        "sizes": SIZES,
        "shares": SHARES,
        "text": page.text,
        "asked": [
            {"question": question, "start": start, "end": end}
            for (question, _), (start, end) in zip(ASKED, spans, strict=True)
        ],
        "cells": [[_cell(pages, page, (size, share), spans, asked) for share in SHARES] for size in SIZES],
    }


@cache
def _pages() -> tuple[Document, ...]:
    return tuple(one for one in own_documents(DEMOS[0]) if one.name.startswith(AMONG))


def _page(pages: Sequence[Document]) -> Document:
    return next(one for one in pages if one.name == PAGE)


def _sentence(text: str, begins: str) -> tuple[int, int]:
    """The place of a sentence."""
    start = text.index(begins)
    return start, next(at for at in range(start, len(text)) if text[at : at + 2] in (". ", ".\n", ".")) + 1


def _cut(document: Document, size: int, share: float) -> list[Chunk]:
    """The chunks of a page."""
    embedder = builtin_embedder()
    made = []
    for one in Splitter(embedder.tokenizer, MOST, size, int(size * share)).split(document):
        text = embedded_text(document.title, one.text)
        before = len(text) - len(one.text)
        offsets = embedder.tokenizer.encode(text).offsets
        # The last token that is read is a mark of its own.
        kept = (
            one.end if len(offsets) <= MINILM_TOKENS else one.start + offsets[MINILM_TOKENS - 2][1] - before
        )
        made.append(Chunk(one.start, one.end, kept, text))
    return made


def _vectors(texts: list[str], embedder: Embedder) -> Vectors:
    """MiniLM's vectors, at length 1."""
    return normalise(np.array(embedder.embeddings.embed_documents(texts))[:, :DIMENSIONS])


def _cell(
    pages: Sequence[Document],
    page: Document,
    how: tuple[int, float],
    spans: Sequence[tuple[int, int]],
    asked: Vectors,
) -> dict[str, Any]:
    """A cut: `chunks` of the page, how many there are of `all` pages, and a rank per question."""
    cuts = {one.name: _cut(one, *how) for one in pages}
    own = [name == page.name for name, chunks in cuts.items() for _ in chunks]
    first = own.index(True)
    vectors = _vectors([one.text for chunks in cuts.values() for one in chunks], builtin_embedder())
    orders = (-(asked @ vectors.T)).argsort(axis=1, kind="stable")
    chunks = cuts[page.name]
    ranks = []
    for span, order in zip(spans, orders, strict=True):
        places = {int(place): rank for rank, place in enumerate(order, 1)}
        ranks.append(min(places[first + at] for at in _holders(chunks, span)))
    return {"chunks": [one[:3] for one in chunks], "all": len(own), "ranks": ranks}


def _holders(chunks: Sequence[Chunk], span: tuple[int, int]) -> list[int]:
    """The chunks that hold all of a sentence; where a border cuts it, those with the largest piece of it."""
    held = [max(0, min(one.end, span[1]) - max(one.start, span[0])) for one in chunks]
    return [at for at, length in enumerate(held) if length == max(held)]


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`chunks` of the page, which of them hold the answer (`holders`), whether `whole`, and the `rank` of the best.

    Args:
        data: As `make` gives it.
        values: `size`, `share` and `asked`, each a place in what the data lists.
    """
    size, share, asked = values["size"], int(values["share"]), int(values["asked"])
    chunks = _cut(_page(_pages()), data["sizes"][size], data["shares"][share])
    span = data["asked"][asked]["start"], data["asked"][asked]["end"]
    holders = _holders(chunks, span)
    return {
        "chunks": [list(one[:3]) for one in chunks],
        "holders": holders,
        "whole": all(chunks[at].start <= span[0] and span[1] <= chunks[at].end for at in holders),
        "rank": data["cells"][size][share]["ranks"][asked],
    }
