"""Asking by way of a recording: what it holds is played, what it lacks is asked for and kept."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from weakref import WeakValueDictionary

from core.errors import NotKept, StoreError
from core.models.asking import Ask, CallBudget, Reply
from core.models.calling import Caller
from core.models.capabilities import EndpointCapabilities
from core.models.receiver import Receiver
from core.models.recordings.items import LONGEST_SECONDS, MOST_LIKELY, KeptReply, LikelyToken
from core.models.recordings.keys import FIRST_WORD, former_digest, prompt_digest, reply_key
from core.models.recordings.pace import played
from core.models.recordings.tape import Tape
from core.models.wire import Likely
from core.trace.events import ModelFailed, ModelFinished, ReplyMissing
from core.trace.tracer import Tracer

log = logging.getLogger(__name__)

LEAST_LOGPROB = -9999.0
"""Stands for minus infinity, which JSON does not have."""

_TURNS: WeakValueDictionary[tuple[int, str, str], asyncio.Lock] = WeakValueDictionary()


def _turn(recording: str, key: str) -> asyncio.Lock:
    """Of runs that ask the same at once, one asks the model, and the others play what it was told."""
    name = id(asyncio.get_running_loop()), recording, key
    return _TURNS.setdefault(name, asyncio.Lock())


class Player:
    """Gives the replies of a recording in one run, as a model would."""

    def __init__(self, tape: Tape, caller: Caller, tracer: Tracer, budget: CallBudget) -> None:
        """
        Args:
            tape: What is played, and kept in.
            caller: Asked for what is missing, where the tape says so.
            tracer: Gets the events of each reply.
            budget: A reply that is played counts like a call.
        """
        self._tape, self._caller, self._tracer, self._budget = tape, caller, tracer, budget

    async def ask(self, ask: Ask) -> Reply:
        """One reply.

        Raises:
            NotKept: The recording lacks it, and nobody is to be asked.
            ModelError, CallLimitReached: As of `Caller.ask`.
        """
        tape = self._tape
        asked = ask.messages, FIRST_WORD if ask.first_word else ask.schema, ask.tools
        ask = replace(ask, prompt=prompt_digest(*asked))
        number = tape.number(ask.prompt)
        key, former = reply_key(ask.prompt, number), former_digest(*asked, f"{ask.skill}.{ask.method}")
        if kept := await asyncio.to_thread(tape.recorded.reply, key, former and reply_key(former, number)):
            return await self._play(ask, kept)
        if not tape.asks:
            reason = await asyncio.to_thread(tape.missing, ask.skill, ask.method, ask.prompt)
            self._tracer.emit(ReplyMissing(skill=ask.skill, reason=reason))
            raise NotKept(f"{reason} Ask as it was recorded, or choose a model that answers what is new.")
        if not tape.recorded.keeps:
            return await self._caller.ask(ask)
        async with _turn(tape.recorded.recording.id, key):
            if not (kept := await asyncio.to_thread(tape.recorded.reply, key)):
                return await self._caller.ask(ask, partial(self._keep, key, ask))
        return await self._play(ask, kept)

    async def _keep(self, key: str, ask: Ask, reply: Reply) -> tuple[Reply, str]:
        """Another process may have been quicker: then its reply counts, so that both can be played."""
        try:
            kept = await asyncio.to_thread(self._tape.recorded.keep, _kept(key, ask, reply))
        except StoreError:  # it is paid: the run goes on with it
            log.exception("A reply could not be kept")
            kept = None
        if kept is None:
            return reply, ""
        first = replace(reply, text=kept.text, cut=kept.cut, tools=kept.tools, likely=_likely(kept))
        return first, self._tape.name

    async def _play(self, ask: Ask, kept: KeptReply) -> Reply:
        """A kept reply, at the pace of the tape, as if the model gave it now."""
        self._budget.take()
        call = uuid.uuid4().hex[:12]
        body = EndpointCapabilities(openai=False).body(ask.sampling, ask.schema, ask.tools, name=ask.skill)
        self._tracer.emit(ask.started(call, self._tape.recorded.recording.model, ask.messages, body))
        started = time.perf_counter()
        receiver = Receiver(call, self._tracer if ask.show else None)
        try:
            async with aclosing(played(kept, self._tape.pace, shown=ask.show)) as pieces:
                async for piece in pieces:
                    receiver.take(piece)
        except asyncio.CancelledError:
            seconds = time.perf_counter() - started
            self._tracer.emit(ModelFailed(call=call, error="Stopped.", output=receiver.text, seconds=seconds))
            raise
        receiver.show()
        seconds = time.perf_counter() - started
        self._tracer.emit(
            ModelFinished(
                call=call,
                output=kept.text,
                usage=kept.usage,
                seconds=seconds,
                recorded=self._tape.name,
                prompt=ask.prompt,
            )
        )
        return Reply(
            call, ask.attempt, kept.text, kept.cut, kept.tools, _likely(kept), kept.usage, 0.0, seconds
        )


def _kept(key: str, ask: Ask, reply: Reply) -> KeptReply:
    return KeptReply(
        key=key,
        skill=ask.skill,
        text=reply.text,
        cut=reply.cut,
        tools=reply.tools,
        likely=tuple(
            LikelyToken(text=one.text, logprob=max(LEAST_LOGPROB, min(0.0, one.logprob)))
            for one in reply.likely[:MOST_LIKELY]
        ),
        usage=reply.usage,
        first=min(reply.first, LONGEST_SECONDS),
        seconds=min(reply.seconds, LONGEST_SECONDS),
    )


def _likely(kept: KeptReply) -> tuple[Likely, ...]:
    return tuple(Likely(one.text, one.logprob) for one in kept.likely)
