"""The questions of a data set that is made in the browser, stored with every step."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select, update

from core.corpora.documents import clean
from core.errors import InputError
from core.evaluation.set_store import MadeQuestionRow, MarkRow, SetStore

MAX_QUESTIONS = 10_000
MAX_TEXT = 2_000
"""Most characters of a question, of an answer, and of a kind of question."""
GRADES = {0: "no", 1: "partly", 2: "fully"}
"""Degrees to which a document holds the evidence. Recall counts 1 and 2 alike, nDCG counts 2 twice."""
_DELETED = "This question has been deleted, in another window maybe."


@dataclass(frozen=True)
class Mark:
    """A mark on a document that holds evidence; it does not depend on how the document is cut into chunks."""

    document: str
    """Id in the corpus at the time of marking: the hash of its bytes."""
    grade: int
    """1: partly, 2: fully."""
    name: str
    """Name of its file, by which a corrected version is found."""
    title: str
    """For display."""


@dataclass(frozen=True)
class MadeQuestion:
    """A question in its present state; raw text."""

    id: str
    text: str = ""
    type: str = ""
    answers: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()


class MadeQuestions:
    """The questions of made data sets. Calls block for a moment; each is one transaction, and raises `StoreError` where
    the database cannot be used."""

    def __init__(self, store: SetStore) -> None:
        self._store = store

    def list(self, data_set: str) -> tuple[MadeQuestion, ...]:
        """All questions of a data set in order, including those whose text is still empty."""
        questions = select(MadeQuestionRow).where(MadeQuestionRow.data_set == data_set)
        marked = select(MarkRow).where(MarkRow.data_set == data_set)
        with self._store.session() as session:
            marks: dict[str, list[Mark]] = defaultdict(list)
            for mark in session.scalars(marked.order_by(MarkRow.title, MarkRow.document)):
                marks[mark.question].append(Mark(mark.document, mark.grade, mark.name, mark.title))
            return tuple(
                MadeQuestion(row.id, row.text, row.type, tuple(row.answers), tuple(marks[row.id]))
                for row in session.scalars(questions.order_by(MadeQuestionRow.place, MadeQuestionRow.id))
            )

    def add(self, data_set: str, questions: Sequence[MadeQuestion] = (MadeQuestion(""),)) -> tuple[str, ...]:
        """Add questions at the end and return their random ids; raises `InputError` where there are too many, or a text
        is too long."""
        ids = tuple(secrets.token_hex(4) for _ in questions)
        mine = MadeQuestionRow.data_set == data_set
        with self._store.session() as session:
            there, last = session.execute(
                select(func.count(), func.coalesce(func.max(MadeQuestionRow.place), 0)).where(mine)
            ).one()
            if there + len(questions) > MAX_QUESTIONS:
                raise InputError(f"A data set made here holds at most {MAX_QUESTIONS:,} questions.")
            session.add_all(
                MadeQuestionRow(
                    data_set=data_set,
                    id=id_,
                    place=last + place,
                    text=_line(one.text),
                    type=_line(one.type),
                    answers=_answers(one.answers),
                )
                for place, (id_, one) in enumerate(zip(ids, questions, strict=True), 1)
            )
            session.add_all(
                _row(data_set, id_, mark)
                for id_, one in zip(ids, questions, strict=True)
                for mark in one.marks
            )
        return ids

    def write(self, data_set: str, question: str, text: str, answers: Sequence[str], kind: str) -> None:
        """Store the present text and labels of a question; raises `InputError` if a text is too long or the question is
        gone."""
        change = update(MadeQuestionRow).where(
            MadeQuestionRow.data_set == data_set, MadeQuestionRow.id == question
        )
        values = {"text": _line(text), "type": _line(kind), "answers": _answers(answers)}
        with self._store.session() as session:
            if session.execute(change.values(values).returning(MadeQuestionRow.id)).first() is None:
                raise InputError(_DELETED)

    def mark(self, data_set: str, question: str, mark: Mark, instead: Collection[str] = ()) -> None:
        """Store the degree to which a document holds the evidence, in place of marks of its earlier ids; grade 0
        removes them. Raises `InputError` if there is no such grade, or the question has been deleted meanwhile."""
        if mark.grade not in GRADES:
            raise InputError("A document is graded 0, 1 or 2.")
        known = [mark.document, *instead]
        before = delete(MarkRow).where(
            MarkRow.data_set == data_set, MarkRow.question == question, MarkRow.document.in_(known)
        )
        with self._store.session() as session:
            if session.get(MadeQuestionRow, (data_set, question)) is None:
                raise InputError(_DELETED)
            session.execute(before)
            if mark.grade:
                session.add(_row(data_set, question, mark))

    def remove(self, data_set: str, question: str) -> None:
        """Delete a question; a missing question is no error."""
        with self._store.session() as session:
            for table, key in ((MarkRow, MarkRow.question), (MadeQuestionRow, MadeQuestionRow.id)):
                session.execute(delete(table).where(table.data_set == data_set, key == question))


def _row(data_set: str, question: str, mark: Mark) -> MarkRow:
    return MarkRow(data_set=data_set, question=question, **vars(mark))


def _line(text: str) -> str:
    line = " ".join(clean(text).split())
    if len(line) > MAX_TEXT:
        raise InputError(
            f"A question, an answer or a kind of question has at most {MAX_TEXT:,} characters; this one has "
            f"{len(line):,}. Shorten it."
        )
    return line


def _answers(answers: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_line, answers))))
