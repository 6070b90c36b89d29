"""Text as Python source: whatever it holds, it stays text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.skills.base import MODEL, builtin_prompt, prompt_key, turns_of

_ROLES = {"system": "system", "user": "human", "assistant": "ai"}
_SLOT = re.compile(r"\{([a-z_]+)\}")


def text_literal(text: str, indent: str = "") -> str:
    """A Python expression for a text, one line of source for each of its lines.

    Args:
        text: Anything; what cannot be printed is written as an escape.
        indent: Blanks before each line of source.
    """
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(text)
    parts = "\n".join(f"{indent}    {line!r}" for line in lines)
    return f"(\n{parts}\n{indent})"


def prompt_literal(skill: str, prompt: str, fixed: Mapping[str, str] | None = None) -> str:
    """A Python expression for a prompt as LangChain's template: its slots are slots, all other braces are text.

    Args:
        skill: Key of the skill, whose model is asked with it.
        prompt: As it was sent in the run; lines such as `[user]` part it into chat messages.
        fixed: Slot -> what stands there, where nothing else is given.
    """
    slots = slots_of(builtin_prompt(prompt_key(skill, MODEL)))
    messages = "".join(
        f"    ({_ROLES[turn.role]!r}, {text_literal(template(turn.content, slots), '    ')}),\n"
        for turn in turns_of(prompt)
    )
    values = ", ".join(f"{slot}={value!r}" for slot, value in (fixed or {}).items())
    return f"ChatPromptTemplate.from_messages([\n{messages}])" + (f".partial({values})" if values else "")


def slots_of(prompt: str) -> set[str]:
    """Names of the slots in a prompt."""
    return set(_SLOT.findall(prompt))


def template(prompt: str, slots: set[str]) -> str:
    """A prompt with doubled braces, but for those of its slots."""
    doubled = prompt.replace("{", "{{").replace("}", "}}")
    return re.sub(
        r"\{\{([a-z_]+)\}\}", lambda found: f"{{{found[1]}}}" if found[1] in slots else found[0], doubled
    )
