"""How an artefact was made, and which methods and prompts a run used, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.skills import SKILLS
from core.trace.artefacts import Artefact
from core.trace.events import RunStarted


@dataclass(frozen=True)
class MethodView:
    """A skill and the method that did it; raw text."""

    skill: str
    method: str
    explains: str = ""
    """How the method works; may be empty."""


@dataclass(frozen=True)
class PromptView:
    """A prompt as a run used it; raw text."""

    key: str
    title: str
    text: str
    changed: bool
    """Whether somebody changed it for this run."""


def method_view(artefact: Artefact) -> MethodView | None:
    """Which method of its skill made an artefact; None: no skill did."""
    if artefact.skill not in SKILLS or not artefact.method:
        return None
    return _method(artefact.skill, artefact.method)


def methods_used(started: RunStarted) -> tuple[MethodView, ...]:
    """The methods that were chosen for a run."""
    return tuple(_method(skill, method) for skill, method in started.methods.items())


def _method(key: str, method: str) -> MethodView:
    skill = SKILLS.get(key)
    if skill is None:
        return MethodView(key, method)
    known = next((one for one in skill.methods if one.key == method), None)
    return MethodView(skill.title, known.title if known else method, known.explains if known else "")


def prompts_used(started: RunStarted) -> Iterator[PromptView]:
    """The prompts of a run."""
    for key, text in started.prompts.items():
        skill = SKILLS.get(key.partition(".")[0])
        changed = skill is not None and skill.prompts().get(key) not in (None, text)
        yield PromptView(key, skill.title if skill else key, text, changed)
