"""A loader of word lists: one word and what it means on each line, with a tab between."""

from __future__ import annotations

from core.corpora.documents import Document, TextBuilder


def load(name: str, data: bytes) -> list[Document]:
    """Read a file of word lists as a document with a paragraph for each word."""
    builder = TextBuilder()
    for line in data.decode("utf-8").splitlines():
        word, _, meaning = line.partition("\t")
        builder.block(f"{word}: {meaning}")
    return [builder.build(name, data)]
