"""The backends that one process works with: chat model, embeddings, Chroma. Started when needed, and watched."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from core.errors import LoupeError
from core.models.capability import Capability
from core.models.chat_models import CONFIGURED, ChatModel
from core.models.embeddings import Embedder, open_embedder
from core.models.endpoint import ChatEndpoint
from core.models.host import ModelHost, in_background
from core.models.reach.files import folder
from core.services.arcadedb import LOCAL_GRAPHS
from core.services.chat import BUILTIN_CHAT
from core.services.chroma import LOCAL_CHROMA
from core.services.service import Service
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.skills.answer import ANSWER
from core.skills.base import OWN, ModelKind, builtin_prompt, kind_of, prompt_key, turns_of
from core.trace.events import Message

if TYPE_CHECKING:
    from core.models.reach.fetching import Downloads
    from core.runs.recordings import Recordings

log = logging.getLogger(__name__)


class Backends:
    """Configured services, and local ones in the place of those that are not; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.supervisor = Supervisor(settings.rag_loupe_home)
        self.models = ModelHost(settings, self.supervisor)
        self.models.rules = _answer_rules
        self._loaded = False

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

    def kind(self, chat: ChatModel = CONFIGURED, endpoint: ChatEndpoint | None = None) -> ModelKind:
        """The kind of model that answers: by this, each skill takes its method where nobody picks one. `endpoint` is
        what it was opened as, where it was; see `ChatModel.parameters`."""
        return replace(kind_of(chat, self.settings), capability=chat.capability(self.models, endpoint))

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
        """Start the local services and import what a run needs, in threads; returns at once. `imports` waits until
        there is time for imports, which hold up all else in this process."""
        models = self.models
        models.warming = True
        if self.settings.has_chat_endpoint:
            asking = "The endpoint is being asked."
            models.configured = replace(models.configured, state="starting", message=asking)
        in_background("warm", self._warm, imports)

    def restart(self, chat: ChatModel = CONFIGURED) -> None:
        """Try again what failed: local services that died, an endpoint that did not answer, a model file."""
        if not chat.is_builtin(self.settings):
            chat.start(self.models)
        self.models.warming = True

        def again() -> None:
            for service in (LOCAL_CHROMA, LOCAL_GRAPHS, BUILTIN_CHAT):
                self.supervisor.reset(service)  # waits while the service is being started
            self.warm()

        in_background("restart", again)

    def _warm(self, imports: Callable[[], object]) -> None:
        in_background("warm-vectors", self._warm_vectors, imports)
        try:
            CONFIGURED.warm(self.models)
        finally:
            self.models.warming = False
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


@cache
def import_graphs() -> None:
    """Import what runs and their model calls are made of; takes a second, so never on the event loop."""
    for name in ("langgraph.graph", "langgraph.checkpoint.sqlite.aio", "langchain_openai"):
        importlib.import_module(name)


@cache
def import_vectors() -> None:
    """Import the client of the vector database; takes half a second, so never on the event loop.

    numpy comes first: the client begins with a part of it, and another thread that imports numpy meanwhile would then
    find that part unfinished.
    """
    for name in ("numpy", "langchain_chroma"):
        importlib.import_module(name)


def _answer_rules(capability: Capability) -> Message | None:
    """The first message of the prompt by which such a model answers; None: it is not asked."""
    method = ANSWER.default_method(ModelKind(capability))
    return turns_of(builtin_prompt(prompt_key(ANSWER.key, method)))[0] if method in OWN else None
