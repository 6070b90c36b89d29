"""Skills: what strategies ask of a model, one task a file; every module that holds a `Skill` is found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping

from core.errors import InputError
from core.skills.base import Method, Skill

SKILLS: dict[str, Skill] = {
    value.key: value
    for module in pkgutil.iter_modules(__path__)
    for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values()
    if isinstance(value, Skill)
}
"""Every skill by its key."""


def methods_in_force(
    skills: Iterable[str], builtin: bool, chosen: Mapping[str, str], as_it_came: bool = False
) -> dict[str, str]:
    """Skill key -> method key for some skills: the user's choice, else the default for the kind of model.

    Args:
        skills: Keys of the skills.
        builtin: Whether the built-in model answers.
        chosen: Skill key -> method key picked by the user.
        as_it_came: Whether the built-in model answers without its adapter.

    Raises:
        InputError: A choice names a method that the skill has not got, or that needs the adapter.
    """
    found: dict[str, str] = {}
    for key in skills:
        skill = SKILLS[key]
        method = skill.method(chosen.get(key) or skill.default_method(builtin, as_it_came))
        if method not in skill.offered(builtin, as_it_came):
            raise InputError(_needs_adapter(skill, method, builtin))
        found[key] = method.key
    return found


def _needs_adapter(skill: Skill, method: Method, builtin: bool) -> str:
    why = "that model answers as it came" if builtin else "another model answers"
    return (
        f"“{method.title}” needs what the built-in model was taught, but {why}. "
        f"Choose another method for “{skill.title}”."
    )
