"""Candidates for the evidence of a question, as cards that somebody grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.matching import Stretch, matches
from core.cards.passages import passage_card
from core.evaluation.made_questions import GRADES, MadeQuestion, Mark
from core.evaluation.pooling import Candidate

_WORDS = {0: "No", 1: "Partly", 2: "Fully"}


def marking_data(
    candidates: Sequence[Candidate], marks: Mapping[str, Mark], *, question: str, asked: str, fresh: bool
) -> dict[str, Any]:
    """Cards as plain values, for the page; all text is raw and must not be interpreted.

    Args:
        candidates: What was found; documents that are marked and were not found come after them.
        marks: Id of a document of the corpus -> its mark.
        asked: What was looked for: a folded card begins with the sentence that shares most with it.
        fresh: Whether the question is still to be written.
    """
    found = {one.document for one in candidates}
    near = matches(asked, [passage for one in candidates for passage in one.passages])
    others = [(document, mark) for document, mark in marks.items() if document not in found]
    return {
        "question": question,
        "fresh": fresh,
        "grades": [{"grade": grade, "word": _WORDS[grade]} for grade in GRADES],
        "cards": [
            *(_card(one, marks, near) for one in candidates),
            *(
                _plain(document, mark.title, "Marked before; not among what was found now.", mark.grade)
                for document, mark in others
            ),
        ],
    }


def state_of(question: MadeQuestion, documents: Iterable[str]) -> str:
    """How far a question is, in a word or two.

    Args:
        documents: Marked documents that are in the corpus.
    """
    if not question.text:
        return "○ no question"
    missing = [
        *(["gold documents"] if not list(documents) else []),
        *(["answer"] if not question.answers else []),
    ]
    return f"◐ no {', no '.join(missing)}" if missing else "✓ complete"


def _card(one: Candidate, marks: Mapping[str, Mark], near: Mapping[str, Stretch]) -> dict[str, Any]:
    best, *more = (
        passage_card(passage, 0, None, "", match=near.get(passage.chunk)) for passage in one.passages
    )
    found = " · ".join(f"{retriever} {rank}" for retriever, rank in one.ranks)
    mark = marks.get(one.document)
    card = _plain(one.document, one.title, found, mark.grade if mark else 0)
    return card | {
        "where": best.where,
        "pieces": [asdict(piece) for piece in best.pieces],
        "more": [{"where": card.where, "pieces": [asdict(piece) for piece in card.pieces]} for card in more],
    }


def _plain(document: str, title: str, found: str, grade: int) -> dict[str, Any]:
    return {
        "document": document,
        "title": title,
        "found": found,
        "grade": grade,
        "where": "",
        "pieces": [],
        "more": [],
    }
