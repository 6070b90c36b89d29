"""The run's prompts in the place of a script's own; prompts and skills have the same names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.runs.notebook.script import Script, prompt_literal, slots_of
from core.runs.notebook.searching import cell
from core.runs.record import Record
from core.skills.base import MODEL, builtin_prompt, prompt_key, turns_of
from core.skills.frame import NOTHING
from core.strategies.base import AnyStrategy
from core.trace.events import Message

UNTOLD = {"language": "the language of the question", "documents": NOTHING}
"""Slot -> what stands there where neither the script nor the run tells; in all others stands `NOTHING`."""
_FRAMED = {"numbered", "as_text"}
"""Functions of a script that write material into its prompts."""


def frame_cell(strategy: AnyStrategy, script: Script) -> str:
    """How the run's prompts hold passages and answers, in the place of the script's own functions."""
    return cell("frame") if strategy.retrieves and _FRAMED & script.functions.keys() else ""


def prompts_cell(strategy: AnyStrategy, run: Record, script: Script) -> str:
    """The run's prompts; what a script does not fill in stands there as it did in the run, as far as that is known."""
    parts = []
    for skill in strategy.skills:
        own = script.prompts.get(skill.upper())
        if own is not None:
            text = prompt_of(run, skill)
            known = slots_of(builtin_prompt(prompt_key(skill, MODEL)))
            fixed = {slot: _fixed(run, skill, slot) for slot in sorted(slots_of(text) & known - own)}
            parts.append(f"{skill.upper()} = {prompt_literal(skill, text, fixed)}")
    return "\n".join(parts)


def prompt_of(run: Record, skill: str) -> str:
    """The prompt with which the run asked the model, or would have, for a skill."""
    key = prompt_key(skill, MODEL)
    return (run.started.prompts.get(key) if run.started else "") or builtin_prompt(key)


def sent_in(prompt: str, messages: Sequence[Message], slot: str) -> str | None:
    """What stood in a slot of a prompt when these messages were sent; None: that cannot be told."""
    for turn, message in zip(turns_of(prompt), messages, strict=False):
        before, found, after = turn.content.partition(f"{{{slot}}}")
        if not found:
            continue
        before, after = re.split(r"\{[a-z_]+\}", before)[-1], re.split(r"\{[a-z_]+\}", after)[0]
        begin = message.content.find(before)
        end = message.content.find(after, begin + len(before)) if after else len(message.content)
        if begin >= 0 and end >= 0:
            return message.content[begin + len(before) : end]
    return None


def _fixed(run: Record, skill: str, slot: str) -> str:
    if slot in UNTOLD:
        asked = (call.messages for call in run.calls if (call.skill, call.method) == (skill, MODEL))
        told = (sent_in(prompt_of(run, skill), messages, slot) for messages in asked)
        return next(filter(None, told), UNTOLD[slot])
    return NOTHING
