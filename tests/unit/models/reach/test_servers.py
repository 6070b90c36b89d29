"""Servers of models on this machine: which are found, and what they are asked."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from core.models.endpoint import NO_KEY, ChatEndpoint
from core.models.reach import servers
from core.models.reach.servers import MOST_BYTES, MOST_MODELS, LocalServer, LocalServers, ask, ports_of
from tests.cases import cases
from tests.scripted import ScriptedServer

OWNERS = {"Ollama": "library", "LM Studio": "organization_owner", "llama.cpp": "llamacpp", "vLLM": "vllm"}


class Asked(list[BaseHTTPRequestHandler]):
    """What a server was asked, and its port."""

    port = 0


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[Asked]:
    """A server that gives one answer to everything."""
    asked = Asked()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    asked.port = server.server_port
    yield asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def four() -> Iterator[dict[str, ScriptedServer]]:
    """A server of each kind, on a port of its own."""
    found = {program: ScriptedServer() for program in OWNERS}
    for program, server in found.items():
        server.listed = {f"a model of {program}": OWNERS[program]}
    yield found
    for server in found.values():
        server.close()


def test_servers_of_each_kind_are_found_and_only_asked_for_their_models(
    four: dict[str, ScriptedServer],
) -> None:
    local = LocalServers(server.port for server in four.values())
    assert local.known() == ()
    assert local.look(30)
    assert local.known() == tuple(
        LocalServer(server.port, program, (f"a model of {program}",)) for program, server in four.items()
    )
    assert local.look(30)
    assert [server.list_requests for server in four.values()] == [1] * 4, "an answer counts for seconds"
    local.forget()
    next(iter(four.values())).listed = {}
    local.look(30)
    assert len(local.known()) == 3, "one without models is left out"
    assert all(server.requests == [] for server in four.values())


@pytest.mark.parametrize("owner", ["library", "organization_owner"])
def test_servers_say_how_large_their_models_are(scripted_server: ScriptedServer, owner: str) -> None:
    scripted_server.reset()
    scripted_server.listed = dict.fromkeys(["llama3.2:latest", "granite", "odd"], owner)
    scripted_server.sizes = {"llama3.2:latest": "3.2B", "granite": "360M", "odd": "many", "other": "7B"}
    server = ask(scripted_server.port)
    assert server is not None
    assert server.parameters == {"llama3.2:latest": 3.2e9, "granite": 360e6}
    local = LocalServers([scripted_server.port])
    url = scripted_server.base_url
    assert local.parameters(url, "granite") is None, "nothing is asked"
    assert local.parameters(url, "granite", asks=True) == 360e6
    assert local.parameters(url, "odd", asks=True) is None
    assert scripted_server.list_requests == 2, "asked once"
    assert local.parameters("http://models.example:80/v1", "granite", asks=True) is None


def test_llama_cpp_says_it_in_the_usual_list() -> None:
    listed = [
        {"id": "a.gguf", "owned_by": "llamacpp", "meta": {"n_params": 494032768}},
        {"id": "b.gguf", "owned_by": "llamacpp", "meta": {"n_params": "x" * 500}},
        {"id": "c.gguf", "owned_by": "llamacpp", "meta": None},
    ]
    with answering(200, json.dumps({"data": listed}).encode()) as asked:
        server = ask(asked.port)
    assert server is not None
    assert server.parameters == {"a.gguf": 494032768.0}
    assert [one.path for one in asked] == ["/v1/models"]


def test_ports_of_this_app_are_not_asked(scripted_server: ScriptedServer) -> None:
    scripted_server.reset()
    local = LocalServers([scripted_server.port])
    assert local.look(30, [scripted_server.port])
    assert local.known() == ()
    assert scripted_server.list_requests == 0


def test_one_of_several_models_is_an_endpoint_without_a_key(scripted_server: ScriptedServer) -> None:
    scripted_server.reset()
    scripted_server.listed = dict.fromkeys(
        ["nomic-embed-text", "BAAI/bge-m3", "qwen3:4b", "llama3.2"], "library"
    )
    server = ask(scripted_server.port)
    assert server is not None
    assert server.models == ("qwen3:4b", "llama3.2", "nomic-embed-text", "BAAI/bge-m3")
    assert server.endpoint("llama3.2") == ChatEndpoint(scripted_server.base_url, NO_KEY, "llama3.2")


def test_names_of_models_are_bounded(scripted_server: ScriptedServer) -> None:
    scripted_server.reset()
    names = ["x" * 121, "two\nlines", " ", *(f"model {number}" for number in range(300))]
    scripted_server.listed = dict.fromkeys(names, "")
    server = ask(scripted_server.port)
    assert server is not None
    assert server.models == tuple(f"model {number}" for number in range(MOST_MODELS))


@cases(
    ("status", "body"),
    [
        (200, b"<html>Welcome to nginx!</html>"),
        (200, b'{"data": "none"}'),
        (200, b'{"data": [{"id": 7}, 8, {"name": "x"}]}'),
        (200, b"[]"),
        (200, b"[" * 100_000),
        (200, b'{"data": [{"id": "' + b"x" * MOST_BYTES + b'"}]}'),
        (401, b'{"error": "no key"}'),
        (404, b'{"data": [{"id": "x"}]}'),
        (500, b""),
    ],
)
def test_what_is_no_such_server_is_left_out(status: int, body: bytes) -> None:
    with answering(status, body) as asked:
        assert ask(asked.port) is None
    assert [one.path for one in asked] == ["/v1/models"]
    assert all("Authorization" not in one.headers for one in asked)


def test_no_redirect_is_followed(scripted_server: ScriptedServer) -> None:
    scripted_server.reset()
    with answering(302, b"", Location=f"{scripted_server.base_url}/models") as asked:
        assert ask(asked.port) is None
    assert len(asked) == 1
    assert scripted_server.list_requests == 0


def test_compressed_answers_are_not_unpacked() -> None:
    with answering(200, gzip.compress(b'{"data": [{"id": "x"}]}'), Content_Encoding="gzip") as asked:
        assert ask(asked.port) is None
    assert asked[0].headers["Accept-Encoding"] == "identity"


def test_nobody_waits_for_one_that_is_silent(
    scripted_server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_server.reset()
    monkeypatch.setattr(servers, "ANSWER_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        ports = [silent.getsockname()[1], closed.getsockname()[1], scripted_server.port]
        local = LocalServers(ports)
        assert not local.look(0.0)
        assert local.look(30)
        assert [server.port for server in local.known()] == [scripted_server.port]


def test_one_that_sends_byte_by_byte_does_not_hold_up_the_others(
    scripted_server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_server.reset()
    monkeypatch.setattr(servers, "ANSWER_SECONDS", 0.2)
    ended = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            for byte in b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000:
                if ended.is_set():
                    return
                connection.sendall(bytes([byte]))
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as slow:
        threading.Thread(target=drip, args=(slow,), daemon=True).start()
        local = LocalServers([slow.getsockname()[1], scripted_server.port])
        for _ in range(20):  # on a busy machine the quick one may be late, too
            assert local.look(30)
            if local.known():
                break
            local.forget()
        assert [server.port for server in local.known()] == [scripted_server.port]
        ended.set()


def test_ports_as_they_are_written() -> None:
    assert ports_of("11434, 1234,8080 1234") == (11434, 1234, 8080)
    assert ports_of("none") == ports_of("0") == ports_of("99999") == ()
