"""The tables of classes: their questions, their members, and the votes."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text, false, true
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.owned import OwnedRow


class Base(DeclarativeBase):
    """Holds the metadata of the tables."""


class ClassRow(OwnedRow, Base):
    """One class; its owner is the teacher."""

    __tablename__ = "classes"

    code: Mapped[str] = mapped_column(String(8), unique=True)
    key: Mapped[str] = mapped_column(String(32))
    """Secret of the projector: anyone who sends it sees the votes and turns the pages."""
    place: Mapped[int] = mapped_column(server_default="-1")
    """Number of the question that is shown; -1: none yet."""
    phase: Mapped[str] = mapped_column(String(16), server_default="waiting")
    admits: Mapped[bool] = mapped_column(server_default=true())
    """True if more may join."""
    version: Mapped[int] = mapped_column(server_default="0")
    """Counts the changes that a student's page must show."""
    ended: Mapped[datetime | None] = mapped_column()
    """The moment when it was over, UTC; what its members ask after that is no part of it."""


class QuestionRow(Base):
    """One question of a class."""

    __tablename__ = "class_questions"

    classroom: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[str] = mapped_column(Text)
    revealed: Mapped[bool] = mapped_column(server_default=false())


class MemberRow(Base):
    """One browser that joined a class."""

    __tablename__ = "class_members"

    classroom: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), primary_key=True)
    member: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Its owner id."""
    nickname: Mapped[str] = mapped_column(Text, server_default="")
    joined: Mapped[datetime] = mapped_column()


class VoteRow(Base):
    """One vote, which may be changed until the reveal."""

    __tablename__ = "class_votes"

    classroom: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    member: Mapped[str] = mapped_column(String(64), primary_key=True)
    option: Mapped[str] = mapped_column(String(1))
