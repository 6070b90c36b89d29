"""What the documents are, in a line for a prompt."""

from __future__ import annotations

from core.errors import StoreError
from core.retrieval.retriever import Retriever
from core.wording import counted

TITLES = 8
"""Titles of documents that a model is told."""
TITLE_CHARS = 60


async def documents_of(retriever: Retriever, fields: str = "") -> str:
    """Name and size of a corpus, with some of its titles, and by what they can be filtered, if that is said."""
    corpus = retriever.corpus
    try:
        titles = await retriever.titles(TITLES)
    except StoreError:  # the search that comes next will say so
        titles = ()
    some = " · ".join(cut(title, TITLE_CHARS) for title in titles)
    told = f"“{corpus.name}”, {counted(corpus.documents, 'document')}{f', e.g. {some}' if some else ''}"
    return f"{told}. Fields: {fields}" if fields else told


def cut(text: str, limit: int) -> str:
    """A text on one line, cut behind a word."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[:limit].rpartition(" ")[0]
    return f"{(head if len(head) > limit // 2 else text[:limit]).rstrip(' ,;:')}…"
