"""The state of a class as browsers get it: a student's, and, with the votes as they come in, the projector's.

Nothing that says how others voted, or what is right, is in what a student's browser gets before the reveal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.classroom.questions import Question
from core.classroom.store import Classroom, ClassStore

Questions = Sequence[tuple[Question, bool]]
"""The questions of a class, each with True if it was revealed."""
Counts = Mapping[int, Mapping[str, int]]
"""Votes by question and option."""


@dataclass(frozen=True)
class Board:
    """A class as all of its phones see it."""

    classroom: Classroom
    questions: Questions
    counts: Counts
    """Empty while nothing was revealed; later votes are not in it."""


def read_board(store: ClassStore, classroom: Classroom) -> Board:
    """The board of a class as it stands."""
    questions = store.questions(classroom.id)
    counts = store.counts(classroom.id) if any(revealed for _, revealed in questions) else {}
    return Board(classroom, questions, counts)


def student_view(store: ClassStore, board: Board, member: str) -> dict[str, Any]:
    """The state of a class for one browser; `member` is its owner id, or empty: it has none yet."""
    classroom, questions, counts = board.classroom, board.questions, board.counts
    own = store.member(classroom.id, member) if member else None
    view: dict[str, Any] = {
        "name": classroom.name,
        "version": classroom.version,
        "phase": classroom.phase,
        "joined": own is not None,
        "admits": classroom.admits,
    }
    if own is None:
        return view
    mine = store.votes_of(classroom.id, member)
    view["nickname"] = own.nickname
    view["score"] = _score(questions, mine, counts)
    if _on_screen(classroom, questions):
        question, revealed = questions[classroom.place]
        view["question"] = _question(question, classroom, questions) | {"mine": mine.get(classroom.place, "")}
        if revealed:
            view["question"] |= _truth(question, counts.get(classroom.place, {}))
    return view


def projector_view(store: ClassStore, board: Board) -> dict[str, Any]:
    """The state of a class for the projector, with all votes."""
    classroom, questions, counts = board.classroom, board.questions, store.counts(board.classroom.id)
    view: dict[str, Any] = {
        "name": classroom.name,
        "version": classroom.version,
        "phase": classroom.phase,
        "place": classroom.place,
        "count": len(questions),
        "admits": classroom.admits,
        "joined": store.joined(classroom.id),
        "rates": _rates(questions, counts),
    }
    if _on_screen(classroom, questions):
        question, revealed = questions[classroom.place]
        votes: Mapping[str, int] = counts.get(classroom.place, {})
        view["question"] = _question(question, classroom, questions) | {
            "votes": _votes(question, votes),
            "source": question.source,
            "target": question.target,
        }
        if revealed:
            view["question"] |= _truth(question, votes)
    return view


def _on_screen(classroom: Classroom, questions: Questions) -> bool:
    return classroom.phase in ("open", "revealed") and 0 <= classroom.place < len(questions)


def _revealed(questions: Questions) -> dict[int, Question]:
    return {place: question for place, (question, revealed) in enumerate(questions) if revealed}


def _question(question: Question, classroom: Classroom, questions: Questions) -> dict[str, Any]:
    return {
        "place": classroom.place,
        "count": len(questions),
        "text": question.text,
        "about": question.about,
        "options": [{"key": option.key, "text": option.text} for option in question.options],
        "revealed": questions[classroom.place][1],
    }


def _truth(question: Question, votes: Mapping[str, int]) -> dict[str, Any]:
    return {"right": list(question.right), "after": question.after, "votes": _votes(question, votes)}


def _votes(question: Question, votes: Mapping[str, int]) -> list[int]:
    """Votes in the order of the options."""
    return [votes.get(option.key, 0) for option in question.options]


def _rates(questions: Questions, counts: Counts) -> list[dict[str, Any]]:
    """The votes and the right ones for each question that was revealed."""
    return [
        {
            "text": question.text,
            "right": sum(counts.get(place, {}).get(key, 0) for key in question.right),
            "votes": sum(counts.get(place, {}).values()),
        }
        for place, question in _revealed(questions).items()
    ]


def _score(questions: Questions, mine: Mapping[int, str], counts: Counts) -> dict[str, int]:
    """Of the questions that were revealed: their number, one's own votes and right ones, and the class's."""
    revealed = _revealed(questions)
    rates = _rates(questions, counts)
    return {
        "questions": len(revealed),
        "voted": sum(place in mine for place in revealed),
        "right": sum(mine.get(place) in question.right for place, question in revealed.items()),
        "class_votes": sum(rate["votes"] for rate in rates),
        "class_right": sum(rate["right"] for rate in rates),
    }
