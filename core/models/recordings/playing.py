"""Asking by way of a recording: what it holds is played, what it lacks is asked for and kept."""

from __future__ import annotations

import asyncio
import time
import uuid
from contextlib import aclosing
from dataclasses import replace
from weakref import WeakValueDictionary

from core.errors import NotKept
from core.models.asking import Ask, CallBudget, Reply
from core.models.calling import Caller
from core.models.capabilities import EndpointCapabilities
from core.models.receiver import Receiver
from core.models.recordings.items import KeptReply, LikelyToken
from core.models.recordings.keys import FIRST_WORD
from core.models.recordings.pace import played
from core.models.recordings.tape import Tape
from core.models.wire import Likely
from core.trace.events import ModelFailed, ModelFinished, ReplyMissing
from core.trace.tracer import Tracer

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
        key = tape.key(ask.messages, FIRST_WORD if ask.first_word else ask.schema, ask.tools)
        if not tape.recorded.keeps:
            return await self._reply(ask, key)
        async with _turn(tape.recorded.recording.id, key):
            return await self._reply(ask, key)

    async def _reply(self, ask: Ask, key: str) -> Reply:
        tape = self._tape
        if kept := await asyncio.to_thread(tape.recorded.reply, key):
            return await self._play(ask, kept)
        if not tape.asks:
            reason = await asyncio.to_thread(tape.missing, ask.skill, ask.method)
            self._tracer.emit(ReplyMissing(skill=ask.skill, reason=reason))
            raise NotKept(f"{reason} Ask as it was recorded, or choose a model that answers what is new.")

        async def keep(reply: Reply) -> tuple[Reply, str]:
            """Another process may have been quicker: then its reply counts, so that both can be played."""
            kept = await asyncio.to_thread(tape.recorded.keep_reply, _kept(key, ask, reply))
            return (replace(reply, text=kept.text, cut=kept.cut), tape.name) if kept else (reply, "")

        return await self._caller.ask(ask, keep if tape.recorded.keeps else None)

    async def _play(self, ask: Ask, kept: KeptReply) -> Reply:
        """A kept reply, at the pace of the tape, as if the model gave it now."""
        self._budget.take()
        call = uuid.uuid4().hex[:12]
        body = EndpointCapabilities(openai=False).body(ask.sampling, ask.schema, ask.tools)
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
                call=call, output=kept.text, usage=kept.usage, seconds=seconds, recorded=self._tape.name
            )
        )
        likely = tuple(Likely(one.text, one.logprob) for one in kept.likely)
        return Reply(call, ask.attempt, kept.text, kept.cut, kept.tools, likely, kept.usage, 0.0, seconds)


def _kept(key: str, ask: Ask, reply: Reply) -> KeptReply:
    return KeptReply(
        key=key,
        skill=ask.skill,
        text=reply.text,
        cut=reply.cut,
        tools=reply.tools,
        likely=tuple(LikelyToken(text=one.text, logprob=min(0.0, one.logprob)) for one in reply.likely),
        usage=reply.usage,
        first=reply.first,
        seconds=reply.seconds,
    )
