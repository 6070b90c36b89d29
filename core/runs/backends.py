"""The backends that one process works with: chat model, embeddings, Chroma. Started when needed, and watched."""

from __future__ import annotations

import asyncio
import importlib
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.capability import capability_of, parameters_in
from core.models.choice import (
    AS_CONFIGURED,
    ChatChoice,
    builtin_answers,
    file_chosen,
    model_name,
    resolve_chat,
)
from core.models.embeddings import Embedder, open_embedder
from core.models.endpoint import ChatEndpoint, probe
from core.models.reach.files import find_file, folder
from core.models.reach.servers import LocalServer, LocalServers, ports_of
from core.services.arcadedb import LOCAL_GRAPHS
from core.services.chat import BUILTIN_CHAT
from core.services.chroma import LOCAL_CHROMA
from core.services.local_model import files_of
from core.services.service import Service, listening_ports
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.wording import counted

if TYPE_CHECKING:
    from core.models.reach.fetching import Downloads
    from core.runs.recordings import Recordings
    from core.skills.model_kind import ModelKind

log = logging.getLogger(__name__)

LOAD_SECONDS = 300.0
"""How long a server on this machine may load a model before it begins to reply."""


@dataclass(frozen=True)
class ChatStatus:
    """Which model answers and whether it is ready, for the sidebar."""

    name: str
    builtin: bool
    state: Literal["ready", "starting", "stopped", "failed"]
    message: str
    file: bool = False
    """Whether it is a model file that this machine runs."""
    recorded: bool = False
    """Whether its replies are those of a recording."""


