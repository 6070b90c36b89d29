"""HTTP clients for addresses that anyone may have typed: what they receive is bounded, see `core.models.bounds`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import httpx2

from core.certificates import certificates
from core.jobs import run_blocking
from core.models.bounds import (
    ERROR_BYTES,
    ERROR_SECONDS,
    EVENT_BYTES,
    PIECE_BYTES,
    Bounds,
    check_event,
    compressed,
)
from core.strict_json import is_deep

CONNECT_SECONDS = 5.0
LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
PAUSE_PIECES, PAUSE_SECONDS = 16, 0.01
"""After so many pieces that may have come at once, others have so much time. Some 1,600 events a second pass, which is
more than a model writes."""
PAUSE_BYTES = 2**15
"""A piece of this size is a part of a flood, too."""
_EVENT_END = re.compile(rb"\n\r?\n|\r\r")
_SAYS = re.compile(rb"^data:(?![ \t]*(?:\{[ \t]*\}[ \t]*)?\r?$)", re.MULTILINE)
"""A line of an event stream that is neither a comment nor empty data."""
_BLANK = b"\xef\xbb\xbf \t\r\n"
"""What may stand before anything else."""
_WHOLE = (b"", b"{", b"[", b"<")
"""How what is no stream of events begins."""
_FRAMING = {"content-encoding", "content-length", "transfer-encoding"}


class BoundedClient(httpx2.AsyncClient):
    """A client that hangs up on a reply that is out of bounds. It follows no redirects: keys are meant for one address.

    Any request raises `OutOfBounds` where the reply is too large, too slow or compressed; bodies of errors are cut off.
    """

    def __init__(self, bounds: Bounds, *, trust_env: bool, events: bool = False, **options: Any) -> None:
        """Make a client whose exchanges have these bounds; `options` are those of the client of httpx2.

        Args:
            bounds: Of each exchange.
            trust_env: True if the system's proxies and certificates count.
            events: True if replies are streams of events, which are passed on one by one and checked.
        """
        self.bounds, self.events = bounds, events
        hooks = options.pop("event_hooks", {})
        # First of all, so that no other hook reads what is not bounded yet.
        hooks = {**hooks, "response": [self._bound, *hooks.get("response", ())]}
        super().__init__(
            trust_env=trust_env,
            verify=certificates(trust_env),
            follow_redirects=False,
            timeout=httpx2.Timeout(bounds.silence, connect=min(bounds.silence, CONNECT_SECONDS), pool=None),
            limits=LIMITS,
            event_hooks=hooks,
            **options,
        )

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, within the bounds; arguments and reply as of httpx2."""
        request.headers["accept-encoding"] = "identity"
        now = asyncio.get_running_loop().time()
        request.extensions = {**request.extensions, "ends": now + self.bounds.seconds}
        whole = not options.pop("stream", False)
        try:
            # Headers that come byte by byte are never silent.
            async with asyncio.timeout(self.bounds.wait + CONNECT_SECONDS):
                reply = await super().send(request, stream=True, **options)
        except TimeoutError:
            raise self.bounds.idle() from None
        if whole:
            await reply.aread()
        return reply

    async def _bound(self, reply: httpx2.Response) -> None:
        """Have the body of a reply come in bounds only."""
        unfit = reply.headers.get("content-encoding", "").strip().lower() not in ("", "identity")
        if not reply.is_success:
            body = await _beginning(reply.stream, min(ERROR_SECONDS, self.bounds.silence))
            unfit = unfit or is_deep(body.decode("utf-8", "replace"))
            for name in _FRAMING & reply.headers.keys():
                del reply.headers[name]
            reply.stream = httpx2.ByteStream(b"" if unfit else body)
        elif unfit:
            raise compressed()
        else:
            reply.stream = _Bounded(reply.stream, self.bounds, reply.request.extensions["ends"], self.events)


class BlockingClient(httpx2.Client):
    """The same for threads. Requests are sent on the event loop, where they can be given up at any moment."""

    def __init__(self, bounds: Bounds, *, trust_env: bool) -> None:
        """Arguments as of `BoundedClient`."""
        self._client = BoundedClient(bounds, trust_env=trust_env)
        super().__init__(trust_env=False, verify=certificates(trust_env), timeout=self._client.timeout)

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and wait for the whole reply."""
        reply = run_blocking(self._client.send(request))
        headers = [(name, value) for name, value in reply.headers.multi_items() if name not in _FRAMING]
        return httpx2.Response(reply.status_code, headers=headers, content=reply.content, request=request)


class _Bounded(httpx2.AsyncByteStream):
    """The body of a reply, as long as it stays within the bounds."""

    def __init__(self, stream: Any, bounds: Bounds, ends: float, events: bool) -> None:
        self._stream, self._bounds, self._ends, self._events = stream, bounds, ends, events
        self._size = 0

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async with aclosing(self._in_time()) as pieces:
            if not self._events:
                async for piece in pieces:
                    yield piece
                return
            async with aclosing(_events(pieces, self._bounds)) as events:
                async for event in events:
                    yield event

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def _in_time(self) -> AsyncGenerator[bytes]:
        """The pieces as they come, of bounded size and within the time."""
        loop, pieces, count = asyncio.get_running_loop(), aiter(self._stream), 0
        while True:
            wait = loop.time() + self._bounds.wait
            try:
                # The client's own limit is on the time between bytes, also of those between two pieces.
                async with asyncio.timeout_at(min(wait, self._ends)):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise self._bounds.idle() if wait < self._ends else self._bounds.too_slow() from None
            self._size += len(piece) + PIECE_BYTES
            if self._size > self._bounds.size:
                raise self._bounds.too_large()
            yield piece
            count += 1
            flood = count % PAUSE_PIECES == 0 or len(piece) >= PAUSE_BYTES
            await asyncio.sleep(PAUSE_SECONDS if flood else 0)


async def _events(pieces: AsyncGenerator[bytes], bounds: Bounds) -> AsyncGenerator[bytes]:
    """One event of a stream after the other, each checked; a reply that is no stream, as a whole."""
    loop, waiting, first, count = asyncio.get_running_loop(), bytearray(), b"", 0
    last_words = loop.time()
    async for piece in pieces:
        seen = max(0, len(waiting) - 2)  # the end of an event may be cut in two
        waiting += piece
        if not first:
            waiting = waiting.lstrip(_BLANK)
            first = bytes(waiting[:1])
        ends = [] if first in _WHOLE else [end.end() for end in _EVENT_END.finditer(waiting, seen)]
        begin = 0
        for end in ends:
            event = bytes(waiting[begin:end])
            check_event(event)
            if _SAYS.search(event):
                last_words = loop.time()
            yield event
            begin, count = end, count + 1
            if count % PAUSE_PIECES == 0:
                await asyncio.sleep(PAUSE_SECONDS)
        del waiting[:begin]
        if len(waiting) > EVENT_BYTES:
            check_event(bytes(waiting))
        if count * PIECE_BYTES > bounds.size:
            raise bounds.too_large()
        if loop.time() > last_words + bounds.wait:
            raise bounds.idle()
    check_event(bytes(waiting))
    yield bytes(waiting)


async def _beginning(stream: Any, seconds: float) -> bytes:
    """The beginning of an error's body, as far as it comes within some seconds."""
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for piece in stream:
                body += piece
                if len(body) >= ERROR_BYTES:
                    break
    except (TimeoutError, httpx2.HTTPError):
        pass
    await stream.aclose()
    return bytes(body[:ERROR_BYTES])
