"""A reply as it arrives: put together, shown piece by piece, and checked for being whole."""

from __future__ import annotations

import json
import re
import time

from core.models.call_failures import CutReply, EmptyReply, NoReply
from core.models.wire import Likely, Piece
from core.trace.events import Token, Usage
from core.trace.tracer import Tracer

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>\s*|\Z)|\A.*</think(?:ing)?>\s*", re.DOTALL)
"""What a reasoning model thinks, where its server leaves it in the reply; some leave out how it begins."""
_BEGINS = re.compile(r"\A\s*<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?\Z")
"""A reply that may be about to begin with a thought."""
_RUN = re.compile(r"((?<!\s)\s{200})\s+")
"""Blanks that small models fall into: so many stay that what was shown of a reply stays its beginning."""
TOKEN_SECONDS = 1 / 30
"""Shortest time between two token events: a page cannot draw them faster."""


def without_thought(text: str) -> str:
    """A reply, or the part of it that has arrived, without the thought in front of it."""
    return "" if _BEGINS.match(text) else _THOUGHT.sub("", text)


class Receiver:
    """Takes the pieces of one call; with a tracer it reports them as token events."""

    def __init__(self, call: str, tracer: Tracer | None) -> None:
        self._call, self._tracer = call, tracer
        self._pieces: list[str] = []
        self._calls: dict[int, list[str]] = {}
        self._shown = ""
        self._last = 0.0  # of the clock, so the first piece is shown at once
        self._pieces_came = False
        self.finish = ""
        self.usage = Usage()
        self.likely: tuple[Likely, ...] = ()
        """What the reply could have begun with, where that was asked for and given."""

    @property
    def text(self) -> str:
        """What has arrived; tool calls in the form that a JSON schema would have given them."""
        if self._calls:
            calls = [{"tool": name, "arguments": arguments} for name, arguments in self._calls.values()]
            return json.dumps({"calls": calls}, ensure_ascii=False)
        return _RUN.sub(r"\1", without_thought("".join(self._pieces)))

    def take(self, piece: Piece) -> None:
        """Add a piece. The last usage reported is kept: some endpoints send running totals."""
        self._pieces_came = True
        self.finish = piece.finish or self.finish
        self.usage = piece.usage or self.usage
        self.likely = self.likely or piece.likely
        for part in piece.calls:
            call = self._calls.setdefault(part.place, ["", ""])
            call[0] += part.name
            call[1] += part.arguments
        if piece.text:
            self._pieces.append(piece.text)
            if self._tracer and time.perf_counter() - self._last >= TOKEN_SECONDS:
                self._show()

    def end(self) -> None:
        """Check that the reply is whole.

        Raises:
            ShortReply: It is not.
        """
        if not self._pieces_came:
            raise NoReply
        if not self.finish:
            raise CutReply
        if not self.text.strip() and not self.likely:
            raise EmptyReply(self.finish)
        self.show()

    def show(self) -> None:
        """Report what has not been reported yet."""
        if self._tracer:
            self._show()

    def _show(self) -> None:
        text = self.text
        if self._tracer and text != self._shown and text.startswith(self._shown):
            self._tracer.emit(Token(call=self._call, text=text.removeprefix(self._shown)))
            self._shown, self._last = text, time.perf_counter()
