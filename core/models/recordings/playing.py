"""Asking by way of a recording: what it holds is played at some pace, what it lacks is asked for and kept, or missing
for a reason."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from weakref import WeakValueDictionary

from core.errors import NotKept, StoreError
from core.models.calling import Ask, Caller, Reply
from core.models.capabilities import EndpointCapabilities
from core.models.receiver import Receiver
from core.models.recordings.items import LONGEST_SECONDS, KeptReply, KeptRun, Pace
from core.models.recordings.open_recording import OpenRecording, former_digest, prompt_digest, reply_key
from core.models.stream_events import Piece
from core.trace.events import BaseEvent, ModelFailed, ModelFinished, ReplyMissing, StepFinished

log = logging.getLogger(__name__)

FIRST_SECONDS = 0.1
"""Until the first piece, at a fast pace."""
FAST_SECONDS = 1.0
"""Longest reply at a fast pace; a shorter one is played at `FAST_CHARACTERS`."""
FAST_CHARACTERS = 480.0
"""A second. Not words: some scripts have no blanks."""
PIECE_SECONDS = 1 / 30
"""Shortest time between two pieces: a page cannot draw them faster."""


async def played(reply: KeptReply, pace: Pace, *, shown: bool) -> AsyncGenerator[Piece]:
    """A reply piece by piece: at a pace if somebody watches it being written; if not, it comes whole at its end."""
    text, length = reply.text, len(reply.text)
    if pace == "recorded":
        first = min(reply.first, reply.seconds)
        rest = reply.seconds - first
    elif pace == "fast":
        first, rest = FIRST_SECONDS, min(FAST_SECONDS, length / FAST_CHARACTERS)
    else:
        first = rest = 0.0
    pieces = max(1, min(length, int(rest / PIECE_SECONDS))) if shown else 1
    await asyncio.sleep(first)
    for number in range(pieces):
        if rest:
            await asyncio.sleep(rest / pieces)
        piece = text[number * length // pieces : (number + 1) * length // pieces]
        last = number == pieces - 1
        yield Piece(piece, ("length" if reply.cut else "stop") if last else "", reply.usage if last else None)


@dataclass
class Tape:
    """A recording in one run: gives its replies as a model would, and keeps what a model replies to the rest."""

    recorded: OpenRecording
    pace: Pace
    run: KeptRun
    """The question as it is asked."""
    asks: bool
    """True if the endpoint is asked for what is missing."""
    title: Callable[[str], str]
    """Gives the title of a skill by its key."""
    forked: bool = False
    """True if the run goes on from an edited artefact."""
    _asked: Counter[str] = field(default_factory=Counter)
    _missed: str = ""
    """Skill of the first reply that was missing."""

    @property
    def name(self) -> str:
        """Of the recording."""
        return self.recorded.recording.name

    def goes_on(self, past: Iterable[BaseEvent]) -> None:
        """Count what the finished steps of a run asked before it was cut off, or before it left another."""
        past = list(past)
        finished = {event.step for event in past if isinstance(event, StepFinished)}
        calls = (event for event in past if isinstance(event, ModelFinished) and event.step in finished)
        self._asked.update(event.prompt for event in calls if event.prompt)

    def note(self, events: Iterable[BaseEvent]) -> None:
        """Note how a question was asked, now that its run has come to its end, if the recording holds all of its
        events: what goes on from an edited artefact does not count. Blocks for a moment."""
        replies = [event for event in events if isinstance(event, ModelFinished)]
        if not self.forked and all(self.name in (reply.recorded, reply.kept) for reply in replies):
            self.recorded.keep([self.run.model_copy(update={"calls": len(replies)})])

    def number(self, prompt: str) -> int:
        """Number of times that a prompt had been asked before in this run, from 0; it counts as asked from now on."""
        number = self._asked[prompt]
        self._asked[prompt] += 1
        return number

    def missing(self, skill: str, prompt: str) -> str:
        """A sentence that says which step, by the skill that asked, has a new prompt, by its hash, and why. Blocks for
        a moment."""
        title = self.title(skill)
        self._missed = self._missed or skill
        why = self._why(skill, prompt)
        return f"The recording “{self.name}” has no reply for the step “{title}”: {why}"

    def _why(self, skill: str, prompt: str) -> str:
        store, recording = self.recorded.store, self.recorded.recording.id
        if self._missed != skill:
            return "an earlier step of this run already left the recording."
        if not store.there(recording):
            return "the recording has been deleted."
        if self.recorded.reply(reply_key(prompt, 0)):
            return "the recording has fewer replies to this prompt than the run asks for."
        from core.models.recordings.covers import compared

        if why := compared(store.runs(recording), self.run)[0]:
            return why
        if self.forked:
            return "you edited an artefact that goes into its prompt."
        return "its prompt differs from the recorded one: the recording may come from another version, or be cut off."

    async def ask(self, ask: Ask, caller: Caller) -> Reply:
        """A reply as the recording holds it; else that of the caller, which is kept, or a sentence that says why not.

        The caller asks the model where the tape says so. Its tracer gets the events, and its budget counts a reply that
        is played like a call.

        Raises:
            NotKept: The recording lacks it, and nobody is to be asked.
            ModelError, CallLimitReached: As of `Caller.ask`.
        """
        ask = replace(ask, prompt=prompt_digest(ask.messages, ask.schema, ask.tools))
        number = self.number(ask.prompt)
        key = reply_key(ask.prompt, number)
        reply = await asyncio.to_thread(self.recorded.reply, key)
        if reply or (reply := await asyncio.to_thread(self._former, key, ask, number)):
            return await self._play(ask, reply, caller)
        if not self.asks:
            reason = await asyncio.to_thread(self.missing, ask.skill, ask.prompt)
            caller.tracer.emit(ReplyMissing(skill=ask.skill, reason=reason))
            raise NotKept(f"{reason} Ask as it was recorded, or choose a model that answers what is new.")
        if not self.recorded.keeps:
            return await caller.ask(ask)
        async with _turn(self.recorded.recording.id, key):
            if not (reply := await asyncio.to_thread(self.recorded.reply, key)):
                return await caller.ask(ask, partial(self._keep, key, ask))
        return await self._play(ask, reply, caller)

    def _former(self, key: str, ask: Ask, number: int) -> KeptReply | None:
        """Return the reply that was kept under the key of an earlier version, which gets its new `key`."""
        prompt = former_digest(ask.messages, ask.schema, ask.tools, f"{ask.skill}.{ask.method}")
        return self.recorded.rekeyed(reply_key(prompt, number), key) if prompt else None

    async def _keep(self, key: str, ask: Ask, reply: Reply) -> tuple[Reply, str]:
        """Another process may have been quicker: then its reply counts, so that both can be played."""
        mine = KeptReply(
            key=key,
            skill=ask.skill,
            text=reply.text,
            cut=reply.cut,
            tools=reply.tools,
            usage=reply.usage,
            first=min(reply.first, LONGEST_SECONDS),
            seconds=min(reply.seconds, LONGEST_SECONDS),
        )
        try:
            replies = await asyncio.to_thread(self.recorded.keep, [mine], soon=False)
        except StoreError:  # it is paid: the run goes on with it
            log.exception("A reply could not be kept")
            replies = []
        if not replies:
            return reply, ""
        return replace(reply, text=replies[0].text, cut=replies[0].cut, tools=replies[0].tools), self.name

    async def _play(self, ask: Ask, reply: KeptReply, caller: Caller) -> Reply:
        """A kept reply, at the pace that was chosen, as if the model gave it now."""
        caller.budget.take()
        call = uuid.uuid4().hex[:12]
        body = EndpointCapabilities(openai=False).body(ask.sampling, ask.schema, ask.tools, name=ask.skill)
        caller.tracer.emit(ask.started(call, self.recorded.recording.model, ask.messages, body))
        started = time.perf_counter()
        receiver = Receiver(call, caller.tracer if ask.show else None)
        try:
            async with aclosing(played(reply, self.pace, shown=ask.show)) as pieces:
                async for piece in pieces:
                    receiver.take(piece)
        except asyncio.CancelledError:
            seconds = time.perf_counter() - started
            caller.tracer.emit(
                ModelFailed(call=call, error="Stopped.", output=receiver.text, seconds=seconds)
            )
            raise
        receiver.show()
        seconds = time.perf_counter() - started
        caller.tracer.emit(
            ModelFinished(
                call=call,
                output=reply.text,
                usage=reply.usage,
                seconds=seconds,
                recorded=self.name,
                prompt=ask.prompt,
            )
        )
        return Reply(call, ask.attempt, reply.text, reply.cut, reply.tools, reply.usage, 0.0, seconds)


_TURNS: WeakValueDictionary[tuple[int, str, str], asyncio.Lock] = WeakValueDictionary()


def _turn(recording: str, key: str) -> asyncio.Lock:
    """Of runs that ask the same at once, one asks the model, and the others play what it was told."""
    name = id(asyncio.get_running_loop()), recording, key
    return _TURNS.setdefault(name, asyncio.Lock())
