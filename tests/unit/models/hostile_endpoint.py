"""An endpoint that never comes to an end, or whose replies nobody could hold: one mode at a time."""

from __future__ import annotations

import gzip
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import repeat
from typing import Any

MODES: dict[str, Callable[[], Iterator[bytes]]] = {}
"""Name -> what is sent in reply to any request, headers included. The server stops when the client has hung up."""
BLOCK = b"x" * 2**16


class HostileEndpoint:
    """Replies to whatever it is asked in the mode that its address names."""

    def __init__(self, mode: str = "", drip: float = 0.02) -> None:
        """
        Args:
            mode: One of `MODES`, the one that `url` names.
            drip: Seconds between the bytes of what comes slowly.
        """
        self.mode, self.drip = mode, drip
        self.requests = 0
        self.sent = 0
        """Bytes, those included that the client has not read."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._closed = threading.Event()
        self.root = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def url(self) -> str:
        """The address of an endpoint in this mode."""
        return f"{self.root}/{self.mode}/v1"

    def close(self) -> None:
        self._closed.set()
        self._socket.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                threading.Thread(target=self._reply, args=(client,), daemon=True).start()

    def _reply(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            request = b""
            while not _is_whole(request):
                request += client.recv(2**16)
            self.requests += 1
            for part in MODES[request.split(b"/")[1].decode()]():
                if part == b"":
                    self._closed.wait(self.drip)
                if self._closed.is_set():
                    return
                client.sendall(part)
                self.sent += len(part)
            client.shutdown(socket.SHUT_WR)


def _is_whole(request: bytes) -> bool:
    """Whether the request has come with its body: what is not read when a connection is closed resets it."""
    headers, end, body = request.partition(b"\r\n\r\n")
    size = re.search(rb"(?i)content-length: (\d+)", headers)
    return bool(end) and len(body) >= int(size[1] if size else 0)


def _mode(make: Callable[[], Iterator[bytes]]) -> None:
    MODES[make.__name__.replace("_", "-")] = make


def _head(status: str = "200 OK", kind: str = "text/event-stream", *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *more]
    return "\r\n".join([*lines, "", ""]).encode()


def event(delta: Any, **choice: Any) -> bytes:
    """An event of a stream with one choice."""
    found = {"choices": [{"index": 0, "delta": delta, "finish_reason": None, **choice}]}
    return f"data: {json.dumps(found)}\n\n".encode()


def calls(*arguments: str, name: str = "search") -> bytes:
    return event(
        {
            "tool_calls": [
                {"index": place, "id": f"c{place}", "function": {"name": name, "arguments": text}}
                for place, text in enumerate(arguments)
            ]
        }
    )


END = event({}, finish_reason="stop") + b"data: [DONE]\n\n"


def _slowly(text: bytes) -> Iterator[bytes]:
    for place in range(len(text)):
        yield text[place : place + 1]
        yield b""


@_mode
def endless_stream() -> Iterator[bytes]:
    yield _head()
    yield from repeat(event({"content": "word " * 50}) * 40)


@_mode
def endless_line() -> Iterator[bytes]:
    yield _head() + b'data: {"choices": [{"delta": {"content": "'
    yield from repeat(BLOCK)


@_mode
def endless_comments() -> Iterator[bytes]:
    yield _head()
    yield from repeat(b": ping\n\n" * 2000)


@_mode
def endless_thought() -> Iterator[bytes]:
    yield _head()
    yield from repeat(event({"reasoning_content": "hm " * 5000}) * 8)


@_mode
def endless_error() -> Iterator[bytes]:
    yield _head("500 Broken", "application/json") + b'{"error": {"message": "it broke '
    yield from repeat(BLOCK)


@_mode
def endless_json() -> Iterator[bytes]:
    yield _head(kind="application/json") + b'{"data": ['
    yield from repeat(b'{"id": "a"},' * 4000)


@_mode
def endless_headers() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    yield from repeat(b"X-More: " + b"y" * 1000 + b"\r\n")


@_mode
def endless_informational() -> Iterator[bytes]:
    for _ in repeat(None):
        yield b"HTTP/1.1 100 Continue\r\n\r\n" * 100
        yield b""


@_mode
def packed() -> Iterator[bytes]:
    yield _head("200 OK", "text/event-stream", "Content-Encoding: gzip")
    yield gzip.compress(b": " + b"x" * 2**24 + b"\n\n") * 100


@_mode
def packed_error() -> Iterator[bytes]:
    yield _head("500 Broken", "application/json", "Content-Encoding: gzip")
    yield gzip.compress(b"x" * 2**24) * 100


@_mode
def slow_headers() -> Iterator[bytes]:
    for _ in repeat(None):
        yield from _slowly(b"HTTP/1.1 200 OK\r\nX-More: " + b"y" * 10_000)


@_mode
def slow_comments() -> Iterator[bytes]:
    yield _head()
    for _ in repeat(None):
        yield b": ping\n\n"
        yield b""


@_mode
def slow_pings() -> Iterator[bytes]:
    yield _head()
    for _ in repeat(None):
        yield b"event: ping\ndata: {}\n\n"
        yield b""


@_mode
def slow_bytes() -> Iterator[bytes]:
    yield _head()
    for _ in repeat(None):
        yield from _slowly(b"data: " + b" " * 10_000)


@_mode
def slow_error() -> Iterator[bytes]:
    yield _head("503 Busy", "text/plain")
    for _ in repeat(None):
        yield from _slowly(b"later ")


@_mode
def slow_chunk_size() -> Iterator[bytes]:
    yield _head("200 OK", "text/event-stream", "Transfer-Encoding: chunked")
    yield from _slowly(b"1;" + b"e" * 50_000)


@_mode
def slow_reply() -> Iterator[bytes]:
    yield _head()
    for _ in repeat(None):
        yield event({"content": "a"})
        yield b""


@_mode
def tiny_chunks() -> Iterator[bytes]:
    yield _head("200 OK", "text/event-stream", "Transfer-Encoding: chunked")
    yield from repeat(b"1\r\n \r\n" * 10_000)


@_mode
def deep_event() -> Iterator[bytes]:
    yield _head() + b'data: {"choices": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n\n"


@_mode
def deep_error() -> Iterator[bytes]:
    yield _head("400 Bad", "application/json") + b'{"error": {"message": ' + b"[" * 900 + b"]" * 900 + b"}}"


@_mode
def many_values() -> Iterator[bytes]:
    yield _head() + b'data: {"choices": [' + b"[]," * 300_000 + b"0]}\n\n"


@_mode
def digits() -> Iterator[bytes]:
    yield _head() + b'data: {"choices": [], "usage": {"prompt_tokens": ' + b"9" * 900_000 + b"}}\n\n"


@_mode
def many_calls() -> Iterator[bytes]:
    yield _head() + calls(*["{}"] * 5000) + END


@_mode
def long_arguments() -> Iterator[bytes]:
    yield _head() + calls("{" * 100_000) + END


@_mode
def arguments_in_parts() -> Iterator[bytes]:
    yield _head() + calls("") + calls("{", name="") * 70_000 + END


@_mode
def no_choices() -> Iterator[bytes]:
    yield _head() + b'data: {"choices": 7}\n\n' + END


def main() -> None:
    """Serve until stopped, as a process of its own; its address is printed."""
    print(HostileEndpoint(drip=0.3).root, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
