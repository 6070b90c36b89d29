"""Skills: what strategies ask of a model, one task a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.skills.answer import ANSWER, RECALL
from core.skills.base import Skill
from core.skills.reword import REWORD, SEARCH_QUERIES

SKILLS: dict[str, Skill] = {skill.key: skill for skill in (REWORD, SEARCH_QUERIES, ANSWER, RECALL)}
"""Every skill by its key."""


def methods_in_force(skills: Iterable[str], builtin: bool, chosen: Mapping[str, str]) -> dict[str, str]:
    """Skill key -> method key for some skills: the user's choice, else the default for the kind of model.

    Raises:
        InputError: A choice names a method that the skill has not got.
    """
    return {
        key: SKILLS[key].method(chosen.get(key) or SKILLS[key].default_method(builtin)).key for key in skills
    }
