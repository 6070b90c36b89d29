"""The stores of data sets that were uploaded or made in the browser, and of the questions of the latter, in the SQL
database, with their tables."""

from __future__ import annotations

import builtins
import secrets
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import JSON, ForeignKey, String, Text, delete, func, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from core.corpora.documents import clean, stored_name
from core.corpora.entries import Corpus
from core.database import value_of
from core.errors import InputError
from core.evaluation.datasets import DataSet, files_of
from core.owned import OwnedRow, OwnedRows, newest_first, shown_to

MAX_NAME = 60


class Base(DeclarativeBase):
    """Holds the metadata of the tables."""


class DataSetRow(OwnedRow, Base):
    """A data set that was uploaded or is made in the browser."""

    __tablename__ = "data_sets"

    origin: Mapped[Literal["uploaded", "made"]] = mapped_column(String(10))
    questions: Mapped[int] = mapped_column(default=0)
    """Number of questions of an uploaded data set; questions of a made one are counted."""
    documents: Mapped[int] = mapped_column(default=0)
    """Number of documents of an uploaded data set; a made one has those of its corpus."""
    corpus: Mapped[str] = mapped_column(String(32), default="")
    """Id of the corpus of a made data set."""
    corpus_name: Mapped[str] = mapped_column(String(80), default="")
    """Name by which the corpus is found if it was made anew."""


