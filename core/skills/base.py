"""A skill: one task that strategies ask of a model, with its prompts and its methods.

Strategies know skills, never prompts or parsing. A skill has one or more *methods*: the model's own judgement,
and where a tiny model cannot do the task, an honest other way. Every artefact says which one was used.

Two things can be lacking. A model may reply twice in a row with what the step cannot use: then the skill's other method
does the step, never another model. A recording may hold no reply: then the built-in model does it by its own methods,
where somebody has allowed that.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from importlib import resources
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pydantic import BaseModel

from core.errors import InputError, NotKept, UnusableReply
from core.models.capability import Capability
from core.skills.frame import shielded
from core.trace.events import Message, ReplyUnusable, Tracer

if TYPE_CHECKING:
    from core.models.capabilities import Sampling
    from core.models.chat import Chat
    from core.models.chat_models import ChatModel
    from core.models.embeddings import Embedder
    from core.models.rerank_endpoint import RerankEndpoint
    from core.settings import Settings


@dataclass(frozen=True)
class ModelKind:
    """A kind of chat model, and whether a reranker is there beside it."""

    capability: Capability = "capable"
    """How capable the model is, see `BY_SMALL`."""
    builtin: bool = False
    """True if it is the built-in model, which is tiny, and has methods that it was taught."""
    reranker: bool = False
    """True if a reranker is configured."""

    @property
    def key(self) -> str:
        """Name under which a user's choices for this kind of model are kept, since defaults differ."""
        return "builtin" if self.builtin else self.capability


CAPABLE = ModelKind()
"""Any model but small ones."""
TINY = ModelKind("tiny", builtin=True)
"""The built-in model."""


def kind_of(chat: ChatModel, settings: Settings) -> ModelKind:
    """The kind of a model as far as its size does not count; `core.runs.backends.Backends.kind` knows that, too."""
    kind = TINY if chat.is_builtin(settings) else CAPABLE
    return replace(kind, reranker=settings.has_reranker)


T = TypeVar("T", bound=BaseModel)

MODEL = "model"
"""The method key of the model's own judgement, the same in every skill."""
SHORT = "short"
"""The method key of the model's judgement in a form that small models can follow: a short prompt, examples in the form
of the reply, one item a call."""
OWN = (MODEL, SHORT)
"""The method keys by which any model does a task itself."""
TAUGHT = "taught"
"""The method key of what the built-in model was taught: the same model with its adapter."""
ADAPTER_ON: dict[str, Any] = {"lora": [{"id": 0, "scale": 1.0}]}
"""`Sampling.extra` of a taught method: this call, and no other, goes through the built-in model's adapter."""

BY_SMALL: Mapping[str, str] = {
    "answer": SHORT,
    "answer_again": SHORT,
    "answer_gathered": SHORT,
    "answer_path": SHORT,
    "answer_step_back": SHORT,
    "answer_sub": SHORT,
    "extract": SHORT,
    "grade_relevance": SHORT,
    "read": SHORT,
    "reduce": MODEL,
    "resolve": "rule",
    "reword": MODEL,
    "rewrite_question": MODEL,
    "search_queries": MODEL,
    "split_question": MODEL,
    "step_back": MODEL,
    "sub_questions": MODEL,
    "synthesise": SHORT,
    "think": SHORT,
}
"""Skill -> the method by which a small model does it. A skill that is not named here is done without the model's
judgement, where another method can do it.

Small models write what one of 1.5 billion parameters was seen to write: answers, thoughts, rewordings, questions; and
they judge relevance, in one word. Other verdicts, tools and ways to search are not left to them: it nearly always said
yes, and was right no more often than what stands in for it and costs no call (docs/results.md, “Which step can which
model carry?”). Nor is what nobody has measured.
"""


@dataclass(frozen=True)
class Method:
    """One way to do a skill's task."""

    key: str
    title: str
    explains: str
    """One sentence for the user: how it works and what it cannot do."""
    slots: tuple[str, ...] = ()
    """Slots its prompt must have; empty: it uses no prompt, and so no model."""
    replies: int = 1
    """Replies that one use asks for, if it has a prompt."""

    @property
    def calls(self) -> int:
        """Model calls of one use when nothing has to be repeated."""
        return self.replies if self.slots else 0


