"""A reply as it arrives: put together, shown piece by piece, and checked for being whole.

Tool calls come in parts. By the OpenAI format, the parts of a call share an index, and the first one alone has an id
and the name. There are servers that give every call the index 0 or none, repeat the name in each part, leave out the
ids, make up a new id for each part, or send all calls at once.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import SecretStr

from core.logs import beginning_of_secret, without
from core.models.bounds import OutOfBounds
from core.models.call_failures import CutReply, EmptyReply, NoReply
from core.models.stream_events import CallPart, Piece
from core.models.thoughts import certain, turn, without_thought
from core.strict_json import read_json
from core.trace.events import Token, Tracer, Usage
from core.wording import whole_characters

_RUN = re.compile(r"((?<!\s)\s{200})\s+")
"""Blanks that small models fall into: so many stay that what was shown of a reply stays its beginning."""
TOKEN_SECONDS = 1 / 30
"""Shortest time between two token events: a page cannot draw them faster."""


class Receiver:
    """Takes the pieces of one call; with a tracer it reports them as token events."""

    def __init__(self, call: str, tracer: Tracer | None, secret: SecretStr | None = None) -> None:
        """Begin a call, by its id; a tracer gets its tokens, and no reply may repeat the secret, the endpoint's key."""
        self._call, self._tracer = call, tracer
        self._secrets = [secret] if secret else []
        self._pieces: list[str] = []
        self._calls = ToolCalls()
        self._shown = ""
        self._last = 0.0  # of the clock, so the first piece is shown at once
        self._thought: list[str] = []
        self._pieces_came = False
        self.finish = ""
        self.usage = Usage()

    @property
    def text(self) -> str:
        """The reply as far as it has arrived; tool calls in the form that a JSON schema would have given them."""
        if self._calls:
            return self._fit(self._calls.text)
        written = turn(_RUN.sub(r"\1", without_thought(self._written)))
        return written or self._fit(_object("".join(self._thought)))

    @property
    def _written(self) -> str:
        return self._fit("".join(self._pieces))

    def take(self, piece: Piece) -> None:
        """Add a piece. The last usage reported is kept: some endpoints send running totals.

        Raises:
            OutOfBounds: It calls more tools than a model does.
        """
        self._pieces_came = True
        if piece.thought:
            self._thought.append(piece.thought)
        self.finish = piece.finish or self.finish
        self.usage = piece.usage or self.usage
        self._calls.take(piece.calls)
        if piece.text:
            self._pieces.append(piece.text)
            if self._tracer and time.perf_counter() - self._last >= TOKEN_SECONDS:
                self._show(self._certain)

    def end(self) -> None:
        """Check that the reply is whole.

        Raises:
            ShortReply: It is not.
        """
        if not self._pieces_came:
            raise NoReply
        if not self.finish:
            raise CutReply
        if not self.text.strip():
            written = self._written.strip()
            thought = bool(self._thought) or written != without_thought(written)
            raise EmptyReply(self.finish, thought=thought)
        self.show()

    def show(self) -> None:
        """Report what has not been reported yet."""
        self._show(self.text)

    @property
    def _certain(self) -> str:
        """The reply as far as it has arrived, without an end that what comes next may turn into something else."""
        text = self.text
        # Half a character becomes a mark of its own, and a mark and the key are known when they are whole.
        text = certain(text.removesuffix("\ufffd"))
        return text[: len(text) - beginning_of_secret(text, self._secrets)]

    def _fit(self, text: str) -> str:
        """A text as it may be shown and stored."""
        return without(whole_characters(text), self._secrets)

    def _show(self, text: str) -> None:
        if self._tracer and text != self._shown and text.startswith(self._shown):
            self._tracer.emit(Token(call=self._call, text=text.removeprefix(self._shown)))
            self._shown, self._last = text, time.perf_counter()


def _object(thought: str) -> str:
    """A thought that is an object of JSON and nothing else, and so a reply in the wrong field; else nothing."""
    try:
        return thought.strip() if thought.lstrip().startswith("{") and read_json(thought) else ""
    except ValueError:
        return ""


# Tool calls

MOST_CALLS = 100
"""Tool calls of one reply."""
MOST_CHARACTERS = 2**16
"""Characters of the names and arguments of all of them."""
_OTHER_MODEL = "Ask again, or choose another model."


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""

    def begins_anew(self, part: CallPart) -> bool:
        """True if a part in the place of this call belongs to the next one."""
        if part.id and part.id == self.id:
            return False
        if part.id and self.id:
            # Some servers make up an id for each part, but then only the first has a name.
            return bool(part.name) or self._is_whole
        if part.name and self.name and part.name != self.name:
            return bool(self.arguments)  # without any yet, it may be the rest of the name
        return bool(part.name and part.arguments) and self._is_whole

    def add(self, part: CallPart) -> None:
        self.id = self.id or part.id
        self.name += "" if part.name == self.name else part.name
        self.arguments += part.arguments

    @property
    def _is_whole(self) -> bool:
        if not self.arguments.rstrip().endswith("}"):
            return False
        try:
            return isinstance(read_json(self.arguments), dict)
        except ValueError:
            return False


class ToolCalls:
    """The tool calls of one reply, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._open: dict[int, _Call] = {}
        """Index -> the call that has it now."""
        self._characters = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, parts: Sequence[CallPart]) -> None:
        """Add the parts that came in one event; each is of another call.

        Raises:
            OutOfBounds: There are more calls, or longer ones, than a model makes.
        """
        extended: list[_Call] = []
        for part in parts:
            call = self._call(part)
            if call is None or any(call is other for other in extended) or call.begins_anew(part):
                call = _Call()
                self._calls.append(call)
            if part.index is not None:
                self._open[part.index] = call
            call.add(part)
            extended.append(call)
            self._characters += len(part.name) + len(part.arguments)
            self._check()

    def _check(self) -> None:
        if len(self._calls) > MOST_CALLS:
            raise OutOfBounds(
                f"called more than {MOST_CALLS} tools at once, so the app hung up", _OTHER_MODEL
            )
        if self._characters > MOST_CHARACTERS:
            raise OutOfBounds(
                f"called tools with arguments of more than {MOST_CHARACTERS:,} characters, so the app hung up",
                _OTHER_MODEL,
            )

    def _call(self, part: CallPart) -> _Call | None:
        """The call that a part may go on with."""
        if part.index is not None:
            return self._open.get(part.index)
        same = (call for call in self._calls if part.id and call.id == part.id)
        return next(same, self._calls[-1] if self._calls else None)

    @property
    def text(self) -> str:
        """The calls in the form that a JSON schema would have given them."""
        calls = [{"tool": call.name, "arguments": call.arguments} for call in self._calls]
        return json.dumps({"calls": calls}, ensure_ascii=False)
