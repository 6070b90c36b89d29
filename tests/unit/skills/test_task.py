"""Who does a task: the model of the run or, where a recording has no reply, the built-in model."""

from __future__ import annotations

import asyncio
import inspect
import sys

import pytest

from core.errors import ModelError, NotKept
from core.skills import SKILLS
from core.skills.base import MODEL, Method, Skill, SkillContext
from core.skills.task import task

ABLE = Skill("able", "Do it", (Method(MODEL, "The model", ""), Method("rule", "A rule", "")), builtin="rule")
UNABLE = Skill("unable", "Think hard", ABLE.methods[:1], builtin="")
BUILTIN = SkillContext(None, None, None, builtin=True)  # type: ignore[arg-type]  # not used
ALONE = SkillContext(None, None, None, builtin=False)  # type: ignore[arg-type]  # not used
BOTH = SkillContext(None, None, None, builtin=False, fallback=BUILTIN)  # type: ignore[arg-type]  # not used


def of(skill: Skill, error: Exception) -> list[tuple[SkillContext, str]]:
    """What a task is asked that fails so with a model."""
    asked: list[tuple[SkillContext, str]] = []

    @task(skill)
    async def done(context: SkillContext, text: str, *, times: int) -> str:
        asked.append((context, text * times))
        if not context.builtin:
            raise error
        return context.method(skill)

    assert asyncio.run(done(BOTH, "a", times=2)) == "rule"
    return asked


def test_the_builtin_model_is_asked_the_same_by_its_own_method() -> None:
    first, second = of(ABLE, NotKept("Gone."))
    assert first == (ALONE, "aa")  # what it calls does not fall back by itself
    assert second == (BUILTIN, "aa")


def test_other_failures_are_no_gaps() -> None:
    with pytest.raises(ModelError, match="It is down."):
        of(ABLE, ModelError("It is down."))


def test_what_it_cannot_do_is_said_behind_the_reason() -> None:
    with pytest.raises(NotKept, match=r"\AGone. The built-in model cannot do this step \(“Think hard”\).\Z"):
        of(UNABLE, NotKept("Gone."))


def test_with_nobody_to_ask_the_reason_stays_as_it_is() -> None:
    @task(UNABLE)
    async def done(context: SkillContext) -> None:
        raise NotKept("Gone.")

    with pytest.raises(NotKept, match=r"\AGone.\Z"):
        asyncio.run(done(ALONE))


def test_every_skill_has_a_task() -> None:
    """Else a recording with a gap would end there, though the built-in model has a method."""
    assert SKILLS.keys()  # imports all modules
    found = [
        skill
        for name, module in list(sys.modules.items())
        if name.startswith("core.skills.")
        for value in list(vars(module).values())
        if inspect.iscoroutinefunction(value) and hasattr(value, "__wrapped__")
        for skill in inspect.getclosurevars(value).nonlocals["skills"]
    ]
    assert {skill.key for skill in found} == set(SKILLS)
