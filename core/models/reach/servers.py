"""Servers of chat models that answer on this machine: Ollama, LM Studio, llama.cpp, vLLM.

`GET /v1/models` is asked, at 127.0.0.1 and the ports that are configured, without a key; of Ollama and LM Studio also
their own list, which says how large each model is. What answers in another way is left out. No model is asked for a
reply before somebody chooses it, since that may load it.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from core.certificates import certificates
from core.models.capability import parameters_in
from core.models.endpoint import NO_KEY, ChatEndpoint, is_loopback

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
_OWN_LISTS = {"Ollama": "/api/tags", "LM Studio": "/api/v1/models"}
"""Where programs list their models in a way of their own, with sizes."""


@dataclass(frozen=True)
class LocalServer:
    """A server of chat models on this machine."""

    port: int
    program: str
    """Which it seems to be, e.g. "Ollama"."""
    models: tuple[str, ...]
    """At least one; names are foreign text. Those that seem to be no chat models come last."""
    parameters: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Name of a model -> number of its parameters, as far as the server says it."""

    @property
    def url(self) -> str:
        """Its address, for people and clients."""
        return f"http://{HOST}:{self.port}/v1"

    def endpoint(self, model: str) -> ChatEndpoint:
        """One of its models."""
        return ChatEndpoint(self.url, NO_KEY, model)


def ports_of(text: str) -> tuple[int, ...]:
    """Ports as they are configured; what is no port is left out."""
    ports = (int(digits) for digits in re.findall(r"\d{1,5}", text))
    return tuple(dict.fromkeys(port for port in ports if 0 < port < 2**16))


class LocalServers:
    """Those that answered last; thread-safe."""

    def __init__(self, ports: Iterable[int]) -> None:
        """Ask at these ports."""
        self.ports = tuple(ports)
        self._found: tuple[LocalServer, ...] = ()
        self._sizes: dict[int, Mapping[str, float]] = {}
        self._asked = -FRESH_SECONDS
        self._looking: Future[None] | None = None
        self._lock = threading.Lock()

    def known(self) -> tuple[LocalServer, ...]:
        """Those that answered last; nothing is asked."""
        return self._found

    def parameters(self, base_url: str, model: str, *, asks: bool = False) -> float | None:
        """Number of parameters of a model at an endpoint's address, wherever that is; None: it is not known.

        It is what a server on this machine has said when it was asked for its models; `asks`: it is asked now if it was
        not before, which may block for seconds.
        """
        port = urlsplit(base_url).port
        if port is None or not is_loopback(base_url):
            return None
        if asks and port not in self._sizes:
            server = ask(port)
            self._sizes[port] = server.parameters if server else {}
        return self._sizes.get(port, {}).get(model)

    def forget(self) -> None:
        """Have the next `look` ask, however new the last answer is."""
        self._asked = -FRESH_SECONDS

    def look(self, seconds: float, but: Collection[int] = ()) -> bool:
        """Ask again where the last answer is too old, but not at ports that are this app's own; True: what is known is
        new.

        The answers are waited for some seconds, and are taken also when they come later.
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
        self._sizes |= {server.port: server.parameters for server in self._found}
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
    listed = _listed(port, "/v1/models", "data")
    names = dict.fromkeys(_name(entry) for entry in listed[: 2 * MOST_MODELS])
    names.pop("", None)
    if not names:
        return None
    owners = (entry.get("owned_by") for entry in listed)
    program = next((_OWNERS[owner] for owner in owners if isinstance(owner, str) and owner in _OWNERS), "")
    program = program or _PORTS.get(port, "A server of models")
    ordered = sorted(names, key=lambda name: _NO_CHAT.search(name) is not None)[:MOST_MODELS]
    return LocalServer(port, program, tuple(ordered), _sizes(port, program, listed, ordered))


def _listed(port: int, path: str, key: str) -> list[dict[Any, Any]]:
    """The models of a list; empty where the server has no such list."""
    try:
        return [entry for entry in json.loads(_body(port, path))[key] if isinstance(entry, dict)]
    except (httpx.HTTPError, OSError, ValueError, LookupError, TypeError, RecursionError):
        return []


def _sizes(
    port: int, program: str, listed: Iterable[dict[Any, Any]], names: Collection[str]
) -> dict[str, float]:
    """Numbers of parameters: llama.cpp gives them in the usual list, as `meta.n_params`; Ollama as
    `details.parameter_size` and LM Studio as `params_string` in their own."""
    sizes = {_name(entry): _number(entry.get("meta"), "n_params") for entry in listed}
    if own := _OWN_LISTS.get(program):
        for entry in _listed(port, own, "models"):
            name = str(entry.get("name") or entry.get("key") or "")
            sizes[name] = _number(entry.get("details"), "parameter_size") or _number(entry, "params_string")
    return {name: size for name in names if (size := sizes.get(name))}


def _number(fields: Any, key: str) -> float | None:
    """A number of parameters, written as a number or as `7.6B`."""
    value = fields.get(key) if isinstance(fields, dict) else None
    if isinstance(value, str):
        return parameters_in(value[:MOST_CHARACTERS])
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        return None
    return float(value)


def _name(listed: dict[Any, Any]) -> str:
    name = listed.get("id")
    fits = isinstance(name, str) and len(name) <= MOST_CHARACTERS and name.isprintable()
    return name.strip() if fits and isinstance(name, str) else ""


def _body(port: int, path: str) -> bytes:
    """The server's answer at a path, of a bounded size and within a bounded time.

    Raises:
        httpx.HTTPError: It does not answer, or not like this.
        ValueError: It says too much, or too slowly.
    """
    end = time.monotonic() + ANSWER_SECONDS
    limits = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
    body = b""
    with (
        httpx.Client(
            trust_env=False, verify=certificates(trust_env=False), timeout=limits, follow_redirects=False
        ) as client,
        # Not compressed, so that no small answer becomes a large one.
        client.stream("GET", f"http://{HOST}:{port}{path}", headers={"Accept-Encoding": "identity"}) as reply,
    ):
        if reply.status_code != 200:
            raise ValueError("no list of models")
        for piece in reply.iter_raw(2**14):
            body += piece
            if len(body) > MOST_BYTES or time.monotonic() > end:
                raise ValueError("too much, or too slow")
    return body
