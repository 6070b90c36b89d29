"""Stars: which of the passages on a card hold the evidence, as far as the question's labels say.

They are put on a card when it is finished, so that no kind has to know of them and none can forget them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from core.cards.parts import Beside, Card, Cites, Drawing, Fold, Part
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


def starred(card: Card, given: Stars) -> Card:
    """A card with a star before the name of each passage that holds evidence."""
    return replace(card, parts=starred_parts(card.parts, given)) if given else card


def starred_parts(parts: Sequence[Part], given: Stars) -> tuple[Part, ...]:
    """The same for parts of a card."""
    return tuple(_part(part, given) for part in parts) if given else tuple(parts)


def _part(part: Part, given: Stars) -> Part:
    match part:
        case Drawing():
            return replace(part, data={key: _value(value, given) for key, value in part.data.items()})
        case Fold():
            return replace(part, parts=starred_parts(part.parts, given))
        case Beside():
            return replace(part, columns=[starred_parts(column, given) for column in part.columns])
        case Cites():
            chips = (
                replace(chip, title=f"{STAR} {chip.title}") if chip.chunk in given else chip
                for chip in part.chips
            )
            return replace(part, chips=tuple(chips))
    return part


def _value(value: Any, given: Stars) -> Any:
    """Plain data of a drawing; a passage card in it is told by its fields, see `core.cards.passages.PassageCard`."""
    if isinstance(value, Mapping):
        made = {key: _value(one, given) for key, one in value.items()}
        if (
            {"id", "title", "pieces"} <= made.keys()
            and made["id"] in given
            and not made["title"].startswith(STAR)
        ):
            made["title"] = f"{STAR} {made['title']}"
        return made
    if isinstance(value, list | tuple):
        return [_value(one, given) for one in value]
    return value


def rating(found: int, of: int, most: int = 8) -> str:
    """Found and missing pieces of evidence as stars, e.g. `★★☆`; empty above `most`, where nobody counts them."""
    return STAR * found + "☆" * (of - found) if of <= most else ""