@dataclass(frozen=True)
class Skill:
    """One task, described: what the settings, the prompt editor and the forecast are made from."""

    key: str
    title: str
    methods: tuple[Method, ...]
    builtin: str
    """Key of the default method with the built-in model; empty: it cannot do this."""
    served: str = ""
    """Key of the method that asks a reranker: the default where one is configured, and else not to be chosen."""

    @classmethod
    def of(cls, key: str, title: str, *methods: Method, builtin: str, served: str = "") -> Skill:
        """A skill with these methods, the model's own judgement first."""
        return cls(key, title, methods, builtin, served)

    def method(self, key: str) -> Method:
        """The method of that key.

        Raises:
            InputError: The skill has no such method.
        """
        for method in self.methods:
            if method.key == key:
                return method
        known = ", ".join(method.key for method in self.methods)
        raise InputError(f"The skill '{self.key}' has no method '{key}'. It has: {known}.")

    def default_method(self, kind: ModelKind) -> str:
        """Key of the method used when the user picks none."""
        if kind.reranker and self.served:
            return self.served
        if kind.builtin:
            return self.builtin or MODEL
        if kind.capability == "capable":
            return MODEL
        by_small, other = BY_SMALL.get(self.key, ""), self.spare
        return (by_small or other if kind.capability == "small" else other or by_small) or MODEL

    @property
    def spare(self) -> str:
        """Key of the method that takes the place of the own judgement of any model; empty: none does."""
        keys = (self.builtin, *(method.key for method in self.methods))
        return next((key for key in keys if key not in ("", MODEL, SHORT, TAUGHT, self.served)), "")

    def offered(self, kind: ModelKind) -> tuple[Method, ...]:
        """The methods that can be chosen."""
        if kind.builtin and not self.builtin:
            return ()
        return tuple(
            method
            for method in self.methods
            if (kind.builtin or method.key != TAUGHT) and (kind.reranker or method.key != self.served)
        )

    def prompts(self) -> dict[str, str]:
        """Prompt key -> built-in text, for each method that has a prompt."""
        keys = (prompt_key(self.key, method.key) for method in self.methods if method.slots)
        return {key: builtin_prompt(key) for key in keys}


@dataclass(frozen=True)
class SkillContext:
    """The model, the embedder and the settings that skills work with during one run."""

    chat: Chat
    embedder: Embedder
    tracer: Tracer
    builtin: bool
    """True if the tiny built-in model answers."""
    methods: Mapping[str, str] = field(default_factory=dict)
    """Skill key -> method picked by the user."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompt key -> text edited by the user."""
    reranker: RerankEndpoint | None = None
    """The reranker that is configured; None: there is none."""
    languages: tuple[str, ...] = ()
    """Languages of the documents by their English names, the most frequent first; empty: not known."""
    fallback: SkillContext | None = None
    """The same run with the built-in model, which does what a recording has no reply for, see `core.skills.base`;
    None: nobody does."""
    within_task: bool = False
    """True if a task is under way that does all of its work again where a reply is missing or cannot be used."""

    @property
    def searched_language(self) -> str:
        """The language in which texts are written that are searched with, as a prompt names it."""
        return self.languages[0] if self.languages else "the language of the question"

    @property
    def searched_languages(self) -> str:
        """The languages of several texts that are searched with: one text in each further language."""
        others = "".join(f", and one of them in {name}" for name in self.languages[1:])
        return f"{self.searched_language}{others}"

    def traced(self, tracer: Tracer) -> SkillContext:
        """The same that reports to another tracer."""
        return replace(
            self,
            tracer=tracer,
            chat=self.chat.traced(tracer),
            fallback=self.fallback and self.fallback.traced(tracer),
        )

    def method(self, skill: Skill) -> str:
        """Key of the method in force for a skill."""
        kind = replace(TINY if self.builtin else CAPABLE, reranker=self.reranker is not None)
        return skill.method(self.methods.get(skill.key, skill.default_method(kind))).key

    def messages(self, skill: Skill, method: str, **slots: object) -> tuple[Message, ...]:
        """The prompt in force for a method as chat messages, its slots filled in; no value leaves its tags."""
        key = prompt_key(skill.key, method)
        turns = turns_of(self.prompts.get(key) or builtin_prompt(key))
        return tuple(turn.model_copy(update={"content": fill(turn.content, slots)}) for turn in turns)

    async def text(
        self, skill: Skill, method: str, sampling: Sampling, /, *, show: bool = False, **slots: object
    ) -> str:
        """The reply to a method's prompt; `show`, what it may be, and errors as in `Chat.text`."""
        prompt = self.messages(skill, method, **slots)
        return await self.chat.text(prompt, skill=skill.key, method=method, sampling=sampling, show=show)

    async def structured(
        self, skill: Skill, method: str, schema: type[T], sampling: Sampling, /, **slots: object
    ) -> T:
        """The reply to a method's prompt as a checked value; errors as in `Chat.structured`."""
        prompt = self.messages(skill, method, **slots)
        return await self.chat.structured(prompt, schema, skill=skill.key, method=method, sampling=sampling)


