"""The chat client: every call, retry and failure of a model as events."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from core.errors import UnusableReply
from core.models.call_failures import redact
from core.models.calling import Ask, CallBudget, Caller, Reply
from core.models.capabilities import Sampling, capabilities_of, with_tools
from core.models.endpoint import ChatEndpoint
from core.models.recordings.playing import Tape
from core.models.structured_replies import InvalidReply, corrected, parse
from core.models.written_calls import written_calls
from core.settings import Settings
from core.trace.events import BaseEvent, Message, Retried, Tracer

if TYPE_CHECKING:
    from core.models.speeds import Speeds

T = TypeVar("T", bound=BaseModel)

UNFIT = "reply without the form asked for"
"""Reason for asking again for a structured reply; the details are in the messages of the new call."""


class Chat:
    """A chat model as a run uses it."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        tracer: Tracer,
        settings: Settings,
        budget: CallBudget,
        user: str = "",
        tape: Tape | None = None,
        speeds: Speeds | None = None,
    ) -> None:
        """
        Args:
            endpoint: The model that answers; where a recording alone plays, it only names the model.
            tracer: Gets the events of each call.
            settings: Time limits and retries.
            budget: Number of calls that the run may send.
            user: Who asks, as the endpoint is told, see `core.models.endpoint.name_for_endpoint`; empty: it is not.
            tape: A recording whose replies come first, and in which others may be kept.
            speeds: Keeps what calls of a model of this machine took; None: nobody does.
        """
        self.endpoint = endpoint
        self.budget = budget
        self._tape = tape
        self._tracer = tracer
        self._settings = settings
        self._user = user
        self._speeds = speeds
        caller = Caller(endpoint, tracer, settings, budget, user, speeds)
        self._ask: Callable[[Ask], Awaitable[Reply]] = (
            partial(tape.ask, caller=caller) if tape else caller.ask
        )

    def traced(self, tracer: Tracer) -> Chat:
        """A client of the same model with the same budget that reports its events to another tracer."""
        return Chat(self.endpoint, tracer, self._settings, self.budget, self._user, self._tape, self._speeds)

    def goes_on(self, past: Iterable[BaseEvent]) -> None:
        """Tell the recording what a run asked before it was cut off, or left another: see `Tape.goes_on`."""
        if self._tape:
            self._tape.goes_on(past)

    def note(self, events: Iterable[BaseEvent]) -> None:
        """Tell the recording that a run has come to its end: see `Tape.note`."""
        if self._tape:
            self._tape.note(events)

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
            skill, method: Key of the skill that asks, and of its method; for the events.
            sampling: Temperature, token limit and what else the endpoint takes.
            show: Whether the reply is reported piece by piece, at most 30 pieces a second.

        Raises:
            ModelError: No usable reply, after the retries that make sense; `EmptyReplyError` for an empty one.
            CallLimitReached: The run has no calls left.
        """
        return (await self._ask(Ask(tuple(messages), skill, method, sampling, show=show))).text

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
        ask = Ask(tuple(messages), skill, method, sampling, schema)
        reply = await self._ask(ask)
        try:
            return parse(reply.text, schema, cut=reply.cut)
        except InvalidReply as invalid:
            reason = redact(str(invalid), self.endpoint)
        if not reply.cut:
            capabilities_of(self.endpoint).learn_from_reply(reply.text)
        self._tracer.emit(Retried(call=reply.call, attempt=reply.attempt + 1, wait=0, reason=UNFIT))
        ask = replace(ask, messages=corrected(messages, reply.text, reason), attempt=reply.attempt + 1)
        reply = await self._ask(ask.roomier() if reply.cut else ask)
        try:
            return parse(reply.text, schema, cut=reply.cut)
        except InvalidReply as invalid:
            raise UnusableReply(
                f"The model “{self.endpoint.model}” twice gave a reply without the form asked for "
                f"({redact(str(invalid), self.endpoint).rstrip('.')}).",
                skill,
            ) from None

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

        By native tool calling, or as the model writes calls into its text; where the endpoint refuses tools, by a JSON
        schema, and then the last message also lists the tools.

        Args:
            messages, skill, method, sampling: As in `text`.
            tools: As the OpenAI API describes functions.
            schema: Of `{"calls": [{"tool": name, "arguments": JSON}]}`.

        Raises:
            UnusableReply, ModelError, CallLimitReached: As in `structured`.
        """
        reply = await self._ask(Ask(tuple(messages), skill, method, sampling, schema, tools=tuple(tools)))
        try:
            return parse(reply.text, schema, cut=reply.cut)
        except InvalidReply:
            if reply.tools:
                if calls := written_calls(reply.text, tools):
                    with suppress(InvalidReply, TypeError, ValueError):  # Python has values that JSON has not
                        return parse(json.dumps({"calls": calls}), schema)
                return reply.text
        listed = with_tools(messages, tools)
        return await self.structured(listed, schema, skill=skill, method=method, sampling=sampling)
