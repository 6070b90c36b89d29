"""What of a class is sent to browsers: to a student's, and, with the votes as they come in, to the projector's.

Nothing that says how others voted, or what is right, is in what a student's browser gets before the reveal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.classroom.questions import Question
from core.classroom.store import Classroom, ClassStore

Asked = Sequence[tuple[Question, bool]]
"""The questions of a class, each with whether it was revealed."""
Counts = Mapping[int, Mapping[str, int]]
"""Votes by question and option."""


def student_view(store: ClassStore, classroom: Classroom, member: str) -> dict[str, Any]:
    """The state of a class for one browser; `member` is its owner id, or empty: it has none yet."""
    joined = bool(member) and store.is_member(classroom.id, member)
    view: dict[str, Any] = {
        "name": classroom.name,
        "version": classroom.version,
        "phase": classroom.phase,
        "joined": joined,
        "admits": classroom.admits,
    }
    if not joined:
        return view
    asked, mine = store.questions(classroom.id), store.votes_of(classroom.id, member)
    counts = store.counts(classroom.id) if any(revealed for _, revealed in asked) else {}
    view["nickname"] = store.nickname(classroom.id, member)
    view["score"] = _score(asked, mine, counts)
    if _shown(classroom, asked):
        question, revealed = asked[classroom.place]
        view["question"] = _question(question, classroom, asked) | {"mine": mine.get(classroom.place, "")}
        if revealed:
            view["question"] |= _truth(question, counts.get(classroom.place, {}))
    return view


def projector_view(store: ClassStore, classroom: Classroom) -> dict[str, Any]:
    """The state of a class for the projector, with all votes."""
    asked, counts = store.questions(classroom.id), store.counts(classroom.id)
    view: dict[str, Any] = {
        "name": classroom.name,
        "version": classroom.version,
        "phase": classroom.phase,
        "place": classroom.place,
        "count": len(asked),
        "admits": classroom.admits,
        "joined": store.joined(classroom.id),
        "rates": [_rate(question, counts.get(place, {})) for place, question, _ in _revealed(asked)],
    }
    if _shown(classroom, asked):
        question, revealed = asked[classroom.place]
        votes: Mapping[str, int] = counts.get(classroom.place, {})
        view["question"] = _question(question, classroom, asked) | {
            "votes": _votes(question, votes),
            "source": question.source,
            "target": question.target,
        }
        if revealed:
            view["question"] |= _truth(question, votes)
    return view


def _shown(classroom: Classroom, asked: Asked) -> bool:
    return classroom.phase in ("open", "revealed") and 0 <= classroom.place < len(asked)


def _revealed(asked: Asked) -> list[tuple[int, Question, bool]]:
    return [(place, *one) for place, one in enumerate(asked) if one[1]]


def _question(question: Question, classroom: Classroom, asked: Asked) -> dict[str, Any]:
    return {
        "place": classroom.place,
        "count": len(asked),
        "text": question.text,
        "about": question.about,
        "options": [{"key": option.key, "text": option.text} for option in question.options],
        "revealed": asked[classroom.place][1],
    }


def _truth(question: Question, votes: Mapping[str, int]) -> dict[str, Any]:
    return {"right": list(question.right), "after": question.after, "votes": _votes(question, votes)}


def _votes(question: Question, votes: Mapping[str, int]) -> list[int]:
    """Votes in the order of the options."""
    return [votes.get(option.key, 0) for option in question.options]


def _rate(question: Question, votes: Mapping[str, int]) -> dict[str, Any]:
    return {
        "text": question.text,
        "right": sum(votes.get(key, 0) for key in question.right),
        "votes": sum(votes.values()),
    }


def _score(asked: Asked, mine: Mapping[int, str], counts: Counts) -> dict[str, int]:
    """Over the questions that were revealed: how many there are, one's own votes and right ones, and the class's."""
    revealed = _revealed(asked)
    rates = [_rate(question, counts.get(place, {})) for place, question, _ in revealed]
    return {
        "questions": len(revealed),
        "voted": sum(place in mine for place, _, _ in revealed),
        "right": sum(mine.get(place) in question.right for place, question, _ in revealed),
        "class_votes": sum(rate["votes"] for rate in rates),
        "class_right": sum(rate["right"] for rate in rates),
    }
