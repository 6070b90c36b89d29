"""Where the evidence for a question is, as its data set says."""

from __future__ import annotations

from collections.abc import Collection

from core.corpora.catalogue import Catalogue
from core.errors import InputError
from core.trace.passages import Frozen


class Gold(Frozen):
    """A document that holds evidence, as its data set says."""

    document: str
    """Id of the document."""
    title: str


def gold_documents(catalogue: Catalogue, corpus: str, question: str) -> tuple[Gold, ...]:
    """The documents with evidence for one of a corpus's example questions; empty for any other question. Blocks.

    Raises:
        StoreError: The catalogue cannot be read.
    """
    try:
        found = catalogue.corpus(corpus)
    except InputError:
        return ()  # not indexed yet
    gold = next((known.gold for known in found.questions if known.text == question), ())
    if not gold:
        return ()
    titles = {entry.id: entry.title or entry.name for entry in catalogue.documents(found.id)}
    return tuple(Gold(document=one, title=titles.get(one, "")) for one in dict.fromkeys(gold))


def labelled_gold(catalogue: Catalogue, corpus: str, keys: Collection[str]) -> tuple[Gold, ...]:
    """The documents of a corpus to which a data set gave these ids. Blocks.

    Raises:
        InputError: There is no such corpus.
        StoreError: The catalogue cannot be read.
    """
    entries = catalogue.documents(catalogue.corpus(corpus).id)
    return tuple(
        Gold(document=entry.id, title=entry.title or entry.name) for entry in entries if entry.key in keys
    )
