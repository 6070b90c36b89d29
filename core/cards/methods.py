"""How an artefact was made, and which methods and prompts a run used, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.runs.record import Record
from core.runs.run_notes import methods_used
from core.skills import SKILLS, skill_title
from core.skills.former import FORMER_METHODS, FORMER_SKILLS
from core.trace.artefacts import Artefact


@dataclass(frozen=True)
class MethodView:
    """A skill and the method that did it; raw text."""

    skill: str
    method: str
    explains: str = ""
    """How the method works; may be empty."""
    used: bool = True
    """Whether the run came to it."""


NOT_USED = "not used in this run"


@dataclass(frozen=True)
class PromptView:
    """A prompt as a run used it; raw text."""

    key: str
    title: str
    text: str
    changed: bool
    """True if the app has another one: somebody edited it, or an earlier version had it."""
    used: bool
    """Whether the run came to it."""


def method_view(artefact: Artefact) -> MethodView | None:
    """The method of its skill that made an artefact; None: no skill did."""
    if artefact.skill not in SKILLS and artefact.skill not in FORMER_SKILLS:
        return None
    if not artefact.method:
        return None
    return _method(artefact.skill, artefact.method)


def methods_chosen(record: Record) -> tuple[MethodView, ...]:
    """The methods of a run's skills: those that did them, and those that were chosen where it never came to one."""
    used, done = _skills_used(record), methods_used(record)
    chosen = record.started.methods if record.started else {}
    return tuple(
        replace(_methods(skill, done.get(skill, (method,))), used=skill in used or skill in done)
        for skill, method in chosen.items()
    )


def _skills_used(record: Record) -> set[str]:
    """Keys of the skills that asked a model or made something."""
    return {call.skill for call in record.calls} | {artefact.skill for _, artefact in record.artefacts}


def _methods(key: str, methods: Sequence[str]) -> MethodView:
    views = [_method(key, method) for method in methods]
    return replace(
        views[0],
        method=", ".join(dict.fromkeys(view.method for view in views)),
        explains=" ".join(dict.fromkeys(view.explains for view in views if view.explains)),
    )


def _method(key: str, method: str) -> MethodView:
    skill = SKILLS.get(key)
    known = next((one for one in skill.methods if one.key == method), None) if skill else None
    if known is None:
        return MethodView(skill_title(key), FORMER_METHODS.get((key, method), method))
    return MethodView(skill_title(key), known.title, known.explains)


def prompts_chosen(record: Record) -> Iterator[PromptView]:
    """The prompts of a run, those that it never came to among them."""
    used = _skills_used(record)
    for key, text in (record.started.prompts if record.started else {}).items():
        name = key.partition(".")[0]
        skill = SKILLS.get(name)
        changed = skill is not None and skill.prompts().get(key) not in (None, text)
        yield PromptView(key, skill_title(name), text, changed, name in used)
