"""A preview of how documents would be cut into chunks, before anything is indexed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.corpora.documents import Document
from core.corpora.entries import chunk_sizes
from core.corpora.gathering import file_items
from core.corpora.reports import Skipped
from core.corpora.sources import DocumentSource, expand
from core.corpora.splitting import Splitter
from core.errors import DocumentError
from core.trace.passages import Passage

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from core.models.embeddings import Embedder

MAX_DOCUMENTS = 3
MAX_CHARACTERS = 20_000
"""Most characters of each document; about ten pages."""


@dataclass(frozen=True)
class UploadSample:
    """The first documents of an upload, as read, before they are cut."""

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...] = ()
    """Files that cannot be used, with the reason."""
    note: str = ""
    """A sentence on what was left out; empty: nothing."""


@dataclass(frozen=True)
class DocumentPreview:
    """The first chunks of one document."""

    document: Document
    """Its text is cut where the preview ends."""
    passages: tuple[Passage, ...]
    tokens: tuple[int, ...]
    """Length of each chunk, without the title that is embedded with it."""
    characters: int
    """Length of the whole document."""

    @property
    def note(self) -> str:
        """A sentence on what was left out; empty: nothing."""
        shown = len(self.document.text)
        if shown == self.characters:
            return ""
        return f"Only the first {shown:,} of {self.characters:,} characters."


@dataclass(frozen=True)
class Preview:
    """The first documents of an upload, cut into chunks."""

    documents: tuple[DocumentPreview, ...]
    skipped: tuple[Skipped, ...] = ()
    """Files that cannot be used, with the reason."""
    note: str = ""
    """A sentence on what was left out; empty: nothing."""

    @property
    def tokens(self) -> tuple[int, ...]:
        """Lengths of all chunks, in order."""
        return tuple(length for document in self.documents for length in document.tokens)

    @property
    def median_tokens(self) -> int:
        """Median length of the chunks, in tokens; 0 without chunks."""
        return int(statistics.median(self.tokens)) if self.tokens else 0

    def histogram(self, width: int = 20) -> list[tuple[int, int]]:
        """Return a histogram of the lengths: the lower bound of each class of `width` tokens, and its chunks."""
        classes = [length // width for length in self.tokens]
        return [(number * width, classes.count(number)) for number in range(max(classes, default=-1) + 1)]


def preview(document: Document, splitter: Splitter, tokenizer: Tokenizer) -> DocumentPreview:
    """Cut the beginning of a document; the tokenizer of the embedding model gives the lengths."""
    beginning = replace(document, text=document.text[:MAX_CHARACTERS])
    passages = tuple(splitter.split(beginning))
    if len(document.text) > MAX_CHARACTERS and len(passages) > 1:
        passages = passages[:-1]  # it ends with the preview, not with the whole document
        beginning = replace(beginning, text=document.text[: passages[-1].end])
    lengths = tuple(len(tokenizer.encode(passage.text, add_special_tokens=False).ids) for passage in passages)
    return DocumentPreview(beginning, passages, lengths, len(document.text))


def read_sample(sources: Sequence[DocumentSource], max_mb: int) -> UploadSample:
    """Read the first files; blocks.

    Raises:
        InputError: A path does not exist.
    """
    items = file_items(expand(sources), max_mb)
    documents: list[Document] = []
    skipped: list[Skipped] = []
    looked_at = 0
    for item in items[:MAX_DOCUMENTS]:
        looked_at += 1
        try:
            documents.extend(item.read({}, None) or [])
        except DocumentError as error:
            skipped.append(Skipped(file=item.name, reason=str(error)))
        if len(documents) >= MAX_DOCUMENTS:
            break
    note = ""
    if len(documents) > MAX_DOCUMENTS:
        note = f"Only the first {MAX_DOCUMENTS} of {len(documents):,} documents in what was read."
    elif looked_at < len(items):
        note = f"Only the first {looked_at} of {len(items):,} files."
    return UploadSample(tuple(documents[:MAX_DOCUMENTS]), tuple(skipped), note)


def preview_files(
    sample: UploadSample,
    embedder: Embedder,
    chunk_tokens: int | None = None,
    overlap_tokens: int | None = None,
) -> Preview:
    """Cut the beginnings of documents into chunks, whose size and overlap are the usual ones where None is given.

    Raises:
        InputError: A size is unfit.
    """
    sizes = chunk_sizes(embedder.max_tokens, chunk_tokens, overlap_tokens)
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *sizes)
    shown = tuple(preview(document, splitter, embedder.tokenizer) for document in sample.documents)
    return Preview(shown, sample.skipped, sample.note)