class Backends:
    """Configured services, and local ones in the place of those that are not; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.supervisor = Supervisor(settings.rag_loupe_home)
        self._warming = False
        self._loaded = False
        self.servers = LocalServers(ports_of(settings.local_model_ports))
        self._tried: dict[ChatEndpoint, ChatStatus] = {}
        name = settings.chat_model or "the endpoint's first model"
        self._configured = ChatStatus(name, False, "stopped", "Not asked yet.")

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of this deployment."""
        return open_embedder(self.settings)

    @cached_property
    def recordings(self) -> Recordings:
        """Replies of models that are kept."""
        from core.runs.recordings import Recordings

        return Recordings(self.settings)

    @cached_property
    def downloads(self) -> Downloads:
        """Models' files that are being fetched."""
        from core.models.reach.fetching import Downloads

        return Downloads(folder(self.settings))

    async def load_embeddings(self) -> None:
        """Load the built-in embedding model, once in a process. A call that is under way meanwhile takes longer.

        Raises:
            ModelError: It is not installed.
        """
        if self.embedder.builtin and not self._loaded:
            await self.embedder.embed_query("warm")
            self._loaded = True

    async def vectors_url(self) -> str:
        """Address of the Chroma server; the local one is started if none is configured.

        Raises:
            ServiceError: It does not start.
        """
        if self.settings.chroma_url:
            return self.settings.chroma_url
        return (await asyncio.to_thread(self.supervisor.ensure, LOCAL_CHROMA)).url

    def chat_status(self, chat: ChatChoice = AS_CONFIGURED) -> ChatStatus:
        """Which model answers and whether it is ready; never blocks. A recording in which an endpoint's replies are
        only kept is not what answers."""
        if chat.play and chat.play.keeps and chat.asked:
            return self.chat_status(chat.asked)
        if chat.play:
            made = chat.play.recording
            message = f"Recorded from {made.model}, {counted(made.replies, 'reply', 'replies')}."
            return ChatStatus(made.name, False, "ready", message, recorded=True)
        if builtin_answers(self.settings, chat):
            status = self.supervisor.status(BUILTIN_CHAT)
            state = "starting" if self._warming and status.state == "stopped" else status.state
            return ChatStatus("SmolLM2 135M, built in", True, state, status.message)
        if file := file_chosen(self.settings, chat):
            return self._file_status(file)
        if chat.endpoint in self._tried:
            return self._tried[chat.endpoint]
        if chat.endpoint is None:
            return replace(self._configured, name=chat.model or self._configured.name)
        name = model_name(self.settings, chat) or "the endpoint's first model"
        return ChatStatus(name, False, "ready", "Set in this browser, for this session only.")

    def kind(self, chat: ChatChoice = AS_CONFIGURED, endpoint: ChatEndpoint | None = None) -> ModelKind:
        """What kind of model answers: by this, each skill takes its method where nobody picks one.

        A recording is of a capable model, whoever does what it lacks: the methods with which it was made are asked for.

        Args:
            chat: What was chosen.
            endpoint: What that came to, where it is known already; then a server on this machine may be asked how large
                its models are, which blocks for seconds at most.
        """
        from core.runs.request import kind_of_model

        kind = kind_of_model(self.settings, chat)
        if kind.builtin or chat.play is not None:
            return kind
        return replace(kind, capability=chat.capability or capability_of(self.parameters(chat, endpoint)))

    def parameters(
        self, chat: ChatChoice = AS_CONFIGURED, endpoint: ChatEndpoint | None = None
    ) -> float | None:
        """Number of parameters of the model that answers, as its file, its server or its name says; None: it is not
        known. Arguments as for `kind`."""
        if file := file_chosen(self.settings, chat):
            with suppress(LoupeError):
                header = find_file(self.settings, file).header
                return float(header.parameters) if header and header.parameters else parameters_in(file)
            return None
        name = endpoint.model if endpoint else model_name(self.settings, chat)
        if not name and chat.endpoint is None and self._configured.state == "ready":
            name = self._configured.name  # the server's endpoint has been asked for it
        address = endpoint or chat.endpoint
        url = address.base_url if address else self.settings.openai_base_url
        with suppress(ValueError):  # of an address that is none
            return (
                self.servers.parameters(url, name)
                or parameters_in(name)
                or self.servers.parameters(url, name, asks=endpoint is not None)
            )
        return parameters_in(name)

    def _file_status(self, name: str) -> ChatStatus:
        try:
            found = find_file(self.settings, name)
        except LoupeError as error:
            return ChatStatus(name, False, "failed", str(error), file=True)
        status = files_of(self.supervisor).status(found.path)
        state = "starting" if self._warming and status.state == "stopped" else status.state
        message = (
            f"{found.described}. Run by llama.cpp on this machine." if state == "ready" else status.message
        )
        return ChatStatus(name, False, state, message, file=True)

    def look_for_servers(self, seconds: float) -> bool:
        """Ask which servers of chat models answer on this machine; only where the app itself listens to it alone.

        Args:
            seconds: How long to wait for the answers.

        Returns:
            Whether what `servers.known()` says is new.
        """
        return self.servers.look(seconds, self._own_ports())

    def _own_ports(self) -> set[int]:
        """Ports of this process and of the local services that it uses."""
        services = (LOCAL_CHROMA, LOCAL_GRAPHS, BUILTIN_CHAT)
        urls = [found.url for one in services if (found := self.supervisor.found(one))]
        urls += [file.url for file in files_of(self.supervisor).running()]
        return {*listening_ports(), *(port for url in urls if (port := urlsplit(url).port))}

    def start_server(self, server: LocalServer, model: str) -> ChatEndpoint:
        """Have a server on this machine begin a reply, so that it loads the model; returns at once."""
        endpoint = server.endpoint(model)
        loading = ChatStatus(model, False, "starting", f"{server.program} is loading the model.")
        if self._tried.setdefault(endpoint, loading).state != "ready":
            self._tried[endpoint] = loading
            _in_background("warm-server", self._try_server, server, endpoint)
        return endpoint

    def _try_server(self, server: LocalServer, endpoint: ChatEndpoint) -> None:
        answered = replace(self._tried[endpoint], state="ready", message=f"{server.program} on this machine.")
        try:
            run_blocking(probe(endpoint, LOAD_SECONDS))
        except LoupeError as error:
            answered = replace(answered, state="failed", message=str(error))
        self._tried[endpoint] = answered

    def problems(self) -> list[str]:
        """Sentences about local services, other than the chat model, that are not working."""
        known = (self.supervisor.status(service) for service in self._databases())
        return [status.message for status in known if status.state == "failed"]

    def starting(self) -> list[str]:
        """Titles of the local databases that are starting; never blocks."""
        return [
            service.title
            for service in self._databases()
            if self.supervisor.status(service).state == "starting"
        ]

    def _databases(self) -> list[Service]:
        """The local ones, in the place of those that are not configured."""
        places = ((LOCAL_CHROMA, self.settings.chroma_url), (LOCAL_GRAPHS, self.settings.neo4j_uri))
        return [service for service, configured in places if not configured]

    def warm(self, imports: Callable[[], object] = lambda: None) -> None:
        """Start the local services and import what a run needs, in threads; returns at once.

        Args:
            imports: Waits until there is time for imports, which hold up all else in this process.
        """
        self._warming = True
        if self.settings.has_chat_endpoint:
            self._configured = replace(
                self._configured, state="starting", message="The endpoint is being asked."
            )
        _in_background("warm", self._warm, imports)

    def start_builtin(self) -> None:
        """Start the built-in model, although an endpoint may be configured; returns at once."""

        def start() -> None:
            try:
                self.supervisor.ensure(BUILTIN_CHAT)
            except LoupeError as error:
                log.warning("%s", error)  # the sidebar shows it from the supervisor's status

        _in_background("warm-builtin", start)

    def start_file(self, name: str) -> None:
        """Load a model file, also one that failed before; returns at once."""

        def start() -> None:
            try:
                files_of(self.supervisor).reset(find_file(self.settings, name).path)
                run_blocking(resolve_chat(self.settings, self.supervisor, ChatChoice(file=name)))
            except LoupeError as error:
                log.warning("%s", error)  # the sidebar shows it from the file's status

        _in_background("warm-file", start)

    def restart(self, chat: ChatChoice = AS_CONFIGURED) -> None:
        """Try again what failed: local services that died, an endpoint that did not answer, a model file."""
        if file := file_chosen(self.settings, chat):
            self.start_file(file)
        for server in self.servers.known():
            if chat.endpoint and chat.endpoint == server.endpoint(chat.endpoint.model):
                self.start_server(server, chat.endpoint.model)
        self._warming = True

        def again() -> None:
            for service in (LOCAL_CHROMA, LOCAL_GRAPHS, BUILTIN_CHAT):
                self.supervisor.reset(service)  # waits while the service is being started
            self.warm()

        _in_background("restart", again)

    def _warm(self, imports: Callable[[], object]) -> None:
        _in_background("warm-vectors", self._warm_vectors, imports)
        try:
            endpoint = run_blocking(resolve_chat(self.settings, self.supervisor))
            if not endpoint.builtin and not endpoint.file:
                run_blocking(probe(endpoint))
                self.kind(AS_CONFIGURED, endpoint)  # so that what its server says of its size is known
                message = "Set by whoever runs this server."
                self._configured = ChatStatus(endpoint.model, False, "ready", message)
        except LoupeError as error:
            log.warning("%s", error)
            self._configured = replace(self._configured, state="failed", message=str(error))
        finally:
            self._warming = False
        imports()
        import_graphs()

    def _warm_vectors(self, imports: Callable[[], object]) -> None:
        try:
            if not self.settings.chroma_url:
                self.supervisor.ensure(LOCAL_CHROMA)
            imports()
            import_vectors()
            if self.embedder.builtin:
                self.embedder.embeddings.embed_query("warm")
        except LoupeError as error:
            log.warning("%s", error)  # the sidebar shows it from the supervisor's status


def _in_background(name: str, work: Callable[..., object], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, name=f"rag-loupe-{name}", daemon=True).start()


@cache
def import_graphs() -> None:
    """Import what runs and their model calls are made of; takes a second, so never on the event loop."""
    for name in ("langgraph.graph", "langgraph.checkpoint.sqlite.aio", "langchain_openai"):
        importlib.import_module(name)


@cache
def import_vectors() -> None:
    """Import the client of the vector database; takes half a second, so never on the event loop."""
    importlib.import_module("langchain_chroma")
