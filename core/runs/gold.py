"""Where the evidence for a question is, as its labels say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from core.corpora.catalogue import Catalogue
from core.corpora.entries import Question
from core.errors import InputError
from core.trace.gold import MAX_CHUNKS, MAX_QUOTE, Gold, Located

__all__ = [
    "Gold",
    "Known",
    "Located",
    "gold_of",
    "holds_evidence",
    "known_gold",
    "known_question",
    "labelled_gold",
    "pieces_held",
]


def pieces_held(gold: Iterable[Gold], passages: Collection[Located]) -> int:
    """How many pieces of evidence any of these passages holds."""
    return sum(any(piece.held_by(passage) for passage in passages) for piece in gold)


def holds_evidence(gold: Iterable[Gold], passage: Located) -> bool:
    """True if a passage holds any of the evidence."""
    return any(piece.held_by(passage) for piece in gold)


class Known(NamedTuple):
    """The labels of a question, as far as they are known."""

    gold: tuple[Gold, ...] = ()
    """The evidence; empty: it has none, or none is known."""
    answers: tuple[str, ...] = ()
    """Right answers, each as good as another; empty: none is known."""


def known_question(catalogue: Catalogue, corpus: str, question: str) -> Known | None:
    """The labels of one of a corpus's example questions; None for any other question. Blocks.

    Raises:
        StoreError: The catalogue cannot be read.
    """
    try:
        entry = catalogue.corpus(corpus)
    except InputError:
        return None  # not indexed yet
    asked = next((known for known in entry.questions if known.text == question), None)
    if asked is None:
        return None
    labelled = bool(asked.evidence or asked.gold)
    titles = (
        {document.id: document.title or document.name for document in catalogue.documents(entry.id)}
        if labelled
        else {}
    )
    return Known(gold_of(asked, titles), asked.answers)


def known_gold(catalogue: Catalogue, corpus: str, question: str) -> tuple[Gold, ...]:
    """The evidence for one of a corpus's example questions; empty for any other question. Blocks.

    Raises:
        StoreError: The catalogue cannot be read.
    """
    known = known_question(catalogue, corpus, question)
    return known.gold if known else ()


def gold_of(question: Question, titles: Mapping[str, str]) -> tuple[Gold, ...]:
    """The evidence of a question: its passages where they are labelled, else its documents.

    Args:
        titles: Id of a document -> its title.
    """
    if question.evidence:
        return tuple(
            Gold(
                document=piece.document,
                title=titles.get(piece.document, ""),
                quote=piece.quote[:MAX_QUOTE],
                chunks=piece.chunks[:MAX_CHUNKS],
            )
            for piece in question.evidence
        )
    return tuple(
        Gold(document=document, title=titles.get(document, "")) for document in dict.fromkeys(question.gold)
    )


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
