"""The corpora that a data set can be about."""

from __future__ import annotations

from core.cards.texts import documents_of, named
from core.corpora.entries import Corpus
from core.runs.workbench import Workbench


def choosable(bench: Workbench) -> dict[str, Corpus | None]:
    """Those with documents, by name; None: it comes with the app and is not indexed yet."""
    offered = bench.corpora.offered()
    return {name: corpus for name, corpus in offered.items() if corpus is None or corpus.documents}


def labelled(name: str, corpus: Corpus | None) -> str:
    """The name with the number of documents, as far as that is known."""
    return f"{named(name)} ({documents_of(name, corpus.documents)})" if corpus else named(name)
