"""The chat client: every call, retry and failure of a model as events."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from core.errors import CallLimitReached, EmptyReplyError, ModelError, UnusableReply
from core.models.call_failures import EMPTY, Failure, ShortReply, explain, redact
from core.models.capabilities import Sampling, capabilities_of
from core.models.endpoint import ChatEndpoint
from core.models.receiver import Receiver
from core.models.structured_replies import InvalidReply, corrected, parse
from core.models.wire import Likely, stream
from core.models.word_probabilities import ASKED, word_probabilities
from core.settings import Settings
from core.trace.events import Message, ModelFailed, ModelFinished, ModelStarted, Retried
from core.trace.tracer import Tracer

T = TypeVar("T", bound=BaseModel)

JITTER = 0.1
"""Largest part by which a wait is lengthened, so that parallel calls do not come back all at once."""
REASONING_ROOM = 8
"""Times the token limit with which a reply is asked for again that was empty when it reached the limit."""
_UNTOLD = ("stream_options", "user")
"""Fields of a request that are in no event: runs are passed on, and who asked them is not."""
UNFIT = "reply without the form asked for"
"""Why a structured reply is asked for again; the details are in the messages of the new call."""


class CallBudget:
    """Counts the calls that a run sends, failed ones included, and ends it at the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0

    def take(self) -> None:
        """Count one call.

        Raises:
            CallLimitReached: The limit is used up; the call must not be sent.
        """
        if self.used >= self.limit:
            raise CallLimitReached(
                f"Cap reached: the run used up its {self.limit} model calls, and what it has so far is kept; "
                "choose fewer rounds or variants, or raise MAX_CALLS."
            )
        self.used += 1


@dataclass(frozen=True)
class _Ask:
    messages: tuple[Message, ...]
    skill: str
    method: str
    sampling: Sampling
    schema: type[BaseModel] | None = None
    show: bool = False
    attempt: int = 1
    tools: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class _Reply:
    call: str
    text: str
    cut: bool
    attempt: int
    likely: tuple[Likely, ...] = ()


