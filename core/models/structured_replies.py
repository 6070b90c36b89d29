"""Structured replies: text to a checked value, or a reason that the model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from core.characters import whole_characters
from core.models.json_in_text import Found, python_value, stands_alone, unpacked, whole_text, whole_values
from core.trace.events import Message

T = TypeVar("T", bound=BaseModel)

SHOWN_ERRORS = 5
TRIED = 50
"""Values at the beginning, and as many at the end, of a reply that are tried: prose may be full of citations."""
SEPARABLE = "separable"
"""Attribute of a schema, not sent: its list of which each item is of use without the others."""
BROKEN = "broken"
"""In the context of validation: the reply was broken, and these are its whole items."""


class InvalidReply(Exception):
    """The reply is not what was asked for. `str()` says why, fit for the model and for the user."""


def parse(text: str, schema: type[T], *, cut: bool = False) -> T:
    """The value that a reply holds.

    Args:
        text: The reply. Words and code fences around the JSON are passed over; of several values that fit, the one
            with most of the fields counts, and of these the last. Of a broken reply, the whole items are used where
            each is of use without the others (`SEPARABLE`).
        schema: What it must be.
        cut: Whether the endpoint said that it stopped at the token limit.

    Raises:
        InvalidReply: It is no JSON, or not of this schema.
    """
    try:
        return schema.model_validate_json(text.strip())
    except ValidationError as error:
        reason = _listed(error)
    inner = whole_text(text)
    text = inner if isinstance(inner, str) else text  # JSON in a string of JSON
    found = whole_values(text)
    # The end of a reply that was cut off is lost, and it is the end that counts.
    last = max(text.rfind("{"), text.rfind("[")) if cut else 0
    tried = found if len(found) <= 2 * TRIED else [*found[:TRIED], *found[-TRIED:]]
    fits = [fit for one in tried if one.end > last and (fit := _fit(one, schema, text))]
    if not fits and (python := python_value(text)) and python.end > last:
        fits = [fit] if (fit := _fit(python, schema, text)) else []
    if fits:
        return max(reversed(fits), key=lambda fit: len(fit.model_fields_set))
    if found:
        broken = cut or any(mark in text[: found[0].start] for mark in "{[")
        if usable := _whole_items(found, schema, broken):
            return usable
    if cut:
        raise InvalidReply("The reply was cut off at the token limit.")
    raise InvalidReply(next(filter(None, (_misfit(one, schema) for one in tried)), reason))


def corrected(messages: Sequence[Message], reply: str, reason: str) -> tuple[Message, ...]:
    """The conversation with the bad reply and what is wrong with it."""
    wrong = (
        f"That reply does not have the form asked for: {reason}\nReply again, with the corrected JSON alone."
    )
    return (*messages, Message(role="assistant", content=reply), Message(role="user", content=wrong))


def _fit(one: Found, schema: type[T], text: str) -> T | None:
    for form in _forms(one, schema, text):
        try:
            return _validated(form, schema)
        except (ValueError, TypeError, RecursionError):
            continue
    return None


def _misfit(one: Found, schema: type[BaseModel]) -> str:
    """Why an object is not of the schema."""
    try:
        _validated(one.value, schema)
    except ValidationError as error:
        return _listed(error) if isinstance(one.value, dict) else ""
    except (ValueError, TypeError, RecursionError):
        pass
    return ""


def _validated(value: object, schema: type[T], **context: bool) -> T:
    # As JSON, which is read by other rules than Python's values; a lone half of a character is in neither.
    return schema.model_validate_json(
        whole_characters(json.dumps(value, ensure_ascii=False)), context=context
    )


def _forms(one: Found, schema: type[BaseModel], text: str) -> Iterator[object]:
    """The forms in which models give what was asked for, as it should be first."""
    value = one.value
    if isinstance(value, dict):
        yield value
        yield {name: unpacked(item) for name, item in value.items()}
        if len(value) == 1 and not value.keys() & schema.model_fields.keys():
            yield from value.values()  # named after the schema, or "result"
    elif isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict):
            yield value[0]
        if (name := _only_list(schema)) and (_telling(value) or stands_alone(text, one)):
            yield {name: value}


def _only_list(schema: type[BaseModel]) -> str:
    """The name of the schema's one field, if that is a list; else nothing."""
    names = [name for name, field in schema.model_fields.items() if get_origin(field.annotation) is list]
    return names[0] if len(names) == len(schema.model_fields) == 1 else ""


def _telling(items: list[Any]) -> bool:
    """Whether a list is more than the number of a citation."""
    return bool(items) and all(isinstance(item, dict | str) for item in items)


def _whole_items(found: Sequence[Found], schema: type[T], broken: bool) -> T | None:
    """A schema's separable list made of the objects that stand in the reply one by one."""
    name: str = getattr(schema, SEPARABLE, "")
    items = [one.value for one in found if isinstance(one.value, dict)]
    try:
        return _validated({name: items}, schema, **{BROKEN: broken}) if name and items else None
    except (ValueError, TypeError, RecursionError):
        return None


def _listed(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(_problem(problem["loc"], problem["msg"]) for problem in problems[:SHOWN_ERRORS])


def _problem(place: tuple[int | str, ...], message: str) -> str:
    path = ".".join(map(str, place))
    return f"{path}: {message}" if path else message
