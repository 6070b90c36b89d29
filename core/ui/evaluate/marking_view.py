"""Candidates for the evidence of a question, as cards that somebody grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.cards.passages import where
from core.evaluation.made_questions import GRADES, MadeQuestion, Mark
from core.evaluation.pooling import Candidate

_WORDS = {0: "No", 1: "Partly", 2: "Fully"}


def marking_data(
    candidates: Sequence[Candidate], marks: Mapping[str, Mark], *, question: str, fresh: bool
) -> dict[str, Any]:
    """Cards as plain values, for the page; all text is raw and must not be interpreted.

    Args:
        candidates: What was found; documents that are marked and were not found come after them.
        marks: Id of a document of the corpus -> its mark.
        fresh: Whether the question is still to be written.
    """
    found = {one.document for one in candidates}
    others = [(document, mark) for document, mark in marks.items() if document not in found]
    return {
        "question": question,
        "fresh": fresh,
        "grades": [{"grade": grade, "word": _WORDS[grade]} for grade in GRADES],
        "cards": [
            *(_card(one, marks) for one in candidates),
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


def _card(one: Candidate, marks: Mapping[str, Mark]) -> dict[str, Any]:
    best = one.passages[0]
    found = " · ".join(f"{retriever} {rank}" for retriever, rank in one.ranks)
    mark = marks.get(one.document)
    card = _plain(one.document, one.title, found, mark.grade if mark else 0)
    return card | {
        "where": where(best),
        "text": best.text,
        "more": [{"where": where(passage), "text": passage.text} for passage in one.passages[1:]],
    }


def _plain(document: str, title: str, found: str, grade: int) -> dict[str, Any]:
    return {
        "document": document,
        "title": title,
        "found": found,
        "grade": grade,
        "where": "",
        "text": "",
        "more": [],
    }