class Chat:
    """A chat model as a run uses it."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        tracer: Tracer,
        settings: Settings,
        budget: CallBudget,
        user: str = "",
    ) -> None:
        """
        Args:
            endpoint: The model that answers.
            tracer: Gets the events of each call.
            settings: Time limits and retries.
            budget: Number of calls that the run may send.
            user: Who asks, as the endpoint is told, see `core.users.told_name`; empty: it is not.
        """
        self.endpoint = endpoint
        self.budget = budget
        self._tracer = tracer
        self._settings = settings
        self._user = user
        self._capabilities = capabilities_of(endpoint)

    def traced(self, tracer: Tracer) -> Chat:
        """A client of the same model with the same budget that reports its events to another tracer."""
        return Chat(self.endpoint, tracer, self._settings, self.budget, self._user)

    async def text(
        self,
        messages: Sequence[Message],
        *,
        skill: str,
        method: str,
        sampling: Sampling = Sampling(),  # noqa: B008  # frozen
        show: bool = False,
    ) -> str:
        """The model's reply, never empty.

        Args:
            messages: Sent as they are.
            skill: Key of the skill that asks; for the events.
            method: Which of its methods; for the events.
            sampling: Temperature, token limit and what else the endpoint takes.
            show: Whether the reply is reported piece by piece, at most 30 pieces a second.

        Raises:
            ModelError: No usable reply, after the retries that make sense; `EmptyReplyError` for an empty one.
            CallLimitReached: The run has no calls left.
        """
        return (await self._ask(_Ask(tuple(messages), skill, method, sampling, show=show))).text

    async def structured(
        self,
        messages: Sequence[Message],
        schema: type[T],
        *,
        skill: str,
        method: str,
        sampling: Sampling = Sampling(),  # noqa: B008  # frozen
    ) -> T:
        """The model's reply as a checked value. A reply that does not fit is sent back once, with the reason.

        Raises:
            UnusableReply: The second reply does not fit either.
            ModelError: No usable reply, after the retries that make sense.
            CallLimitReached: The run has no calls left.
        """
        ask = _Ask(tuple(messages), skill, method, sampling, schema)
        reply = await self._ask(ask)
        try:
            return parse(reply.text, schema, cut=reply.cut)
        except InvalidReply as invalid:
            reason = redact(str(invalid), self.endpoint)
        self._tracer.emit(Retried(call=reply.call, attempt=reply.attempt + 1, wait=0, reason=UNFIT))
        ask = replace(ask, messages=corrected(messages, reply.text, reason), attempt=reply.attempt + 1)
        reply = await self._ask(_roomier(ask) if reply.cut else ask)
        try:
            return parse(reply.text, schema, cut=reply.cut)
        except InvalidReply as invalid:
            raise UnusableReply(
                f"The model “{self.endpoint.model}” twice gave a reply without the form asked for "
                f"({redact(str(invalid), self.endpoint).rstrip('.')}). "
                "Choose another method for this step, or another model."
            ) from None

    async def word_probabilities(
        self,
        messages: Sequence[Message],
        words: Sequence[str],
        *,
        skill: str,
        method: str,
        sampling: Sampling = Sampling(),  # noqa: B008  # frozen
    ) -> dict[str, float]:
        """The probability of each word being the first word of the reply; one token is written.

        Args:
            messages: Sent as they are.
            words: What the reply may begin with; no two alike.
            skill: Key of the skill that asks; for the events.
            method: Which of its methods; for the events.
            sampling: What else the endpoint takes; temperature and token limit are set here.

        Returns:
            Word -> probability, normalised over these words. From an endpoint without log-probabilities, the word
            that the reply begins with has 1. Empty where the reply could begin with none of them.

        Raises:
            ModelError, CallLimitReached: As in `text`.
        """
        wanted = Sampling(temperature=0.0, max_tokens=1, extra=ASKED | sampling.extra)
        reply = await self._ask(_Ask(tuple(messages), skill, method, wanted))
        return word_probabilities(words, reply.likely, reply.text)

    async def call_tools(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        schema: type[T],
        *,
        skill: str,
        method: str,
        sampling: Sampling = Sampling(),  # noqa: B008  # frozen
    ) -> T | str:
        """The tool calls that the model replies with, as a checked value; or its words, where it calls none.

        By native tool calling; where the endpoint refuses that, by a JSON schema.

        Args:
            messages: Sent as they are; without native tools, the last one also lists the tools.
            tools: As the OpenAI API describes functions.
            schema: Of `{"calls": [{"tool": name, "arguments": JSON}]}`.
            skill: Key of the skill that asks; for the events.
            method: Which of its methods; for the events.
            sampling: As in `text`.

        Raises:
            UnusableReply, ModelError, CallLimitReached: As in `structured`.
        """
        reply = await self._ask(_Ask(tuple(messages), skill, method, sampling, schema, tools=tuple(tools)))
        try:
            return parse(reply.text, schema, cut=reply.cut)
        except InvalidReply:
            if self._capabilities.tools:
                return reply.text
        listed = self._capabilities.messages(messages, None, tools)
        return await self.structured(listed, schema, skill=skill, method=method, sampling=sampling)

    async def _ask(self, ask: _Ask) -> _Reply:
        """One reply, with as many calls as that takes."""
        seen: Counter[str] = Counter()
        roomier = False
        while True:
            self.budget.take()
            call = uuid.uuid4().hex[:12]
            body, sent = self._request(ask)
            outcome = await self._send(call, ask, body, sent)
            if isinstance(outcome, _Reply):
                return outcome
            self._capabilities.learn(outcome.complaint, body)
            if outcome.complaint and self._request(ask) != (body, sent):
                wait = 0.0
            elif outcome.kind == EMPTY and outcome.cut and _limited(ask) and not roomier:
                # What a reasoning model thinks counts as well: it had no room left for its answer.
                ask, roomier, wait = _roomier(ask, REASONING_ROOM), True, 0.0
            else:
                seen[outcome.kind] += 1
                if seen.total() >= self._settings.model_attempts or seen[outcome.kind] >= outcome.tries:
                    tried = f" It was tried {seen.total()} times." if seen.total() > 1 else ""
                    kind = EmptyReplyError if outcome.kind == EMPTY else ModelError
                    raise kind(f"{outcome.what} {outcome.todo}{tried}")
                wait = self._wait(outcome, seen.total())
            ask = replace(ask, attempt=ask.attempt + 1)
            self._tracer.emit(Retried(call=call, attempt=ask.attempt, wait=wait, reason=outcome.kind))
            await asyncio.sleep(wait)

    def _request(self, ask: _Ask) -> tuple[dict[str, Any], tuple[Message, ...]]:
        """Body and messages as the endpoint is known to take them."""
        return (
            self._capabilities.body(ask.sampling, ask.schema, ask.tools, self._user),
            self._capabilities.messages(ask.messages, ask.schema, ask.tools),
        )

    def _wait(self, failure: Failure, failures: int) -> float:
        if failure.wait is not None:
            return failure.wait
        backoff = self._settings.retry_base_seconds * 2.0 ** (failures - 1)
        return backoff * random.uniform(1, 1 + JITTER)  # noqa: S311  # no secret depends on it

    async def _send(
        self, call: str, ask: _Ask, body: dict[str, Any], messages: tuple[Message, ...]
    ) -> _Reply | Failure:
        """One call, from `model_started` to its end, whatever that is."""
        import openai

        self._tracer.emit(
            ModelStarted(
                call=call,
                skill=ask.skill,
                method=ask.method,
                model=self.endpoint.model,
                messages=messages,
                sampling={name: value for name, value in body.items() if name not in _UNTOLD},
            )
        )
        started = time.perf_counter()
        receiver = Receiver(call, self._tracer if ask.show else None)
        timeout = self._settings.model_timeout_seconds
        failure = None
        try:
            async with aclosing(stream(self.endpoint, timeout, messages, body)) as pieces:
                async for piece in pieces:
                    receiver.take(piece)
            receiver.end()
        except asyncio.CancelledError:
            self._failed(call, "Stopped.", receiver, started)
            raise
        except (
            openai.OpenAIError,
            ShortReply,
            OSError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
        ) as error:
            failure = explain(error, self.endpoint, timeout)
        if failure:
            self._failed(call, failure.what, receiver, started)
            return failure
        text, seconds = receiver.text, time.perf_counter() - started
        self._tracer.emit(ModelFinished(call=call, output=text, usage=receiver.usage, seconds=seconds))
        return _Reply(call, text, receiver.finish == "length", ask.attempt, receiver.likely)

    def _failed(self, call: str, error: str, receiver: Receiver, started: float) -> None:
        seconds = time.perf_counter() - started
        self._tracer.emit(ModelFailed(call=call, error=error, output=receiver.text, seconds=seconds))


def _limited(ask: _Ask) -> bool:
    return ask.sampling.max_tokens is not None and ask.sampling.max_tokens > 1


def _roomier(ask: _Ask, times: int = 2) -> _Ask:
    """The request with a larger token limit, for a reply that was cut off."""
    limit = ask.sampling.max_tokens
    if limit is None:
        return ask
    return replace(ask, sampling=ask.sampling.model_copy(update={"max_tokens": times * limit}))
