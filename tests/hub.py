"""A hub on this machine that speaks as much of the Hugging Face Hub's protocol as a download needs."""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.models.reach.recommended import Recommended

COMMIT = "c" * 40
PIECE = 2**14


class Hub:
    """One file of one repository; runs in threads of its own until `close`."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        """The bytes that are sent."""
        self.size, self.etag = len(content), hashlib.sha256(content).hexdigest()
        """Values of the headers that describe them."""
        self.status, self.error_code = 200, ""
        """How it refuses, if it does."""
        self.cut_after: list[int] = []
        """Bytes after which each of the next replies ends, before its end."""
        self.ranges = True
        """True if a download can begin in the middle."""
        self.pause = 0.0
        """Seconds between pieces."""
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        """Method, path and headers of every request."""
        self.sent = 0
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                hub._reply(self)

            def do_GET(self) -> None:
                with suppress(ConnectionError):
                    hub._reply(self)

            def handle(self) -> None:
                with suppress(ConnectionError):
                    super().handle()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        """Return the address that HF_ENDPOINT is set to."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def begun(self) -> list[str]:
        """Where each request for the bytes began."""
        return [
            headers.get("Range", "")
            for method, path, headers in self.asked
            if (method, path) == ("GET", "/cdn")
        ]

    def close(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()

    def _reply(self, to: BaseHTTPRequestHandler) -> None:
        self.asked.append((to.command, to.path, dict(to.headers.items())))
        if self.status != 200:
            to.send_response(self.status)
            if self.error_code:
                to.send_header("X-Error-Code", self.error_code)
            to.send_header("Content-Length", "0")
            to.end_headers()
        elif to.path == "/cdn":
            self._send(to)
        else:
            to.send_response(302)
            to.send_header("X-Repo-Commit", COMMIT)
            to.send_header("X-Linked-Etag", f'"{self.etag}"')
            to.send_header("X-Linked-Size", str(self.size))
            to.send_header("Location", self.url.replace("127.0.0.1", "localhost") + "/cdn")
            to.send_header("Content-Length", "0")
            to.end_headers()

    def _send(self, to: BaseHTTPRequestHandler) -> None:
        begin = 0
        if self.ranges and (wanted := to.headers.get("Range")):
            begin = int(wanted.removeprefix("bytes=").removesuffix("-"))
        to.send_response(206 if begin else 200)
        if begin:
            to.send_header("Content-Range", f"bytes {begin}-{self.size - 1}/{self.size}")
        to.send_header("Content-Length", str(len(self.content) - begin))
        to.end_headers()
        rest = self.content[begin:]
        if self.cut_after:
            rest = rest[: self.cut_after.pop(0)]
            to.close_connection = True
        for place in range(0, len(rest), PIECE):
            to.wfile.write(rest[place : place + PIECE])
            self.sent += len(rest[place : place + PIECE])
            if self.pause:
                time.sleep(self.pause)


def small_model(content: bytes, **changed: object) -> Recommended:
    """A model with this content."""
    values: dict[str, Any] = {
        "name": "small",
        "title": "A small model",
        "repository": "somebody/small-GGUF",
        "file": "small-Q8_0.gguf",
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "licence": "Apache-2.0",
        "memory": 0.1,
        "says": "For tests.",
    }
    return Recommended(**(values | changed))
