"""A server's reply in any of the dialects of the OpenAI API, as the stream of chunks that the client expects.

Servers differ: some send a whole JSON reply although a stream was asked for, events without anything of a reply (a
ping), an error in other shapes than OpenAI's, a text as a list of parts, or `[DONE]` without saying why the reply ends.
The client drops such words, or takes the reply for broken. So what it reads is written anew, event by event.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

from core.models.server_words import complains, words_in

DONE = "[DONE]"
MOST_BYTES = 2**24
"""Of one event, or of a reply that comes whole: 16 MiB, more than any model writes."""
MOST_WORDS = 5
"""Events, or lines, without a reply whose words are passed on."""
_FIELDS = ("id", "retry", "")
"""Of an event, without those that are read; a comment has an empty one."""
_PARTS = ("text", "content", "value", "refusal")
"""Where a part of a list of parts has its text; what a model thought stands under other names, and is left out."""


async def as_chunks(response: httpx2.Response) -> None:
    """A response hook of the client: let it read chunks, whatever dialect the server sends.

    Errors with a status of their own are left as they are, and so is what is neither JSON nor a stream.
    """
    if response.status_code != httpx2.codes.OK:
        return
    # Decompressed by a response of its own, since the stream that the client gets is no longer compressed.
    received = httpx2.Response(response.status_code, headers=response.headers, stream=response.stream)
    response.headers.pop("content-encoding", None)
    response.headers.pop("content-length", None)
    response.stream = _Chunks(received)


class _Chunks(httpx2.AsyncByteStream):
    """The chunks of a reply as bytes of an event stream."""

    def __init__(self, received: httpx2.Response) -> None:
        self._received = received

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = self._received.aiter_bytes()
        start = b""
        async for piece in pieces:
            start = (start + piece).lstrip(b"\xef\xbb\xbf \t\r\n")
            if first := start[:1]:
                break
        else:
            return
        rest = _chain(start, pieces)
        if first in (b"{", b"["):
            for line in _whole(await _joined(rest)):
                yield line
        elif first == b"<":  # a web page, which the client takes for what it is
            async for piece in rest:
                yield piece
        else:
            async for line in _events(rest):
                yield line

    async def aclose(self) -> None:
        await self._received.aclose()


async def _chain(start: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield start
    async for piece in pieces:
        yield piece


async def _joined(pieces: AsyncIterator[bytes]) -> bytes:
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > MOST_BYTES:
            raise ValueError("too much for one reply")
    return bytes(body)


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The lines of a stream, without their ends. Only `\\n` ends one: text may hold Unicode's other line ends."""
    pending = bytearray()
    async for piece in pieces:
        *whole, rest = piece.split(b"\n")
        for line in whole:
            pending += line
            yield pending.removesuffix(b"\r").decode("utf-8", "replace")
            pending.clear()
        pending += rest
        if len(pending) > MOST_BYTES:
            raise ValueError("too much for one event")
    yield pending.decode("utf-8", "replace")


