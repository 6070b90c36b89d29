"""Skills: what strategies ask of a model, one task a file; every module that holds a `Skill` is found."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping

from core.errors import InputError
from core.skills.base import Method, ModelKind, Skill

MAX_PROMPT_CHARS = 20_000


class Skills(Mapping[str, Skill]):
    """Skills by their keys. A skill whose module is imported is found at once; else all modules are imported."""

    def __init__(self) -> None:
        self.known: dict[str, Skill] = {}
        self._complete = False

    def __getitem__(self, key: str) -> Skill:
        if key not in self.known and not self._complete:
            self._look(module for module in _modules() if module in sys.modules)
        return self.known[key] if key in self.known else self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._all()))

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Skill]:
        if not self._complete:
            self._look(_modules())
            self._complete = True
        return self.known

    def _look(self, modules: Iterable[str]) -> None:
        for module in modules:
            for value in list(vars(importlib.import_module(module)).values()):
                if isinstance(value, Skill):
                    self.known.setdefault(value.key, value)


def _modules() -> list[str]:
    return [f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)]


SKILLS = Skills()
"""Every skill by its key."""


def skill_title(key: str) -> str:
    """The title of a skill; the key itself where this version has no such skill."""
    return SKILLS[key].title if key in SKILLS else key


def is_known(skill: str, method: str) -> bool:
    """True if this version has a skill, and the skill a method; a stored run may be of another version."""
    return skill in SKILLS and any(known.key == method for known in SKILLS[skill].methods)


def methods_in_force(skills: Iterable[str], kind: ModelKind, chosen: Mapping[str, str]) -> dict[str, str]:
    """Skill key -> method key for some skills: the user's choice, else the default for the kind of model.

    Raises:
        InputError: A choice names a method that the skill has not got, or that needs what is not there.
    """
    methods: dict[str, str] = {}
    for key in skills:
        skill = SKILLS[key]
        method = skill.method(chosen.get(key) or skill.default_method(kind))
        if method not in skill.offered(kind):
            raise InputError(_needs(skill, method, kind.builtin))
        methods[key] = method.key
    return methods


def check_prompt(key: str, text: str) -> None:
    """Refuse a prompt, named as by `prompt_key`, that a skill could not work with.

    Raises:
        InputError: It lacks a slot, or is too long.
    """
    name, _, chosen = key.partition(".")
    skill = SKILLS.get(name)
    if skill is None or not skill.method(chosen).slots:
        raise InputError(f"There is no prompt '{key[:60]}'.")
    missing = [slot for slot in skill.method(chosen).slots if f"{{{slot}}}" not in text]
    if missing:
        raise InputError(
            f"The prompt of “{skill.title}” lacks {', '.join(f'{{{slot}}}' for slot in missing)}: without it, "
            "the model would not be told what it is about. Put it in, braces included."
        )
    if len(text) > MAX_PROMPT_CHARS:
        raise InputError(
            f"The prompt of “{skill.title}” has {len(text):,} characters; at most {MAX_PROMPT_CHARS:,} are possible."
        )


def needs_endpoint(title: str) -> str:
    """Why something of that title cannot be done by the built-in model, and what to do."""
    return (
        f"{title} needs a model that reasons, and the tiny built-in one does not. "
        "Connect another model (in the sidebar, or by OPENAI_BASE_URL and CHAT_MODEL), or choose another strategy."
    )


def _needs(skill: Skill, method: Method, builtin: bool) -> str:
    if builtin and not skill.builtin:
        return needs_endpoint(f"“{skill.title}”")
    if method.key == skill.served:
        return (
            f"“{method.title}” needs one, and none is configured. Set RERANK_BASE_URL, or choose another method for "
            f"“{skill.title}”."
        )
    return (
        f"“{method.title}” needs what the built-in model was taught, but another model answers. "
        f"Choose another method for “{skill.title}”."
    )
