"""The tables of stored data sets."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import JSON, ForeignKey, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Holds the metadata of the tables."""


class DataSetRow(Base):
    """A data set that was uploaded or is made in the browser."""

    __tablename__ = "data_sets"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    name: Mapped[str] = mapped_column(String(80))
    origin: Mapped[str] = mapped_column(String(10))
    """`uploaded` or `made`."""
    pinned: Mapped[bool] = mapped_column(default=False)
    """Whether the data set is shown to everybody."""
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
