"""Chains of sub-questions and their answers."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.artefacts import SubAnswer, SubQuestions
from core.views.passages import PassageCard, passage_card
from core.views.queries import QueryLine


@dataclass(frozen=True)
class SubQuestionsView:
    """Sub-questions in order, and those that were dropped; raw text."""

    questions: tuple[str, ...]
    dropped: tuple[QueryLine, ...]


@dataclass(frozen=True)
class SubAnswerView:
    """One link of the chain; raw text."""

    number: int
    question: str
    searched: str
    """Empty: searched with the question itself."""
    given: tuple[tuple[str, str], ...]
    """Earlier questions and answers."""
    cards: tuple[PassageCard, ...]
    text: str
    abstained: bool


def sub_questions_view(artefact: SubQuestions) -> SubQuestionsView:
    """The sub-questions as they are worked on."""
    dropped = tuple(QueryLine(query.text, query.reason) for query in artefact.dropped)
    return SubQuestionsView(artefact.questions, dropped)


def sub_answer_view(artefact: SubAnswer) -> SubAnswerView:
    """A sub-answer with what it was made from; the words it used are marked in its evidence."""
    quotes: dict[str, list[str]] = {}
    for citation in artefact.citations:
        quotes.setdefault(citation.chunk, []).append(citation.quote)
    cards = (
        passage_card(
            passage,
            rank,
            None,
            "",
            quotes=quotes.get(passage.chunk, ()),
            badge="cited" if passage.chunk in quotes else "",
        )
        for rank, passage in enumerate(artefact.passages, 1)
    )
    return SubAnswerView(
        number=artefact.index + 1,
        question=artefact.question,
        searched="" if artefact.searched == artefact.question else artefact.searched,
        given=tuple((pair.question, pair.answer) for pair in artefact.given),
        cards=tuple(cards),
        text=artefact.text,
        abstained=artefact.abstained,
    )
