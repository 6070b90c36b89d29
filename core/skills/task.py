"""How a step gets done where its model has no usable reply: by the skill's other method, or by the built-in model.

Two things can be lacking. A model may reply twice in a row with what the step cannot use: then the skill's other method
does the step, never another model. A recording may hold no reply: then the built-in model does it by its own methods,
where somebody has allowed that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from core.errors import NotKept, UnusableReply
from core.skills.base import Skill, SkillContext
from core.trace.events import ReplyUnusable

P = ParamSpec("P")
T = TypeVar("T")


def task(
    *skills: Skill,
) -> Callable[
    [Callable[Concatenate[SkillContext, P], Awaitable[T]]],
    Callable[Concatenate[SkillContext, P], Coroutine[Any, Any, T]],
]:
    """Decorates a function that strategies call: what a skill does for them, by the method in force.

    All such functions raise `ModelError` where the endpoint fails or its replies cannot be used, and what else
    `else_otherwise` does.

    Args:
        skills: The skills whose methods it uses.
    """

    def decorated(
        function: Callable[Concatenate[SkillContext, P], Awaitable[T]],
    ) -> Callable[Concatenate[SkillContext, P], Coroutine[Any, Any, T]]:
        @wraps(function)
        async def asked(context: SkillContext, /, *args: P.args, **kwargs: P.kwargs) -> T:
            return await else_otherwise(context, lambda one: function(one, *args, **kwargs), *skills)

        return asked

    return decorated


async def else_otherwise(
    context: SkillContext, ask: Callable[[SkillContext], Awaitable[T]], *skills: Skill
) -> T:
    """The result of `ask`; all of it is done again where the model gives nothing usable.

    Within another call of this, `ask` is only called: the outer one does all of its work again.

    Args:
        context: Of the run.
        ask: Does the work with the context that it is given, and no other.
        skills: Whose methods it uses, at least one.

    Raises:
        UnusableReply: The model's replies cannot be used, and the skill has no other method.
        NotKept: The recording lacks a reply, and the built-in model may not or cannot do this.
        LoupeError: As `ask` does.
    """
    if context.within_task:
        return await ask(context)
    try:
        return await _by_other_method(context, ask, skills)
    except NotKept as error:
        if context.fallback is None:
            raise
        if cannot := next((skill for skill in skills if not skill.builtin), None):
            raise NotKept(f"{error} The built-in model cannot do this step (“{cannot.title}”).") from None
    return await _by_other_method(context.fallback, ask, skills)


async def _by_other_method(
    context: SkillContext, ask: Callable[[SkillContext], Awaitable[T]], skills: tuple[Skill, ...]
) -> T:
    """The result of `ask`, done again by the other method of the skill whose reply could not be used."""
    context = replace(context, within_task=True)
    while True:
        try:
            return await ask(context)
        except UnusableReply as error:
            skill = next((used for used in skills if used.key == error.skill), skills[0])
            other = skill.spare
            if other in ("", context.method(skill)):
                raise UnusableReply(
                    f"{error} No other method can do this step (“{skill.title}”). Try again, or choose another model.",
                    skill.key,
                ) from None
            reason = f"{error} So it was done by another method: “{skill.method(other).title}”."
            context.tracer.emit(ReplyUnusable(skill=skill.key, method=other, reason=reason))
            context = replace(context, methods={**context.methods, skill.key: other})
