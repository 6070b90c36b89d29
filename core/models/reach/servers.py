"""Servers of chat models that answer on this machine: Ollama, LM Studio, llama.cpp, vLLM.

Only `GET /v1/models` is asked, at 127.0.0.1 and the ports that are configured, without a key. What answers in another
way is left out. No model is asked for a reply before somebody chooses it, since that may load it.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Collection, Iterable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any

import httpx

from core.certificates import certificates
from core.models.endpoint import NO_KEY, ChatEndpoint

HOST = "127.0.0.1"
CONNECT_SECONDS = 0.5
ANSWER_SECONDS = 1.5
"""For the whole answer."""
FRESH_SECONDS = 5.0
"""How long an answer counts."""
MOST_BYTES = 2**18
MOST_MODELS = 100
MOST_CHARACTERS = 120
"""Longest name of a model; what is longer is left out, since it could not be asked for when cut."""
_OWNERS = {"library": "Ollama", "organization_owner": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}
"""What each program says of who owns its models -> the program."""
_PORTS = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM"}
_NO_CHAT = re.compile(r"embed|rerank|minilm|(^|[/_:-])(bge|gte|e5)[-_]", re.IGNORECASE)
"""Names of models that make vectors or scores."""


@dataclass(frozen=True)
class LocalServer:
    """A server of chat models on this machine."""

    port: int
    program: str
    """Which it seems to be, e.g. "Ollama"."""
    models: tuple[str, ...]
    """At least one; names are foreign text. Those that seem to be no chat models come last."""

    @property
    def url(self) -> str:
        """Its address, for people and clients."""
        return f"http://{HOST}:{self.port}/v1"

    def endpoint(self, model: str) -> ChatEndpoint:
        """One of its models."""
        return ChatEndpoint(self.url, NO_KEY, model)


def ports_of(text: str) -> tuple[int, ...]:
    """Ports as they are configured; what is no port is left out."""
    found = (int(one) for one in re.findall(r"\d{1,5}", text))
    return tuple(dict.fromkeys(port for port in found if 0 < port < 2**16))


class LocalServers:
    """Those that answered last; thread-safe."""

    def __init__(self, ports: Iterable[int]) -> None:
        """
        Args:
            ports: Where to ask.
        """
        self.ports = tuple(ports)
        self._found: tuple[LocalServer, ...] = ()
        self._asked = -FRESH_SECONDS
        self._looking: Future[None] | None = None
        self._lock = threading.Lock()

    def known(self) -> tuple[LocalServer, ...]:
        """Those that answered last; nothing is asked."""
        return self._found

    def forget(self) -> None:
        """Have the next `look` ask, however new the last answer is."""
        self._asked = -FRESH_SECONDS

    def look(self, seconds: float, but: Collection[int] = ()) -> bool:
        """Ask again where the last answer is too old.

        Args:
            seconds: How long to wait for the answers; they are taken also when they come later.
            but: Ports that are this app's own.

        Returns:
            Whether what is known is new.
        """
        with self._lock:
            if self._looking is None or self._looking.done():
                if time.monotonic() < self._asked + FRESH_SECONDS:
                    return True
                self._looking = Future()
                threading.Thread(
                    target=self._look, args=(self._looking, tuple(but)), name="rag-loupe-reach", daemon=True
                ).start()
            looking = self._looking
        wait([looking], seconds)
        return looking.done()

    def _look(self, done: Future[None], but: Collection[int]) -> None:
        answers: dict[int, LocalServer | None] = {}
        ports = [port for port in self.ports if port not in but]
        asking = [_in_background(answers, port) for port in ports]
        end = time.monotonic() + 2 * ANSWER_SECONDS
        for thread in asking:  # one that sends its headers byte by byte does not hold up the others
            thread.join(max(0.0, end - time.monotonic()))
        self._found = tuple(server for port in ports if (server := answers.get(port)) is not None)
        self._asked = time.monotonic()
        done.set_result(None)


def _in_background(answers: dict[int, LocalServer | None], port: int) -> threading.Thread:
    thread = threading.Thread(
        target=lambda: answers.update({port: ask(port)}), name="rag-loupe-reach", daemon=True
    )
    thread.start()
    return thread


def ask(port: int) -> LocalServer | None:
    """The server of chat models that answers at a port of this machine; None: none does."""
    try:
        reply = json.loads(_body(port))
        listed = [one for one in reply["data"] if isinstance(one, dict)]
    except (httpx.HTTPError, OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    names = dict.fromkeys(_name(one) for one in listed[: 2 * MOST_MODELS])
    names.pop("", None)
    if not names:
        return None
    owners = (one.get("owned_by") for one in listed)
    program = next((_OWNERS[owner] for owner in owners if isinstance(owner, str) and owner in _OWNERS), "")
    program = program or _PORTS.get(port, "A server of models")
    ordered = sorted(names, key=lambda name: _NO_CHAT.search(name) is not None)
    return LocalServer(port, program, tuple(ordered[:MOST_MODELS]))


def _name(listed: dict[Any, Any]) -> str:
    name = listed.get("id")
    fits = isinstance(name, str) and len(name) <= MOST_CHARACTERS and name.isprintable()
    return name.strip() if fits and isinstance(name, str) else ""


def _body(port: int) -> bytes:
    """What the server says, of a bounded size and within a bounded time.

    Raises:
        httpx.HTTPError: It does not answer, or not like this.
        ValueError: It says too much, or too slowly.
    """
    end = time.monotonic() + ANSWER_SECONDS
    limits = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
    found = b""
    with (
        httpx.Client(
            trust_env=False, verify=certificates(trust_env=False), timeout=limits, follow_redirects=False
        ) as client,
        # Not compressed, so that no small answer becomes a large one.
        client.stream(
            "GET", f"http://{HOST}:{port}/v1/models", headers={"Accept-Encoding": "identity"}
        ) as reply,
    ):
        if reply.status_code != 200:
            raise ValueError("no list of models")
        for piece in reply.iter_raw(2**14):
            found += piece
            if len(found) > MOST_BYTES or time.monotonic() > end:
                raise ValueError("too much, or too slow")
    return found
