"""A reply as it arrives: put together, shown piece by piece, and checked for being whole."""

from __future__ import annotations

import re
import time

from pydantic import SecretStr

from core.characters import whole_characters
from core.models.call_failures import CutReply, EmptyReply, NoReply
from core.models.thoughts import without_thought
from core.models.tool_calls import ToolCalls
from core.models.wire import Likely, Piece
from core.redaction import beginning_of_secret, without
from core.trace.events import Token, Usage
from core.trace.tracer import Tracer

_RUN = re.compile(r"((?<!\s)\s{200})\s+")
"""Blanks that small models fall into: so many stay that what was shown of a reply stays its beginning."""
TOKEN_SECONDS = 1 / 30
"""Shortest time between two token events: a page cannot draw them faster."""


class Receiver:
    """Takes the pieces of one call; with a tracer it reports them as token events."""

    def __init__(self, call: str, tracer: Tracer | None, secret: SecretStr | None = None) -> None:
        """
        Args:
            call: Id of the call.
            tracer: Gets the token events; None: nobody watches.
            secret: The endpoint's key, which no reply may repeat; None: it has none.
        """
        self._call, self._tracer = call, tracer
        self._secrets = [secret] if secret else []
        self._pieces: list[str] = []
        self._calls = ToolCalls()
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
            return self._fit(self._calls.text)
        return _RUN.sub(r"\1", without_thought(self._fit("".join(self._pieces))))

    def take(self, piece: Piece) -> None:
        """Add a piece. The last usage reported is kept: some endpoints send running totals.

        Raises:
            OutOfBounds: It calls more tools than a model does.
        """
        self._pieces_came = True
        self.finish = piece.finish or self.finish
        self.usage = piece.usage or self.usage
        self.likely = self.likely or tuple(Likely(self._fit(one.text), one.logprob) for one in piece.likely)
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
        if not self.text.strip() and not self.likely:
            raise EmptyReply(self.finish)
        self.show()

    def show(self) -> None:
        """Report what has not been reported yet."""
        self._show(self.text)

    @property
    def _certain(self) -> str:
        """What has arrived, without an end that what comes next may turn into something else."""
        text = self.text
        # Half a character becomes a mark of its own, and the key is known when it is whole.
        text = text.removesuffix("\ufffd")
        return text[: len(text) - beginning_of_secret(text, self._secrets)]

    def _fit(self, text: str) -> str:
        """A text as it may be shown and stored."""
        return without(whole_characters(text), self._secrets)

    def _show(self, text: str) -> None:
        if self._tracer and text != self._shown and text.startswith(self._shown):
            self._tracer.emit(Token(call=self._call, text=text.removeprefix(self._shown)))
            self._shown, self._last = text, time.perf_counter()
