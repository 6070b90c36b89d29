"""Hypothetical passages."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.artefacts import Passages


@dataclass(frozen=True)
class PassagesView:
    """The passages as they were written; raw text."""

    style: str
    texts: tuple[str, ...]
    searched_with: str
    """What the vector that is searched with is the mean of, in words."""


def passages_view(artefact: Passages) -> PassagesView:
    """The passages and what is searched with."""
    count = len(artefact.texts)
    what = "the passage" if count == 1 else f"the {count} passages"
    if artefact.with_question:
        what = f"the mean of the question and {what}"
    elif count > 1:
        what = f"the mean of {what}"
    return PassagesView(artefact.style, artefact.texts, what)
