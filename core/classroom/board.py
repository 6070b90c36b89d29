"""The state of a class as browsers get it: a student's, and, with the votes as they come in, the projector's.

Nothing that says how others voted, or what is right, is in what a student's browser gets before the reveal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.classroom.questions import Question
from core.classroom.store import Classroom, ClassStore, Student

Counts = Mapping[int, Mapping[str, int]]
"""Votes by question and option."""


@dataclass(frozen=True)
class Board:
    """A class as all of its phones see it."""

    classroom: Classroom
    questions: Sequence[tuple[Question, bool]]
    """Each with True if it was revealed."""
    counts: Counts
    """Empty while nothing was revealed; later votes are not in it."""

    @property
    def revealed(self) -> dict[int, Question]:
        """The questions that were revealed, by their numbers."""
        return {place: question for place, (question, revealed) in enumerate(self.questions) if revealed}


def read_board(store: ClassStore, classroom: Classroom) -> Board:
    """The board of a class as it stands."""
    questions = store.questions(classroom.id)
    _, counts = store.counts(classroom.id) if any(revealed for _, revealed in questions) else (0, {})
    return Board(classroom, questions, counts)


def student_views(store: ClassStore, asked: Sequence[tuple[Board, str]]) -> list[dict[str, Any]]:
    """The state of a class for each of several browsers: of its board and its owner id, or empty: it has none yet."""
    members: dict[str, set[str]] = {}
    for board, member in asked:
        members.setdefault(board.classroom.id, set()).add(member)
    students = {classroom: store.students(classroom, ids) for classroom, ids in members.items()}
    return [_student_view(board, students[board.classroom.id].get(member)) for board, member in asked]


def _student_view(board: Board, student: Student | None) -> dict[str, Any]:
    classroom = board.classroom
    if student is None:
        return _head(classroom) | {"joined": False}
    score = _score(board, student.votes)
    view = _head(classroom) | {"joined": True, "nickname": student.nickname, "score": score}
    if classroom.shows_question:
        mine = student.votes.get(classroom.place, "")
        view["question"] = _question(board, board.counts) | {"mine": mine}
    return view


def projector_view(store: ClassStore, board: Board) -> dict[str, Any]:
    """The state of a class for the projector, with all votes."""
    classroom = board.classroom
    joined, counts = store.counts(classroom.id)
    view = _head(classroom) | {
        "place": classroom.place,
        "count": len(board.questions),
        "joined": joined,
        "rates": _rates(board, counts),
    }
    if classroom.shows_question:
        question, _ = board.questions[classroom.place]
        view["question"] = _question(board, counts) | {
            "votes": _votes(question, counts.get(classroom.place, {})),
            "source": question.source,
            "target": question.target,
        }
    return view


def _head(classroom: Classroom) -> dict[str, Any]:
    return {
        "name": classroom.name,
        "version": classroom.version,
        "phase": classroom.phase,
        "admits": classroom.admits,
    }


def _question(board: Board, counts: Counts) -> dict[str, Any]:
    """The question that is shown; its truth and its votes only after the reveal."""
    place = board.classroom.place
    question, revealed = board.questions[place]
    view = {
        "place": place,
        "count": len(board.questions),
        "text": question.text,
        "about": question.about,
        "options": [{"key": option.key, "text": option.text} for option in question.options],
        "revealed": revealed,
    }
    if revealed:
        votes = _votes(question, counts.get(place, {}))
        view |= {"right": list(question.right), "after": question.after, "votes": votes}
    return view


def _votes(question: Question, votes: Mapping[str, int]) -> list[int]:
    """Votes in the order of the options."""
    return [votes.get(option.key, 0) for option in question.options]


def _rates(board: Board, counts: Counts) -> list[dict[str, Any]]:
    """The votes and the right ones for each question that was revealed."""
    return [
        {
            "text": question.text,
            "right": sum(counts.get(place, {}).get(key, 0) for key in question.right),
            "votes": sum(counts.get(place, {}).values()),
        }
        for place, question in board.revealed.items()
    ]


def _score(board: Board, mine: Mapping[int, str]) -> dict[str, int]:
    """Of the questions that were revealed: their number, one's own right ones, and the class's votes and right ones."""
    rates = _rates(board, board.counts)
    return {
        "questions": len(rates),
        "right": sum(mine.get(place) in question.right for place, question in board.revealed.items()),
        "class_votes": sum(rate["votes"] for rate in rates),
        "class_right": sum(rate["right"] for rate in rates),
    }
