"""How a task gets done where a reply is missing or cannot be used: by another method, or by the built-in model."""

from __future__ import annotations

import asyncio
import inspect
import sys
from dataclasses import replace

import pytest

from core.errors import ModelError, NotKept, UnusableReply
from core.skills import SKILLS
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext, task
from core.trace.events import ListTracer, ReplyUnusable
from tests.skill_context import skill_context

METHODS = (
    Method(MODEL, "The model", ""),
    Method("rule", "A rule", ""),
    Method(TAUGHT, "The taught model", ""),
)
ABLE = Skill("able", "Do it", METHODS[:2], builtin="rule")
UNABLE = Skill("unable", "Think hard", METHODS[:1], builtin="")
TRAINED = Skill("trained", "Learn it", (METHODS[0], METHODS[2]), builtin=TAUGHT)
BUILTIN = skill_context(builtin=True)
ALONE = skill_context()
BOTH = replace(ALONE, fallback=BUILTIN)


def of(skill: Skill, error: Exception, context: SkillContext = BOTH) -> list[tuple[bool, str]]:
    """What a task is asked whose model fails so: whether of the built-in model, and by which method."""
    asked: list[tuple[bool, str]] = []

    @task(skill)
    async def done(context: SkillContext, text: str, *, times: int) -> str:
        assert text * times == "aa"
        asked.append((context.builtin, context.method(skill)))
        if context.method(skill) == MODEL:
            raise error
        return context.method(skill)

    assert asyncio.run(done(context, "a", times=2)) == asked[-1][1]
    return asked


def test_the_builtin_model_is_asked_the_same_by_its_own_method() -> None:
    assert of(ABLE, NotKept("Gone.")) == [(False, MODEL), (True, "rule")]


def test_other_failures_are_no_gaps() -> None:
    with pytest.raises(ModelError, match="It is down."):
        of(ABLE, ModelError("It is down."))


def test_what_it_cannot_do_is_said_behind_the_reason() -> None:
    with pytest.raises(NotKept, match=r"\AGone. The built-in model cannot do this step \(“Think hard”\).\Z"):
        of(UNABLE, NotKept("Gone."))


def test_with_nobody_to_ask_the_reason_stays_as_it_is() -> None:
    with pytest.raises(NotKept, match=r"\AGone.\Z"):
        of(UNABLE, NotKept("Gone."), ALONE)


@pytest.mark.parametrize("context", [ALONE, BOTH])
def test_where_replies_cannot_be_used_another_method_does_it_and_no_other_model(
    context: SkillContext,
) -> None:
    tracer = ListTracer()
    assert of(ABLE, UnusableReply("No JSON.", "able"), replace(context, tracer=tracer)) == [
        (False, MODEL),
        (False, "rule"),
    ]
    assert tracer.events == [
        ReplyUnusable(
            skill="able", method="rule", reason="No JSON. So it was done by another method: “A rule”."
        )
    ]


@pytest.mark.parametrize("skill", [UNABLE, TRAINED])
def test_without_another_method_a_sentence_says_what_to_do(skill: Skill) -> None:
    tracer = ListTracer()
    says = rf"\ANo JSON. No other method can do this step \(“{skill.title}”\). Try again, or choose another model.\Z"
    with pytest.raises(UnusableReply, match=says) as error:
        of(skill, UnusableReply("No JSON."), replace(BOTH, tracer=tracer))
    assert error.value.skill == skill.key
    assert tracer.events == []


def test_another_method_that_fails_as_well_is_the_end() -> None:
    @task(ABLE)
    async def done(context: SkillContext) -> None:
        raise UnusableReply(f"No JSON by {context.method(ABLE)}.", "able")

    with pytest.raises(UnusableReply, match="No JSON by rule. No other method"):
        asyncio.run(done(replace(ALONE, tracer=ListTracer())))


def test_the_task_around_another_one_does_all_of_its_work_again() -> None:
    tracer, seen = ListTracer(), []

    @task(ABLE)
    async def inner(context: SkillContext) -> None:
        if context.method(ABLE) == MODEL:
            raise UnusableReply("No JSON.", "able")

    @task(ABLE)
    async def outer(context: SkillContext) -> None:
        seen.append(context.method(ABLE))
        await inner(context)

    asyncio.run(outer(replace(ALONE, tracer=tracer)))
    assert seen == [MODEL, "rule"]
    assert len(tracer.events) == 1


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
