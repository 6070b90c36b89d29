"""Naming the fact that passages do not hold, and what to try."""

from __future__ import annotations

import re

from core.skills.spans.wanted import TITLES, Wanted

TRY = (
    "Try another retriever, more passages, or a strategy that searches again: the fact may stand in a passage that was "
    "not found."
)
_NOUN = re.compile(
    r"^\W*(?:what|which|who)(?:\s+(?:is|was|are|were)|['’]s)\s+(?:the\s+)?(?P<noun>[^?]+?)\s*[?？]?\s*$",
    re.IGNORECASE,
)
"""“What is the date of birth of Ada Quill?”"""
_MOST_CHARS = 120


def missing_fact(question: str, wanted: Wanted | None, passages: int) -> str:
    """One sentence that says which fact is not there.

    Args:
        question: As it was asked.
        wanted: What it asks for.
        passages: How many were read.
    """
    where = "this passage" if passages == 1 else f"these {passages} passages"
    asked = question.strip()
    if len(asked) > _MOST_CHARS:
        asked = asked[: _MOST_CHARS - 1].rstrip() + "…"
    noun = _NOUN.match(asked)
    if (
        noun
        and wanted is not None
        and " of " in noun["noun"]
        and not re.search(r"\b(?:that|which|who)\b", noun["noun"])
    ):
        return f"No {noun['noun']} in {where}."
    fact = TITLES[wanted.kind] if wanted is not None else "statement"
    return f"No {fact} in {where} that answers “{asked}”"
