"""Triples as a model states them: the form that is asked for, and what can be used of a reply that strays from it.

Every triple is of use without the others. So they are read one by one: a number becomes text, and what cannot be used
is dropped with a reason, as a loop is; the rest of the chunk is kept.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from core.models.structured_replies import BROKEN, unpacked
from core.trace.passages import Frozen

MAX_PART = 300
"""Characters of a subject, a relation or an object."""
MAX_QUOTE = 2000
SHOWN = 300
"""Characters of a dropped triple that are kept."""

EMPTY = "a part of it is empty"
UNQUOTED = "it has no quote"
TOO_LONG = f"a part of it is longer than {MAX_PART} characters"
NO_TRIPLE = "a part of it is neither text nor a triple"
BROKEN_OFF = "the reply is broken there, or was cut off"

Text = Annotated[str, Field(max_length=MAX_PART)]


class Dropped(Frozen):
    """A triple that may not go into the graph."""

    text: str
    reason: str


_BROKEN_OFF = (Dropped(text="…", reason=BROKEN_OFF),)


class Part(BaseModel):
    """A triple, also one within another."""

    subject: Text | Part
    relation: Text
    object: Text | Part


class Stated(Part):
    """A triple and the words that state it."""

    quote: Annotated[str, Field(max_length=MAX_QUOTE)]


class StatedTriples(BaseModel):
    """The form of the reply: triples, each with its quote."""

    # The list is read triple by triple; nothing of that is in the schema that is sent, and nor must these words be.
    triples: list[Stated]
    separable: ClassVar[str] = "triples"
    _dropped: tuple[Dropped, ...] = PrivateAttr(())

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """The rest of the reply, with the reasons why it cannot be used."""
        return self._dropped

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, value: Any, whole: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        broken = bool(info.context and info.context.get(BROKEN))
        try:
            reply = whole(value)
        except ValidationError as error:
            misfit = error
        else:
            reply._dropped = _BROKEN_OFF if broken else ()
            return reply
        items = _items(value)
        usable, dropped = _sorted(items or [])
        if items is None or (items and not usable):
            raise misfit
        reply = whole({"triples": usable})
        reply._dropped = (*dropped, *(_BROKEN_OFF if broken else ()))
        return reply


def _items(value: Any) -> list[Any] | None:
    """The items in the place of the triples; None: there is none."""
    value = unpacked(value)
    if isinstance(value, dict) and "triples" in value:
        value = unpacked(value["triples"])
        return [] if value is None else value if isinstance(value, list) else [value]
    return value if isinstance(value, list) else None


def _sorted(items: list[Any]) -> tuple[list[Any], list[Dropped]]:
    """The triples that can be used, as the schema has them, and the others with reasons."""
    usable, dropped = [], []
    for item in items:
        triple = _triple(item, Stated)
        try:
            Stated.model_validate(triple)
        except ValidationError:
            text = json.dumps(item, ensure_ascii=False)[:SHOWN]
            dropped.append(Dropped(text=text, reason=_why(triple, quoted=True)))
        else:
            usable.append(triple)
    return usable, dropped


def _triple(item: Any, kind: type[BaseModel]) -> Any:
    """An item in the form of the schema, as far as nothing has to be guessed for that."""
    item = unpacked(item)
    if isinstance(item, list) and len(item) == len(kind.model_fields):
        item = dict(zip(kind.model_fields, item, strict=True))  # in the order of the schema
    if not isinstance(item, dict):
        return item
    return {str(name).strip().casefold(): _part(part) for name, part in item.items()}


def _part(part: Any) -> Any:
    if isinstance(part, bool | int | float):
        return json.dumps(part)
    return _triple(part, Part) if isinstance(part, dict) else part


def _why(item: Any, quoted: bool) -> str:
    """Why a triple cannot be used."""
    if not isinstance(item, dict):
        return NO_TRIPLE
    parts = [item.get(name) for name in ("subject", "relation", "object")]
    if any(part is None for part in parts):
        return EMPTY
    if quoted and item.get("quote") is None:
        return UNQUOTED
    texts = [part for part in (*parts, item.get("quote")) if isinstance(part, str)]
    if any(len(text) > MAX_PART for text in texts):
        return TOO_LONG
    within = [_why(part, quoted=False) for part in parts if isinstance(part, dict)]
    return within[0] if within else NO_TRIPLE
