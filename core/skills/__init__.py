"""Skills: what strategies ask of a model, one task a file; every module that holds a `Skill` is found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping

from core.skills.base import Skill

SKILLS: dict[str, Skill] = {
    value.key: value
    for module in pkgutil.iter_modules(__path__)
    for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values()
    if isinstance(value, Skill)
}
"""Every skill by its key."""


def methods_in_force(skills: Iterable[str], builtin: bool, chosen: Mapping[str, str]) -> dict[str, str]:
    """Skill key -> method key for some skills: the user's choice, else the default for the kind of model.

    Raises:
        InputError: A choice names a method that the skill has not got.
    """
    return {
        key: SKILLS[key].method(chosen.get(key) or SKILLS[key].default_method(builtin)).key for key in skills
    }
