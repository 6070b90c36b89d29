"""A web site for tests, on this machine: its pages, the addresses that its names have, and who asked for what."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from core.certificates import certificates
from core.corpora.webpage import fetch_page
from core.errors import LoupeError

PUBLIC, OTHER_PUBLIC, SILENT = "93.184.216.34", "2606:4700::6810:84e5", "93.184.216.35"
Reply = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A real server on this machine, which stands for every public address; the guard stays as it is."""

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {"site.example.com": [[PUBLIC]]}
        """A name's answers, one after the other; the last is repeated."""
        self.pages: dict[str, Reply] = {}
        self.asked: list[str] = []
        self.connected: list[str] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.trusted: ssl.SSLContext | None = None
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                site.pages[self.path](self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    async def resolve(self, host: str) -> list[str]:
        self.asked.append(host)
        answers = self.names.get(host, [[]])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def transport(self) -> httpx.AsyncBaseTransport:
        site = self

        class ToSite(httpx.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
                site.connected.append(request.url.host)
                if request.url.host == SILENT:
                    raise httpx.ConnectError("no route")
                request.url = request.url.copy_with(host="127.0.0.1", port=site.server.server_port)
                return await super().handle_async_request(request)

        return ToSite(verify=self.trusted or certificates())

    async def fetch(self, url: str, max_mb: int = 1) -> tuple[str, bytes]:
        return await fetch_page(url, max_mb=max_mb, resolve=self.resolve, transport=self.transport)

    async def refusal(self, url: str, max_mb: int = 1) -> str:
        with pytest.raises(LoupeError) as caught:
            await self.fetch(url, max_mb)
        assert not any(number in str(caught.value) for number in ("127.", "10.0", "169.254", "::"))
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
        return str(caught.value)


def begin(
    handler: BaseHTTPRequestHandler, kind: str = "text/plain", status: int = 200, **headers: str
) -> None:
    """Send all that comes before the body of a reply."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def page(
    body: bytes = b"<p>Hello</p>", kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str
) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        begin(handler, kind, status, Content_Length=str(len(body)), **headers)
        handler.wfile.write(body)

    return reply


def forward(to: str, **headers: str) -> Reply:
    return page(b"", status=302, Location=to, **headers)
