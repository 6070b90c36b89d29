"""How capable a chat model is: tiny, small or capable, as somebody says or as its number of parameters suggests.

Which step a model of each capability does by its own judgement, `core.skills.base` says.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

Capability = Literal["tiny", "small", "capable"]
CAPABILITIES: tuple[Capability, ...] = get_args(Capability)
"""From the least to the most capable."""
SMALL_FROM, CAPABLE_FROM = 0.9e9, 6e9
"""Parameters from which a model counts as small, and as capable: those called 1B are small, those called 7B capable,
whatever their exact number. One of 0.5 billion answered none of five questions rightly from passages that tell it,
where one of 1.5 billion did in seven of nine cases (core/skills/README.md)."""
LEAST_PARAMETERS = 1e7
"""A smaller number in a name is none of parameters."""

_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d{1,3})x)?e?(\d{1,4}(?:\.\d{1,2})?)([bm])(?![a-z0-9])", re.IGNORECASE)
_UNITS = {"b": 1e9, "m": 1e6}


def parameters_in(text: str) -> float | None:
    """The largest number of parameters that a model's name or description gives, such as `1.5b`, `8x7B` or `135M`.

    Names, which are foreign text, may hold other numbers: the length of a context, or how many parameters are active.
    None: there is none.
    """
    sizes = (
        int(experts or 1) * float(number) * _UNITS[unit.lower()]
        for experts, number, unit in _SIZE.findall(text)
    )
    return max((size for size in sizes if size >= LEAST_PARAMETERS), default=None)


def capability_of(parameters: float | None) -> Capability:
    """How capable a model with so many parameters is; one of unknown size is taken to be capable."""
    if parameters is None or parameters >= CAPABLE_FROM:
        return "capable"
    return "small" if parameters >= SMALL_FROM else "tiny"
