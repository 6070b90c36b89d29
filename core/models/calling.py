"""Calls of an endpoint: sent, repeated where that makes sense, and reported as events.

With the values that stand between the chat client and whatever replies: an endpoint, or a recording.
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from core.errors import CallLimitReached, EmptyReplyError, ModelError
from core.models.bounds import OutOfBounds
from core.models.call_failures import EMPTY, Failure, ShortReply, explain
from core.models.capabilities import Sampling, capabilities_of
from core.models.endpoint import NO_KEY, ChatEndpoint, is_here
from core.models.receiver import Receiver
from core.models.timing import Shared
from core.models.turns import Line, line_for
from core.models.wire import stream
from core.services.chat import SLOTS
from core.settings import Settings
from core.trace.events import Message, ModelFailed, ModelFinished, ModelStarted, Retried, Tracer, Usage

if TYPE_CHECKING:
    from core.models.speeds import Speeds
    from core.models.spending import DayBudget

_UNTOLD = ("stream_options", "user")
"""Fields of a request that are in no event: runs are passed on, and who asked them is not."""


@dataclass(eq=False)
class CallBudget:
    """Counts the calls that a run sends, failed ones included, and ends it at the limit."""

    limit: int
    used: int = 0
    day: DayBudget | None = None
    """The budget for the day that the calls of an endpoint take from; None: they are not limited."""
    line: Line | None = None
    """The line in which its calls wait for the model; None: they never did."""

    @property
    def ahead(self) -> int | None:
        """Number of waiting calls that come before the next of its own; None: none of its own waits. From any
        thread."""
        return self.line.ahead(self) if self.line else None

    def take(self) -> None:
        """Count one call.

        Raises:
            CallLimitReached: The limit is used up; the call must not be sent.
        """
        if self.used >= self.limit:
            raise CallLimitReached(
                f"Limit reached: the run used up its {self.limit} model calls, and what it has so far is kept; "
                "choose fewer rounds or variants, or raise MAX_CALLS."
            )
        self.used += 1


@dataclass(frozen=True)
class Ask:
    """One prompt of a skill, before an endpoint's ways are taken into account."""

    messages: tuple[Message, ...]
    skill: str
    method: str
    sampling: Sampling
    schema: type[BaseModel] | None = None
    """Form of the reply; None: free text."""
    show: bool = False
    """True if the reply is reported piece by piece."""
    attempt: int = 1
    tools: tuple[dict[str, Any], ...] = ()
    """Functions that may be called, as the OpenAI API describes them."""
    prompt: str = ""
    """Hash of the prompt, where a recording is used."""

    def roomier(self, times: int = 2) -> Ask:
        """The same with a larger token limit, for a reply that was cut off."""
        limit = self.sampling.max_tokens
        if limit is None:
            return self
        return replace(self, sampling=self.sampling.model_copy(update={"max_tokens": times * limit}))

    def started(
        self, call: str, model: str, messages: tuple[Message, ...], body: dict[str, Any], waited: float = 0.0
    ) -> ModelStarted:
        """The event of a call, by its id, that is sent to a model; `body` is the rest of its request, `waited` the
        seconds that it waited for its turn."""
        return ModelStarted(
            call=call,
            skill=self.skill,
            method=self.method,
            model=model,
            messages=messages,
            sampling={name: value for name, value in body.items() if name not in _UNTOLD},
            waited=waited,
        )


@dataclass(frozen=True)
class Reply:
    """The outcome of one call."""

    call: str
    """Id of the call."""
    attempt: int
    text: str
    """Tool calls in the form that a JSON schema would have given them."""
    cut: bool
    """True if it reached the token limit."""
    tools: bool
    """True if tools could be called natively."""
    usage: Usage = Usage()  # noqa: RUF009  # frozen
    first: float = 0.0
    """Seconds until its first piece."""
    seconds: float = 0.0
    """Seconds until its end."""


JITTER = 0.1
"""Largest part by which a wait is lengthened, so that parallel calls do not come back all at once."""
PATIENCE_HERE = 5
"""Times MODEL_TIMEOUT_SECONDS that a model of this machine may be silent: processors read a long prompt for minutes."""
CHARACTERS_PER_TOKEN = 4
"""Of calls whose tokens the endpoint does not count."""
REASONING_ROOM = 8
"""Times the token limit with which a reply is asked for again that was empty when it reached the limit."""

Keep = Callable[[Reply], Awaitable[tuple[Reply, str]]]
"""Keeps a reply; which one counts now, and the name of the recording that holds it."""


