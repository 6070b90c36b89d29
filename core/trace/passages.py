"""Passages and hits: what retrieval returns and everything else points at."""

from __future__ import annotations

from typing import Annotated

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


class Hit(Frozen):
    """A passage in one ranking."""

    rank: int = Field(ge=1)
    score: float
    passage: Passage
    before: Annotated[int | None, Field(ge=1, exclude_if=lambda rank: rank is None)] = None
    """Rank that the search gave it, where another judge ordered its hits anew; None, and left out: none did."""
