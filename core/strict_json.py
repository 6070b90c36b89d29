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


def read_json(text: str | bytes) -> Any:
    """What a text of JSON says.

    Args:
        text: Of any length: who calls bounds that. Bytes are UTF-8, or say by their beginning what else they are.

    Raises:
        ValueError: It is no JSON, which NaN and Infinity are not either; it is nested more than `MOST_DEPTH` deep; or
            it has a number of more than `MOST_DIGITS` digits, or beyond the range of floating-point numbers.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text)).removeprefix("\ufeff")
    if is_deep(text):
        raise ValueError(f"nested more than {MOST_DEPTH} deep")
    return _DECODER.decode(text)


def is_deep(text: str) -> bool:
    """Whether a text of JSON, whole or cut off, nests lists and objects more than `MOST_DEPTH` deep."""
    if text.count("[") + text.count("{") <= MOST_DEPTH:
        return False
    depth = 0
    for found in _SHAPE.finditer(text):
        match found[0]:
            case "[" | "{":
                depth += 1
                if depth > MOST_DEPTH:
                    return True
            case "]" | "}":
                depth = max(0, depth - 1)
    return False


def no_constant(word: str) -> Any:
    """For `json.loads(…, parse_constant=…)`: refuse NaN and Infinity.

    Raises:
        ValueError: Always.
    """
    raise ValueError(word)


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of more than {MOST_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number beyond the range of floating-point numbers")
    return number


_DECODER = json.JSONDecoder(parse_int=_whole_number, parse_float=_number, parse_constant=no_constant)