class Caller:
    """Asks one endpoint in one run."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        tracer: Tracer,
        settings: Settings,
        budget: CallBudget,
        user: str,
        speeds: Speeds | None = None,
    ) -> None:
        """Arguments as of `core.models.chat.Chat`."""
        self._endpoint, self.tracer, self._settings = endpoint, tracer, settings
        self.budget, self._user, self._speeds = budget, user, speeds
        self._shared = speeds.shared(endpoint) if speeds else Shared()
        self._capabilities = capabilities_of(endpoint)

    async def ask(self, ask: Ask, keep: Keep | None = None) -> Reply:
        """One reply, with as many calls as that takes; `keep` is given it before it is reported.

        Raises:
            ModelError: No usable reply, after the retries that make sense; `EmptyReplyError` for an empty one.
            CallLimitReached: The run, or its owner for today, has no calls left.
            StoreError: The database that counts the day's calls cannot be used.
        """
        seen: Counter[str] = Counter()
        roomier = False
        while True:
            self.budget.take()
            call = uuid.uuid4().hex[:12]
            async with self._turn() as waited:
                if self.budget.day:
                    await asyncio.to_thread(self.budget.day.take)
                body, sent = self._request(ask)
                outcome = await self._send(call, ask, body, sent, keep, waited)
            if isinstance(outcome, Reply):
                return outcome
            self._capabilities.learn(outcome.complaint, body)
            if outcome.complaint and self._request(ask) != (body, sent):
                wait = 0.0
            elif outcome.kind == EMPTY and outcome.cut and (ask.sampling.max_tokens or 0) > 1 and not roomier:
                # What a reasoning model thinks counts as well: it had no room left for its answer.
                ask, roomier, wait = ask.roomier(REASONING_ROOM), True, 0.0
            else:
                seen[outcome.kind] += 1
                if seen.total() >= self._settings.model_attempts or seen[outcome.kind] >= outcome.tries:
                    tried = f" It was tried {seen.total()} times." if seen.total() > 1 else ""
                    if outcome.kind == EMPTY:  # what to do depends on the step
                        raise EmptyReplyError(f"{outcome.message}{tried}", ask.skill)
                    raise ModelError(f"{outcome.message} {outcome.advice}{tried}")
                wait = self._wait(outcome, seen.total())
            ask = replace(ask, attempt=ask.attempt + 1)
            self.tracer.emit(Retried(call=call, attempt=ask.attempt, wait=wait, reason=outcome.kind))
            await asyncio.sleep(wait)

    def _turn(self) -> AbstractAsyncContextManager[float]:
        """A turn at the model, which gives the seconds that it was waited for.

        So the time that a call waits is neither its own nor a server's silence. An endpoint takes every call at once,
        unless the settings say how many the server's own may be sent.
        """
        endpoint = self._endpoint
        most = self._settings.max_calls_at_once if self._user else 0
        most = 1 if endpoint.file else SLOTS if endpoint.builtin else most
        if not most:
            return nullcontext(0.0)
        self.budget.line = line_for(endpoint.base_url, most)
        return self.budget.line.turn(self.budget)

    def _request(self, ask: Ask) -> tuple[dict[str, Any], tuple[Message, ...]]:
        """Body and messages as the endpoint is known to take them."""
        return (
            self._capabilities.body(ask.sampling, ask.schema, ask.tools, self._user, name=ask.skill),
            self._capabilities.messages(ask.messages, ask.schema, ask.tools),
        )

    def _wait(self, failure: Failure, failures: int) -> float:
        if failure.wait is not None:
            return failure.wait
        backoff = self._settings.retry_base_seconds * 2.0 ** (failures - 1)
        return backoff * random.uniform(1, 1 + JITTER)  # noqa: S311  # no secret depends on it

    async def _send(
        self,
        call: str,
        ask: Ask,
        body: dict[str, Any],
        messages: tuple[Message, ...],
        keep: Keep | None,
        waited: float,
    ) -> Reply | Failure:
        """One call, from `model_started` to its end, whatever that is; `waited`: see `Ask.started`."""
        import openai

        self.tracer.emit(ask.started(call, self._endpoint.model, messages, body, waited))
        started = time.perf_counter()
        first = 0.0
        key = self._endpoint.api_key
        receiver = Receiver(call, self.tracer if ask.show else None, None if key == NO_KEY else key)
        timeout = self._settings.model_timeout_seconds * (
            PATIENCE_HERE if is_here(self._endpoint.server) else 1
        )
        failure = None
        try:
            with self._shared.call() as timing:
                async with aclosing(stream(self._endpoint, timeout, messages, body)) as pieces:
                    async for piece in pieces:
                        first = first or time.perf_counter() - started
                        timing.take(piece)
                        receiver.take(piece)
            receiver.end()
        except asyncio.CancelledError:
            self._failed(call, "Stopped.", receiver, started)
            raise
        except (
            openai.OpenAIError,
            ShortReply,
            OutOfBounds,
            OSError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ) as error:
            failure = explain(error, self._endpoint, timeout, self._user)
        finally:
            if self.budget.day:
                tokens = _tokens(messages, receiver)
                await asyncio.shield(asyncio.to_thread(self.budget.day.add, tokens))
        if failure:
            self._failed(call, failure.message, receiver, started)
            return failure
        reply = Reply(
            call,
            ask.attempt,
            receiver.text,
            receiver.finish == "length",
            self._capabilities.tools,
            receiver.usage,
            first,
            time.perf_counter() - started,
        )
        recording = ""
        if keep:
            try:
                reply, recording = await keep(reply)
            except asyncio.CancelledError:
                self._failed(call, "Stopped.", receiver, started)
                raise
        self.tracer.emit(
            ModelFinished(
                call=call,
                output=reply.text,
                usage=reply.usage,
                seconds=reply.seconds,
                kept=recording,
                prompt=ask.prompt,
            )
        )
        took = timing.measured(reply.usage)
        if self._speeds and took and is_here(self._endpoint.server):
            await asyncio.to_thread(self._speeds.keep, self._endpoint, took)
        return reply

    def _failed(self, call: str, error: str, receiver: Receiver, started: float) -> None:
        seconds = time.perf_counter() - started
        self.tracer.emit(ModelFailed(call=call, error=error, output=receiver.text, seconds=seconds))


def _tokens(messages: Sequence[Message], receiver: Receiver) -> int:
    """The tokens of a call, sent and written; estimated from its length where nobody counted, as for one that was
    stopped."""
    if receiver.usage.input is not None and receiver.usage.output is not None:
        return receiver.usage.input + receiver.usage.output
    characters = sum(len(message.content) for message in messages) + len(receiver.text)
    return characters // CHARACTERS_PER_TOKEN
