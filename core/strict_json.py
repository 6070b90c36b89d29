"""JSON that somebody else wrote: as the standard has it, where Python reads more, and no deeper or longer than is safe.

Deeply nested values end in a `RecursionError` wherever they are walked through, and numbers of any length in a
`ValueError` or an `OverflowError` wherever they are used. So both are refused where the text comes in.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

MOST_DEPTH = 100
"""Lists and objects within one another."""
MOST_DIGITS = 300
"""Digits of a whole number: the longest that can still become a floating-point number."""
_SHAPE = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[{]|[\]}]', re.DOTALL)
"""A string, which is passed over as a whole, or a bracket. A string without an end is the rest of the text."""


def read_json(text: str | bytes, *, finite: bool = True) -> Any:
    """The value of a text of JSON.

    Args:
        text: Of any length, which is for the caller to bound. Bytes are UTF-8, or say by their beginning what else.
        finite: Whether NaN, Infinity and numbers beyond the range of floating-point numbers are refused, too.

    Raises:
        ValueError: It is no JSON, it is nested more than `MOST_DEPTH` deep, or it has a number of more than
            `MOST_DIGITS` digits, or one that is not finite.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text)).removeprefix("\ufeff")
    if is_deep(text):
        raise ValueError(f"it is nested too deeply, more than {MOST_DEPTH} levels")
    return (_FINITE if finite else _ANY).decode(text)


def is_deep(text: str) -> bool:
    """True if a text of JSON, whole or cut off, nests lists and objects more than `MOST_DEPTH` deep."""
    if text.count("[") + text.count("{") <= MOST_DEPTH:
        return False
    depth = 0
    for match in _SHAPE.finditer(text):
        match match[0]:
            case "[" | "{":
                depth += 1
                if depth > MOST_DEPTH:
                    return True
            case "]" | "}":
                depth = max(0, depth - 1)
    return False


def _no_constant(word: str) -> Any:
    raise ValueError(f"it has the value {word}, which is no JSON")


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"it has a number of more than {MOST_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("it has a number beyond the range of floating-point numbers")
    return number


_FINITE = json.JSONDecoder(parse_int=_whole_number, parse_float=_number, parse_constant=_no_constant)
_ANY = json.JSONDecoder(parse_int=_whole_number)