async def _events(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Server-sent events, each in the client's words (HTML standard, 9.2.6)."""
    reply, name, data, size = _Reply(), "", [], 0
    async for line in _lines(pieces):
        what, _, value = line.partition(":")
        if what == "data":
            data.append(value.removeprefix(" "))
            size += len(line)
            if size > MOST_BYTES:
                raise ValueError("too much for one event")
        elif what == "event":
            name = value.strip()
        elif not line:
            for chunk in reply.lines(name, "\n".join(data)):
                yield chunk
            name, data, size = "", [], 0
        elif what not in _FIELDS:
            reply.say(line)
    # The last event may lack its empty line; half an event is none.
    if data and (data[0].startswith(DONE) or _decoded(data[0]) is not None):
        for chunk in reply.lines(name, "\n".join(data)):
            yield chunk
    for chunk in reply.end():
        yield chunk


def _decoded(text: str) -> object:
    """JSON; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _whole(body: bytes) -> Iterator[bytes]:
    """The chunks of a body that is one JSON object: a whole reply, or an error."""
    answer = _decoded(body.decode("utf-8-sig", "replace"))
    if answer is None:
        yield body  # the client says that it is none
        return
    reply = _Reply()
    yield from reply.chunk(answer)
    yield from reply.end(done=True)


@dataclass
class _Reply:
    """What has come of a reply, as far as its end hangs on it."""

    index: Any = None
    """Of the choice that is read: one reply was asked for, and others would be mixed into it."""
    begun: bool = False
    finished: bool = False
    counted: bool = False
    """Whether the tokens were counted after the reply, in an event of its own."""
    said: list[str] = field(default_factory=list)
    """Words that came without a reply; they count only where none follows."""

    def say(self, words: str) -> None:
        """Keep words, as far as they can be quoted."""
        if words and len(self.said) < MOST_WORDS:
            self.said.append(words)

    def lines(self, name: str, data: str) -> Iterator[bytes]:
        """What an event of the server is in the client's words; nothing for one that adds nothing.

        Args:
            name: The event's own name; most have none.
            data: What it holds.
        """
        text = data.strip()
        if text.startswith(DONE) or name == "done":
            yield from self.end(done=True)
        elif not text.startswith(("{", "[", '"')):
            if name == "error":
                yield _error(text)
            else:
                self.say(text)
        elif (answer := _decoded(text)) is None:
            yield _line(text)  # the client says that it is no JSON
        elif name == "error":
            yield _error(words_in(answer) or text)
        else:
            yield from self.chunk(answer)

    def chunk(self, answer: object) -> Iterator[bytes]:
        """A decoded event, or a whole reply, as a chunk or an error."""
        if not isinstance(answer, dict):
            self.say(words_in(answer))
            return
        choices = [choice for choice in answer.get("choices") or () if isinstance(choice, dict)]
        if answer.get("error") or (complains(answer) and not choices):
            yield _error(words_in(answer) or json.dumps(answer))
            return
        if choices and not self.begun:
            self.index = choices[0].get("index")
        ours = [choice for choice in choices if choice.get("index") == self.index]
        if not ours:
            self.counted = self.counted or (self.begun and bool(answer.get("usage")))
            self.say(words_in(answer))
            if answer.get("usage") or isinstance(answer.get("choices"), list):
                yield _chunk(answer, [])
            return
        choice = _choice(ours[0], first=not self.begun)
        self.begun, self.counted = True, False
        self.finished = self.finished or bool(choice["finish_reason"])
        yield _chunk(answer, [choice])

    def end(self, *, done: bool = False) -> Iterator[bytes]:
        """What the client needs to see at the end of the stream.

        Args:
            done: Whether the server said that this is the end.
        """
        if self.begun and not self.finished and (done or self.counted):
            self.finished = True
            yield _chunk({}, [{"index": 0, "delta": {}, "finish_reason": "stop"}])
        elif not self.finished and self.said:
            yield _error("; ".join(self.said))
            self.said.clear()
        if done:
            yield _line(DONE)


def _choice(choice: dict[str, Any], *, first: bool) -> dict[str, Any]:
    """A choice of a chunk; also from a whole reply, or from a server that completes texts.

    Args:
        choice: As the server sent it.
        first: Whether nothing came before: at the end of a stream, a whole reply would say everything again.
    """
    delta = (
        choice.get("delta") or (choice.get("message") if first else None) or {"content": choice.get("text")}
    )
    delta = delta if isinstance(delta, dict) else {"content": delta}
    content = _text(delta.get("content")) or _text(delta.get("refusal"))
    plain: dict[str, Any] = {"role": "assistant", "content": content}
    if calls := delta.get("tool_calls"):
        whole = "message" in choice and isinstance(calls, list)
        plain["tool_calls"] = (
            [{"index": place} | call for place, call in enumerate(calls)] if whole else calls
        )
    reason = choice.get("finish_reason")
    kept = {"index": 0, "delta": plain, "finish_reason": str(reason) if reason else None}
    return kept | ({"logprobs": choice["logprobs"]} if choice.get("logprobs") else {})


def _text(content: object) -> str:
    """A content as text: some servers send parts, and what the model thought as a part of its own."""
    if content is None or isinstance(content, bool):
        return ""
    if isinstance(content, list):
        return "".join(map(_text, content))
    if isinstance(content, dict):
        if "think" in str(content.get("type")) or "reason" in str(content.get("type")):
            return ""
        return next((_text(content[name]) for name in _PARTS if content.get(name)), "")
    return str(content)


def _chunk(answer: dict[str, Any], choices: list[dict[str, Any]]) -> bytes:
    usage = answer.get("usage")
    chunk = {
        "id": str(answer.get("id") or ""),
        "object": "chat.completion.chunk",
        "created": 0,
        "model": str(answer.get("model") or ""),
        "choices": choices,
        "usage": usage if isinstance(usage, dict) else None,
    }
    return _line(json.dumps(chunk))


def _error(words: str) -> bytes:
    return _line(json.dumps({"error": {"message": words}}))


def _line(data: str) -> bytes:
    return b"data: " + b"\ndata: ".join(data.encode().split(b"\n")) + b"\n\n"
