"""Which skill sends a request, by which method, and what it was told: read off its messages.

The app's own prompts are the key, so that a script goes on to fit when a prompt is worded anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.models.capabilities import SCHEMA_FOLLOWS, TOOLS_FOLLOW
from core.skills import SKILLS
from core.skills.base import prompt_key, turns_of

_SLOT = re.compile(r"\{([a-z_]+)\}")
_ADDED = "".join(rf"(?:{re.escape(added)}.*)?" for added in (TOOLS_FOLLOW, SCHEMA_FOLLOWS))
"""Text that the chat client itself puts after a prompt."""


@dataclass(frozen=True)
class Asked:
    """One skill's use of the model."""

    skill: str
    method: str
    told: Mapping[str, str]
    """Slot of the prompt -> what stood in it."""


@dataclass(frozen=True)
class _Template:
    skill: str
    method: str
    turns: tuple[tuple[str, re.Pattern[str]], ...]
    """Role and pattern of each message."""
    literal: int
    """Characters outside the slots: of two prompts that fit, the more particular one is meant."""


def asked(messages: Sequence[Mapping[str, Any]]) -> tuple[Asked, ...]:
    """Return the skills that may have sent these messages: several where they share one, none if it was edited.

    Args:
        messages: Of a request's body; what follows a prompt's own messages (a correction) does not count.
    """
    found = [(template, told) for template in _templates() if (told := _told(template, messages)) is not None]
    most = max((template.literal for template, _ in found), default=0)
    return tuple(
        Asked(template.skill, template.method, told) for template, told in found if template.literal == most
    )


def told(messages: Sequence[Any], slot: str) -> str:
    """Return what a call's messages said in one slot of its prompt; messages are a request's or an event's."""
    bodies = [message if isinstance(message, Mapping) else message.model_dump() for message in messages]
    return asked(bodies)[0].told[slot]


def _told(template: _Template, messages: Sequence[Mapping[str, Any]]) -> dict[str, str] | None:
    if len(messages) < len(template.turns):
        return None
    slots: dict[str, str] = {}
    for message, (role, pattern) in zip(messages, template.turns, strict=False):
        fits = pattern.fullmatch(str(message["content"])) if message["role"] == role else None
        if fits is None:
            return None
        slots |= fits.groupdict()
    return slots


@cache
def _templates() -> tuple[_Template, ...]:
    made = []
    for skill in SKILLS.values():
        texts = skill.prompts()
        for method in skill.methods:
            if method.slots:
                turns = turns_of(texts[prompt_key(skill.key, method.key)])
                patterns = tuple((turn.role, _pattern(turn.content)) for turn in turns)
                literal = sum(len(_SLOT.sub("", turn.content)) for turn in turns)
                made.append(_Template(skill.key, method.key, patterns, literal))
    return tuple(made)


def _pattern(text: str) -> re.Pattern[str]:
    seen: set[str] = set()
    parts = _SLOT.split(text)

    def slot(place: int) -> str:
        name, last = parts[place], place == len(parts) - 2
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        # A slot may hold the words that follow it, as a list of questions does; the last one ends before what is added.
        return f"(?P<{name}>.*?)" if last else f"(?P<{name}>.*)"

    pattern = "".join(slot(at) if at % 2 else re.escape(part) for at, part in enumerate(parts))
    return re.compile(pattern + _ADDED, re.DOTALL)