def turns_of(prompt: str) -> tuple[Message, ...]:
    """The chat messages of a prompt: each begins after a line `[system]`, `[user]` or `[assistant]`.

    What stands above the first such line is a remark for the reader. A prompt without any is one user message.
    """
    _, *parts = re.split(r"^\[(system|user|assistant)\][ \t]*$", prompt, flags=re.MULTILINE)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    turns = [Message.model_validate({"role": role, "content": text.strip()}) for role, text in pairs]
    return tuple(turn for turn in turns if turn.content) or (Message(role="user", content=prompt),)


def prompt_key(skill: str, method: str) -> str:
    """Name of a prompt: also its file name without the ending."""
    return f"{skill}.{method}"


@cache
def builtin_prompt(key: str) -> str:
    """Text of a prompt as it comes with the app."""
    return (resources.files("core.skills") / "prompts" / f"{key}.txt").read_text(encoding="utf-8").strip()


def fill(prompt: str, slots: Mapping[str, object]) -> str:
    """Put values into `{name}` slots, in one pass and shielded: a question or a document never fills a slot itself."""
    pattern = re.compile(r"\{(" + "|".join(map(re.escape, slots)) + r")\}")
    return pattern.sub(lambda match: shielded(slots[match.group(1)]), prompt)


P = ParamSpec("P")
Done = TypeVar("Done")


def task(
    *skills: Skill,
) -> Callable[
    [Callable[Concatenate[SkillContext, P], Awaitable[Done]]],
    Callable[Concatenate[SkillContext, P], Coroutine[Any, Any, Done]],
]:
    """Decorates a function that strategies call: what a skill does for them, by the method in force.

    All such functions raise `ModelError` where the endpoint fails or its replies cannot be used, and what else
    `else_otherwise` does.
    """

    def decorated(
        function: Callable[Concatenate[SkillContext, P], Awaitable[Done]],
    ) -> Callable[Concatenate[SkillContext, P], Coroutine[Any, Any, Done]]:
        @wraps(function)
        async def with_other_method(context: SkillContext, /, *args: P.args, **kwargs: P.kwargs) -> Done:
            return await else_otherwise(context, lambda usable: function(usable, *args, **kwargs), *skills)

        return with_other_method

    return decorated


async def else_otherwise(
    context: SkillContext, ask: Callable[[SkillContext], Awaitable[Done]], *skills: Skill
) -> Done:
    """The result of `ask`; all of it is done again where the model gives nothing usable.

    Within another call of this, `ask` is only called: the outer one does all of its work again.

    Args:
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
    context: SkillContext, ask: Callable[[SkillContext], Awaitable[Done]], skills: tuple[Skill, ...]
) -> Done:
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
