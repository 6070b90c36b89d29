"""Cleaning what a model gives as query variants: what is used, what is dropped and why."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.trace.artefacts import DroppedQuery, Queries, Query

_NUMBERING = re.compile(r"^\s*(?:[-*•–]+|\(?\d{1,2}[.):]|\(?[a-z]\))(?:\s+|$)")
_QUOTES = "\"'“”‘’«»`"
MAX_CHARS = 500
"""A longer variant is a passage, not a query."""


def tidy(text: str) -> str:
    """One line, without numbering, bullets and surrounding quotes."""
    line = " ".join(text.split())
    return _NUMBERING.sub("", line).strip().strip(_QUOTES).strip()


def _same(text: str) -> str:
    """What two texts must share to be copies: letters and digits, case ignored."""
    return "".join(char for char in text.casefold() if char.isalnum())


def clean(
    question: str,
    raw: Iterable[str],
    *,
    n: int,
    include_original: bool,
    rejected: Iterable[DroppedQuery] = (),
    **made_by: str,
) -> Queries:
    """The queries to search with, in first-seen order.

    Args:
        question: The user's question; with `include_original` it is the first query.
        raw: What the model wrote, best first.
        n: How many variants are wanted.
        include_original: Whether the question itself is searched as well.
        rejected: Variants that the method itself refused, with reasons; listed first among the dropped.
        made_by: `skill`, `method` and `note` of the artefact.
    """
    dropped = list(rejected)
    kept: list[str] = []
    seen: dict[str, str] = {_same(question): "a copy of the question"}
    for text in map(tidy, raw):
        key = _same(text)
        if not key:
            dropped.append(DroppedQuery(text=text, reason="empty"))
        elif key in seen:
            dropped.append(DroppedQuery(text=text, reason=seen[key]))
        elif len(text) > MAX_CHARS:
            dropped.append(
                DroppedQuery(text=text[:MAX_CHARS] + "…", reason=f"longer than {MAX_CHARS} characters")
            )
        elif len(kept) == n:
            dropped.append(DroppedQuery(text=text, reason=f"only {n} were asked for"))
        else:
            kept.append(text)
            seen[key] = "a copy of an earlier variant"
    queries = [Query(text=text, origin="model") for text in kept]
    if include_original or not queries:
        queries.insert(0, Query(text=question, origin="question"))
    return Queries(queries=tuple(queries), dropped=tuple(dropped), **made_by)
