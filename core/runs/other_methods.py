"""Steps of a run that other methods did in the place of the model's own judgement, and why."""

from __future__ import annotations

from collections import Counter

from core.runs.methods_used import methods_used
from core.runs.record import Record
from core.skills import SKILLS
from core.skills.base import MODEL
from core.wording import counted, listed


def replaced_sentence(record: Record) -> str:
    """What another method did since the model's replies could not be used, in a sentence; empty: nothing."""
    found = [one for step in record.steps for one in step.unusable]
    if not found:
        return ""
    ways = Counter((_skill(one.skill), _method(one.skill, one.method)) for one in found)
    named = listed(
        [
            f"“{skill}” by “{method}”{f' ({times} times)' if times > 1 else ''}"
            for (skill, method), times in ways.items()
        ]
    )
    tasks = counted(len(found), "task was", "tasks were")
    return f"{tasks} done by another method, since the model's replies could not be used: {named}."


def left_to_others(record: Record) -> dict[str, str]:
    """Skill -> method that did it, of skills that a model could have done by its own judgement, and was not asked to.

    Empty where the built-in model answers, whose own judgement is not good enough, and where a recording plays, whose
    gaps have ways of their own.
    """
    if record.started is None or record.started.builtin or record.recording:
        return {}
    asked = {one.skill for step in record.steps for one in step.unusable}
    return {
        skill: methods[-1]
        for skill, used in methods_used(record).items()
        if skill in SKILLS and skill not in asked
        if (methods := [one for one in used if one not in (MODEL, SKILLS[skill].served)])
    }


def left_sentence(record: Record) -> str:
    """The same in a sentence; empty: there are none."""
    named = [
        f"“{_skill(skill)}” (“{_method(skill, method)}”)" for skill, method in left_to_others(record).items()
    ]
    return f"Done by other methods than the model's own judgement: {listed(named)}." if named else ""


def _skill(key: str) -> str:
    return SKILLS[key].title if key in SKILLS else key


def _method(skill: str, key: str) -> str:
    known = SKILLS[skill].methods if skill in SKILLS else ()
    return next((one.title for one in known if one.key == key), key)
