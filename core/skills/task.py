"""Who does a task: the model of the run or, where a recording has no reply for it, the built-in model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from core.errors import NotKept
from core.skills.base import Skill, SkillContext

P = ParamSpec("P")
T = TypeVar("T")


def task(
    *skills: Skill,
) -> Callable[
    [Callable[Concatenate[SkillContext, P], Awaitable[T]]],
    Callable[Concatenate[SkillContext, P], Coroutine[Any, Any, T]],
]:
    """Decorates what strategies call of a skill: see `else_builtin`.

    Args:
        skills: Whose methods it uses.
    """

    def decorated(
        function: Callable[Concatenate[SkillContext, P], Awaitable[T]],
    ) -> Callable[Concatenate[SkillContext, P], Coroutine[Any, Any, T]]:
        @wraps(function)
        async def asked(context: SkillContext, /, *args: P.args, **kwargs: P.kwargs) -> T:
            return await else_builtin(context, lambda one: function(one, *args, **kwargs), *skills)

        return asked

    return decorated


async def else_builtin(
    context: SkillContext, ask: Callable[[SkillContext], Awaitable[T]], *skills: Skill
) -> T:
    """What `ask` gives, all of it asked again of the built-in model where a recording lacks a reply.

    Args:
        context: Of the run.
        ask: Uses the context that it is given, and no other.
        skills: Whose methods it uses.

    Raises:
        NotKept: The recording lacks a reply, and the built-in model may not or cannot do this.
        LoupeError: As `ask` does.
    """
    try:
        return await ask(replace(context, fallback=None))
    except NotKept as error:
        if context.fallback is None:
            raise
        if cannot := next((skill for skill in skills if not skill.builtin), None):
            raise NotKept(f"{error} The built-in model cannot do this step (“{cannot.title}”).") from None
    return await ask(context.fallback)
