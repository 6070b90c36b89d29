"""Stars: the passages of a run that hold the evidence, as far as the question's labels say.

`core.cards.passages.passage_card` puts them on the card of a passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import BaseModel

from core.runs.gold import Gold, holds_evidence
from core.runs.record import Record
from core.trace.passages import Passage

STAR = "★"
"""Stands before the name of a passage that holds evidence."""
MEANING = "★ marks a passage that holds evidence, as the question's labels say."


Stars = frozenset[str]
"""Ids of the passages that hold evidence; empty where nobody knows, and before a run has ended."""


def stars_of(record: Record, gold: Sequence[Gold] | None = None) -> Stars:
    """The stars among everything that a run has found.

    Args:
        gold: Where the evidence is; None: as the run says, which it does at its end.
    """
    if gold is None:
        gold = record.baseline.gold if record.baseline else ()
    made = (artefact for _, artefact in record.artefacts)
    return (
        frozenset(one.chunk for one in _passages(made) if holds_evidence(gold, one)) if gold else frozenset()
    )


def _passages(value: object) -> Iterator[Passage]:
    """Every passage in an artefact, wherever it keeps them."""
    if isinstance(value, Passage):
        yield value
    elif isinstance(value, BaseModel):
        for _, one in value:
            yield from _passages(one)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        for one in value:
            yield from _passages(one)


def rating(found: int, of: int, most: int = 8) -> str:
    """Found and missing pieces of evidence as stars, e.g. `★★☆`; empty above `most`, where nobody counts them."""
    return STAR * found + "☆" * (of - found) if of <= most else ""
