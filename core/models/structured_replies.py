"""Structured replies: text to a checked value, or a reason that the model can act on.

JSON is found within a text, whatever words and fences are around it, and never repaired.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from core.trace.events import Message
from core.wording import whole_characters

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
    inner = _whole_text(text)
    text = inner if isinstance(inner, str) else text  # JSON in a string of JSON
    values = whole_values(text)
    # The end of a reply that was cut off is lost, and it is the end that counts.
    last = max(text.rfind("{"), text.rfind("[")) if cut else 0
    tried = values if len(values) <= 2 * TRIED else [*values[:TRIED], *values[-TRIED:]]
    fits = [fit for value in tried if value.end > last and (fit := _fit(value, schema, text))]
    if not fits and (python := _python_value(text)) and python.end > last:
        fits = [fit] if (fit := _fit(python, schema, text)) else []
    if fits:
        return max(reversed(fits), key=lambda fit: len(fit.model_fields_set))
    if values:
        broken = cut or any(mark in text[: values[0].start] for mark in "{[")
        if usable := _whole_items(values, schema, broken):
            return usable
    if cut:
        raise InvalidReply("The reply was cut off at the token limit.")
    raise InvalidReply(next(filter(None, (_misfit(value, schema) for value in tried)), reason))


def corrected(messages: Sequence[Message], reply: str, reason: str) -> tuple[Message, ...]:
    """The conversation with the bad reply and what is wrong with it."""
    wrong = (
        f"That reply does not have the form asked for: {reason}\nReply again, with the corrected JSON alone."
    )
    return (*messages, Message(role="assistant", content=reply), Message(role="user", content=wrong))


def _fit(fragment: Fragment, schema: type[T], text: str) -> T | None:
    for form in _forms(fragment, schema, text):
        try:
            return _validated(form, schema)
        except (ValueError, TypeError, RecursionError):
            continue
    return None


def _misfit(fragment: Fragment, schema: type[BaseModel]) -> str:
    """The reasons for which an object is not of the schema; empty: it is, or it is no object."""
    try:
        _validated(fragment.value, schema)
    except ValidationError as error:
        return _listed(error) if isinstance(fragment.value, dict) else ""
    except (ValueError, TypeError, RecursionError):
        pass
    return ""


def _validated(value: object, schema: type[T], **context: bool) -> T:
    # As JSON, which is read by other rules than Python's values; a lone half of a character is in neither.
    return schema.model_validate_json(
        whole_characters(json.dumps(value, ensure_ascii=False)), context=context
    )


def _forms(fragment: Fragment, schema: type[BaseModel], text: str) -> Iterator[object]:
    """The forms in which models give what was asked for, as it should be first."""
    value = fragment.value
    if isinstance(value, dict):
        yield value
        yield {name: unpacked(item) for name, item in value.items()}
        if len(value) == 1 and not value.keys() & schema.model_fields.keys():
            yield from value.values()  # named after the schema, or "result"
    elif isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict):
            yield value[0]
        if (name := _only_list(schema)) and (_telling(value) or _stands_alone(text, fragment)):
            yield {name: value}


def _only_list(schema: type[BaseModel]) -> str:
    """The name of the schema's one field, if that is a list; else nothing."""
    names = [name for name, field in schema.model_fields.items() if get_origin(field.annotation) is list]
    return names[0] if len(names) == len(schema.model_fields) == 1 else ""


def _telling(items: list[Any]) -> bool:
    """True if a list is more than the number of a citation."""
    return bool(items) and all(isinstance(item, dict | str) for item in items)


def _whole_items(values: Sequence[Fragment], schema: type[T], broken: bool) -> T | None:
    """A schema's separable list made of the objects that stand in the reply one by one."""
    name: str = getattr(schema, SEPARABLE, "")
    items = [value.value for value in values if isinstance(value.value, dict)]
    try:
        return _validated({name: items}, schema, **{BROKEN: broken}) if name and items else None
    except (ValueError, TypeError, RecursionError):
        return None


def _listed(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)[:SHOWN_ERRORS]
    parts = ((".".join(map(str, problem["loc"])), problem["msg"]) for problem in problems)
    return "; ".join(f"{place}: {message}" if place else message for place, message in parts)


# JSON within a text

FENCE = "```"
_OPENS = re.compile(r"""\{(?=\s*["}])|\[(?=\s*[\[{"\]\d\-tfnNI])""")
"""An object or a list may begin there; most brackets of prose, of code and of formulas are passed over."""
_PYTHON_OPENS = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)
"""Takes line breaks within strings, which models write."""
_TRIES = 20
"""Times the text that may be read in vain: a text of brackets alone is not searched for ever."""
_LINE_COUNT = 4
"""Characters before a mistake that are counted for lines in the time in which one is read."""
_LONGEST_PYTHON = 100_000
"""Characters; Python's reader is no place for more."""
_BLANK = "\ufeff \t\r\n"


@dataclass(frozen=True)
class Fragment:
    """A value that stands in a text."""

    value: Any
    start: int
    end: int
    """Characters between which it stands; `end` is behind it."""


def whole_values(text: str) -> list[Fragment]:
    """Every whole object and list of a text that does not lie within another, in their order.

    Nothing is repaired: of a value that breaks off, the whole values within it are found.
    """
    values: list[Fragment] = []
    place, left = 0, _TRIES * len(text)
    while left >= 0 and (opening := _OPENS.search(text, place)):
        start = opening.start()
        try:
            value, place = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            left -= len(text) - start if error.msg.startswith("Unterminated") else error.pos - start
            left -= error.pos // _LINE_COUNT
            place = start + 1
        except (ValueError, RecursionError):  # a number of thousands of digits, or nested too deep
            left -= len(text) - start
            place = start + 1
        else:
            values.append(Fragment(value, start, place))
    return values


def _whole_text(text: str) -> Any:
    """The value of a text that is JSON as a whole; None: it is not."""
    try:
        return _DECODER.decode(text.strip(_BLANK))
    except (ValueError, RecursionError):
        return None


def unpacked(value: Any) -> Any:
    """A list or an object that was put into a string of JSON; anything else as it is."""
    if isinstance(value, str) and value.lstrip(_BLANK).startswith(("{", "[")):
        inner = _whole_text(value)
        return value if inner is None else inner
    return value


def _python_value(text: str) -> Fragment | None:
    """The dictionary or list that a text holds as Python writes it, e.g. with single quotes; None: there is none."""
    opening = _PYTHON_OPENS.search(text)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    if not opening or not opening.start() < end <= opening.start() + _LONGEST_PYTHON:
        return None
    try:
        value = ast.literal_eval(python_expression(text[opening.start() : end]))
    except UNREADABLE:
        return None
    return Fragment(value, opening.start(), end) if isinstance(value, dict | list) else None


UNREADABLE = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)
"""Raised for a text that is no value of Python's."""


def python_expression(text: str) -> ast.expr:
    """A text read as Python, which is not run; raises one of `UNREADABLE`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a string
        return ast.parse(text, mode="eval").body


def _stands_alone(text: str, fragment: Fragment) -> bool:
    """True if no words are around a value, in its fence at least."""
    _, fence, before = text[: fragment.start].rpartition(FENCE)
    after = text[fragment.end :]
    if fence:  # the name of a language may stand there
        return len(before.split()) <= 1 and not after.partition(FENCE)[0].strip(_BLANK)
    return not before.strip(_BLANK) and not after.strip(_BLANK)
