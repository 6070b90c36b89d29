"""Passages and hits: what retrieval returns and everything else points at."""

from __future__ import annotations

from operator import not_

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """Immutable value; unknown fields are refused so that an imported run cannot smuggle any in."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Passage(Frozen):
    """One chunk of a document, self-contained so that a stored run can be drawn without its corpus."""

    chunk: str
    """Stable id: document hash and position."""
    document: str
    """Id of the document (hash of its content)."""
    title: str
    """Document title or file name, as the user knows it."""
    text: str
    position: int = Field(ge=0)
    """Index of the chunk in its document, from 0."""
    start: int = Field(ge=0)
    """First character of the chunk in the document's text."""
    end: int = Field(ge=0)
    """One past the last character."""
    page: int | None = None
    """Page number from 1, where the format has pages."""
    heading: str = ""
    """Nearest heading above the chunk, where the format has headings."""
    left_out: tuple[str, ...] = Field((), exclude_if=not_)
    """Strips of the chunk that are not in `text`, since a strategy gives only the others; empty: it is the chunk."""


class Hit(Frozen):
    """A passage in one ranking."""

    rank: int = Field(ge=1)
    score: float
    passage: Passage