class DataSetFileRow(Base):
    """One of the three files of an uploaded data set."""

    __tablename__ = "data_set_files"

    data_set: Mapped[str] = mapped_column(ForeignKey("data_sets.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class MadeQuestionRow(Base):
    """A question of a made data set; stored with every step of making it."""

    __tablename__ = "made_questions"

    data_set: Mapped[str] = mapped_column(ForeignKey("data_sets.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    place: Mapped[int]
    """Position of the question in its data set."""
    text: Mapped[str] = mapped_column(Text, default="")
    type: Mapped[str] = mapped_column(Text, default="")
    answers: Mapped[list[str]] = mapped_column(JSON, default=list)


class MarkRow(Base):
    """A document that holds evidence for a question. The document is identified by more than its id, which changes with
    the file's content."""

    __tablename__ = "made_marks"

    data_set: Mapped[str] = mapped_column(ForeignKey("data_sets.id", ondelete="CASCADE"), primary_key=True)
    question: Mapped[str] = mapped_column(String(16), primary_key=True)
    document: Mapped[str] = mapped_column(String(16), primary_key=True)
    """Id in the corpus at the time of marking."""
    grade: Mapped[int]
    """1: partly, 2: fully."""
    name: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)


@dataclass(frozen=True)
class DataSetEntry:
    """A data set in a list."""

    id: str
    """Key for `core.evaluation.dataset_catalogue.DataSets.open`."""
    name: str
    origin: Literal["shipped", "uploaded", "made"]
    questions: int
    documents: int
    """Stored for an uploaded data set; a made one has the documents of its corpus."""
    owner: str = ""
    """The user who made it; empty: it comes with the app."""
    pinned: bool = False
    """True if the data set is shown to everybody."""
    corpus: str = ""
    """Id of the corpus of a made data set."""
    corpus_name: str = ""
    """Name of the corpus when the data set was begun."""


class SetStore(OwnedRows):
    """Data sets in one database; evaluations of a deleted data set stay. Calls block for a moment."""

    tables = Base.metadata
    row = DataSetRow
    parts = (MarkRow.data_set, MadeQuestionRow.data_set, DataSetFileRow.data_set)

    def add(self, dataset: DataSet, owner: str) -> str:
        """Store a data set in one transaction and return its id; raises `InputError` if its name is unfit (see
        `checked_name`)."""
        questions, documents = len(dataset.questions), len(dataset.documents)
        with self.session() as session:
            key = self._begin(
                session, dataset.name, owner, origin="uploaded", questions=questions, documents=documents
            )
            session.add_all(
                DataSetFileRow(data_set=key, name=name, text=text) for name, text in files_of(dataset).items()
            )
            return key

    def make(self, name: str, corpus: Corpus, owner: str) -> str:
        """Begin a data set about the documents of a corpus, still without questions, and return its id; raises as `add`
        does."""
        with self.session() as session:
            return self._begin(session, name, owner, origin="made", corpus=corpus.id, corpus_name=corpus.name)

    def _begin(self, session: Session, name: str, owner: str, **values: Any) -> str:
        row = DataSetRow(id=secrets.token_hex(6), owner=owner, name=self.checked_name(name), **values)
        session.add(row)
        session.flush()
        return row.id

    def list(self, owners: Collection[str] | None) -> builtins.list[DataSetEntry]:
        """Data sets of these owners (None: all) and pinned data sets: the pinned ones first, then the newest."""
        query = newest_first(DataSetRow)
        if owners is not None:
            query = query.where(shown_to(DataSetRow, owners))
        with self.session() as session:
            counts = _question_counts(session)
            return [_entry(row, counts.get(row.id, 0)) for row in session.scalars(query)]

    def get(self, data_set: str) -> DataSetEntry:
        """The data set with this id; raises `InputError` if there is none."""
        with self.session() as session:
            row = session.get(DataSetRow, data_set)
            if row is None:
                raise InputError("This data set is not stored in this app, or no longer.")
            return _entry(row, _question_counts(session, row.id).get(row.id, 0))

    def files(self, data_set: str) -> dict[str, bytes]:
        """The three files of an uploaded data set; empty: no data set has this id."""
        query = select(DataSetFileRow).where(DataSetFileRow.data_set == data_set)
        with self.session() as session:
            return {row.name: row.text.encode("utf-8", "replace") for row in session.scalars(query)}

    def move(self, data_set: str, corpus: Corpus) -> None:
        """Use another corpus for a made data set from now on; marks stay with their documents."""
        self._change(data_set, corpus=corpus.id, corpus_name=corpus.name)

    def checked_name(self, name: str) -> str:
        """The name of a data set as it is stored: without blanks around it, in Unicode's composed form.

        Raises:
            InputError: It is empty, longer than 60 characters, or holds control characters.
        """
        return stored_name(name, "a data set", MAX_NAME)


def _question_counts(session: Session, data_set: str | None = None) -> dict[str, int]:
    """Made data set -> number of questions with text, for all data sets or for the one with this id."""
    query = select(MadeQuestionRow.data_set, func.count()).where(MadeQuestionRow.text != "")
    if data_set is not None:
        query = query.where(MadeQuestionRow.data_set == data_set)
    return dict(session.execute(query.group_by(MadeQuestionRow.data_set)).all())


def _entry(row: DataSetRow, questions: int) -> DataSetEntry:
    return value_of(DataSetEntry, row, questions=questions if row.origin == "made" else row.questions)


MAX_QUESTIONS = 10_000
MAX_TEXT = 2_000
"""Most characters of a question, of an answer, and of a kind of question."""
GRADES = {0: "no", 1: "partly", 2: "fully"}
"""Degrees to which a document holds the evidence. Recall counts 1 and 2 alike, nDCG counts 2 twice."""
_DELETED = "This question has been deleted, perhaps in another window."


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
    """The title that is displayed."""


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
            count, last = session.execute(
                select(func.count(), func.coalesce(func.max(MadeQuestionRow.place), 0)).where(mine)
            ).one()
            if count + len(questions) > MAX_QUESTIONS:
                raise InputError(f"A data set made in this app holds at most {MAX_QUESTIONS:,} questions.")
            session.add_all(
                MadeQuestionRow(
                    data_set=data_set,
                    id=id_,
                    place=last + place,
                    text=_line(question.text),
                    type=_line(question.type),
                    answers=_answers(question.answers),
                )
                for place, (id_, question) in enumerate(zip(ids, questions, strict=True), 1)
            )
            session.add_all(
                _row(data_set, id_, mark)
                for id_, question in zip(ids, questions, strict=True)
                for mark in question.marks
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
        ids = [mark.document, *instead]
        before = delete(MarkRow).where(
            MarkRow.data_set == data_set, MarkRow.question == question, MarkRow.document.in_(ids)
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
