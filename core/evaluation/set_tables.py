"""The tables of stored data sets."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import JSON, ForeignKey, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Holds the metadata of the tables."""


class DataSetRow(Base):
    """A data set that somebody uploaded or makes."""

    __tablename__ = "data_sets"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    name: Mapped[str] = mapped_column(String(80))
    origin: Mapped[str] = mapped_column(String(10))
    """`uploaded` or `made`."""
    pinned: Mapped[bool] = mapped_column(default=False)
    """Shown to everybody."""
    questions: Mapped[int] = mapped_column(default=0)
    """Of an uploaded one; those of a made one are counted."""
    documents: Mapped[int] = mapped_column(default=0)
    """Likewise."""
    corpus: Mapped[str] = mapped_column(String(32), default="")
    """Of a made one: id of the corpus that its documents are in."""
    corpus_name: Mapped[str] = mapped_column(String(80), default="")
    """Finds it again where it was made anew."""


class DataSetFileRow(Base):
    """One of the three files of an uploaded data set."""

    __tablename__ = "data_set_files"

    data_set: Mapped[str] = mapped_column(ForeignKey("data_sets.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class MadeQuestionRow(Base):
    """A question of a made data set; written with every step of making it."""

    __tablename__ = "made_questions"

    data_set: Mapped[str] = mapped_column(ForeignKey("data_sets.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    place: Mapped[int]
    """Orders the questions."""
    text: Mapped[str] = mapped_column(Text, default="")
    type: Mapped[str] = mapped_column(Text, default="")
    answers: Mapped[list[str]] = mapped_column(JSON, default=list)


class MarkRow(Base):
    """A document that holds evidence for a question. It knows the document by more than its id, since that changes
    with the file's content."""

    __tablename__ = "made_marks"

    data_set: Mapped[str] = mapped_column(ForeignKey("data_sets.id", ondelete="CASCADE"), primary_key=True)
    question: Mapped[str] = mapped_column(String(16), primary_key=True)
    document: Mapped[str] = mapped_column(String(16), primary_key=True)
    """Its id in the corpus when it was marked."""
    grade: Mapped[int]
    """1: partly, 2: fully."""
    name: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
