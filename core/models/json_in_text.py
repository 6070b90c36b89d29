"""JSON within a text: the whole values that stand in it, whatever words and fences are around them."""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass
from typing import Any

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
class Found:
    """A value in a text."""

    value: Any
    start: int
    end: int
    """Where it stands; `end` is behind it."""


def whole_values(text: str) -> list[Found]:
    """Every whole object and list of a text that does not lie within another, in their order.

    Nothing is repaired: of a value that breaks off, the whole values within it are found.
    """
    found: list[Found] = []
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
            found.append(Found(value, start, place))
    return found


def whole_text(text: str) -> Any:
    """What a text is as a whole, where that is JSON; None: it is none."""
    try:
        return _DECODER.decode(text.strip(_BLANK))
    except (ValueError, RecursionError):
        return None


def unpacked(value: Any) -> Any:
    """A list or an object that was put into a string of JSON; anything else as it is."""
    if isinstance(value, str) and value.lstrip(_BLANK).startswith(("{", "[")):
        inner = whole_text(value)
        return value if inner is None else inner
    return value


def python_value(text: str) -> Found | None:
    """The dictionary or list that a text holds as Python writes it, e.g. with single quotes; None: there is none."""
    opening = _PYTHON_OPENS.search(text)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    if not opening or not opening.start() < end <= opening.start() + _LONGEST_PYTHON:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string
            value = ast.literal_eval(text[opening.start() : end])
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return Found(value, opening.start(), end) if isinstance(value, dict | list) else None


def stands_alone(text: str, one: Found) -> bool:
    """Whether no words are around a value, in its fence at least."""
    _, fence, before = text[: one.start].rpartition(FENCE)
    after = text[one.end :]
    if fence:  # the name of a language may stand there
        return len(before.split()) <= 1 and not after.partition(FENCE)[0].strip(_BLANK)
    return not before.strip(_BLANK) and not after.strip(_BLANK)
