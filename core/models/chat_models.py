"""The chat models that may answer: the configured one, an endpoint typed in the browser, a model file, a server on this
machine, the built-in model, and a recording of one that is played before another.

Each is a value that says its name and how capable it is, whether it is ready, and opens its endpoint. It may hold a
key, so it is never stored or logged.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from core.errors import InputError, LoupeError
from core.jobs import run_blocking
from core.models.capability import Capability, capability_of, parameters_in
from core.models.endpoint import NO_KEY, ChatEndpoint, completed, probe, server_at
from core.models.host import ModelHost, ModelStatus, in_background
from core.models.reach.files import find_file
from core.models.recordings.items import Pace, Recording
from core.models.trial import open_and_try
from core.services.chat import BUILTIN_CHAT, MODEL
from core.settings import Settings
from core.wording import counted

log = logging.getLogger(__name__)

LOAD_SECONDS = 300.0
"""How long a server on this machine may load a model before it begins to reply."""
FIRST_MODEL = "the endpoint's first model"
Missing = Literal["fail", "ask", "builtin", "endpoint"]
"""Who gives a reply that a recording lacks: nobody, and the run fails, or waits until somebody has been asked (`ask`);
the built-in model; or the model that would answer without the recording."""


@dataclass(frozen=True, kw_only=True)
class ChatModel(ABC):
    """A chat model that may answer."""

    declared: Capability | None = None
    """How capable it is, as somebody says; None: as its size suggests."""

    @property
    def play(self) -> RecordedModel | None:
        """Itself, where a recording is played first; None: none is."""
        return None

    @property
    def without_recording(self) -> ChatModel | None:
        """The model that the same prompt is sent to where no recording replies; None: none is."""
        return self

    @property
    def typed(self) -> ChatEndpoint | None:
        """The endpoint that was typed in the browser, or is a server of its machine; None: it is not such a model."""
        return None

    def is_builtin(self, settings: Settings) -> bool:
        """True if it is the built-in model that answers, with its own methods."""
        return False

    def spends(self, settings: Settings) -> bool:
        """True if it is the server's endpoint, which is asked with the server's key."""
        return False

    @abstractmethod
    def name(self, settings: Settings) -> str:
        """Name of the model, as far as it is known before it is asked; empty: the endpoint's first one."""

    def server(self, settings: Settings) -> str:
        """Address of the server that answers, as far as it is known; empty: the app runs the model."""
        return server_at(self.typed.base_url) if self.typed else ""

    @abstractmethod
    def status(self, host: ModelHost) -> ModelStatus:
        """The state of the model, and a sentence on it; never blocks."""

    @abstractmethod
    async def open(self, host: ModelHost) -> ChatEndpoint:
        """The endpoint that answers; what runs on this machine is started for it.

        Raises:
            InputError: An address is not valid, or the server does not offer this model, or the model file is gone, or
                there is no endpoint for what a recording lacks.
            ModelError: No model is named and the endpoint does not name one either.
            ServiceError: The built-in model, or the model file, cannot run.
        """

    def start(self, host: ModelHost) -> None:  # noqa: B027
        """Have what runs on this machine load it, also where that failed before; returns at once."""

    def parameters(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> float | None:
        """Number of its parameters, as its file, its server or its name says; None: it is not known.

        With the `endpoint` that it was opened as, a server on this machine may be asked how large its models are, which
        blocks for seconds at most.
        """
        return None

    def capability(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> Capability:
        """How capable it is; arguments as of `parameters`."""
        return self.declared or capability_of(self.parameters(host, endpoint))


@dataclass(frozen=True, kw_only=True)
class BuiltinModel(ChatModel):
    """The built-in model, whatever endpoint there is."""

    def is_builtin(self, settings: Settings) -> bool:
        return True

    def name(self, settings: Settings) -> str:
        return MODEL

    def status(self, host: ModelHost) -> ModelStatus:
        status = host.supervisor.status(BUILTIN_CHAT)
        state = "starting" if host.warming and status.state == "stopped" else status.state
        return ModelStatus("SmolLM2 135M, built in", True, state, status.message)

    async def open(self, host: ModelHost) -> ChatEndpoint:
        running = await asyncio.to_thread(host.supervisor.ensure, BUILTIN_CHAT)
        return ChatEndpoint(f"{running.url}/v1", running.secret or NO_KEY, MODEL, builtin=True)

    def start(self, host: ModelHost) -> None:
        in_background("warm-builtin", _opened, self, host)

    def capability(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> Capability:
        """Tiny, whatever somebody says."""
        return "tiny"


@dataclass(frozen=True)
class FileModel(ChatModel):
    """A model file of this machine, see `core.models.reach.files`, which llama.cpp runs."""

    file: str
    """Its name."""

    def name(self, settings: Settings) -> str:
        """The file's name with the beginning of its fingerprint, where it can be read."""
        try:
            return find_file(settings, self.file).model
        except InputError:
            return self.file

    def status(self, host: ModelHost) -> ModelStatus:
        try:
            file = find_file(host.settings, self.file)
        except LoupeError as error:
            return ModelStatus(self.file, False, "failed", str(error))
        status = host.files.status(file.path)
        state = "starting" if host.warming and status.state == "stopped" else status.state
        ready = f"{file.described}. Run by llama.cpp on this machine."
        return ModelStatus(self.file, False, state, ready if state == "ready" else status.message)

    async def open(self, host: ModelHost) -> ChatEndpoint:
        file = await asyncio.to_thread(find_file, host.settings, self.file)
        running = await host.files.use(file.path, file.model)
        return ChatEndpoint(f"{running.url}/v1", running.secret or NO_KEY, file.model, file=file.name)

    def start(self, host: ModelHost) -> None:
        def again() -> None:
            with suppress(LoupeError):  # the same comes to light when it is opened
                host.files.reset(find_file(host.settings, self.file).path)
            open_and_try(self, host)

        in_background("warm-file", again)

    def parameters(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> float | None:
        with suppress(LoupeError):
            header = find_file(host.settings, self.file).header
            return float(header.parameters) if header and header.parameters else parameters_in(self.file)
        return None


@dataclass(frozen=True)
class EndpointModel(ChatModel):
    """A model of an endpoint that was typed in the browser, for its session only; it never gets the server's key, even
    where its own is empty."""

    endpoint: ChatEndpoint

    @property
    def typed(self) -> ChatEndpoint:
        return self.endpoint

    def name(self, settings: Settings) -> str:
        return self.endpoint.model

    def status(self, host: ModelHost) -> ModelStatus:
        name = self.endpoint.model or FIRST_MODEL
        return ModelStatus(name, False, "ready", "Set in this browser, for this session only.")

    async def open(self, host: ModelHost) -> ChatEndpoint:
        typed = self.endpoint
        return await completed(typed.base_url, typed.api_key, typed.model, public=typed.public)

    def parameters(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> float | None:
        return _size(host, (endpoint or self.endpoint).base_url, (endpoint or self.endpoint).model, endpoint)


@dataclass(frozen=True)
class ServerModel(EndpointModel):
    """A model of a server on this machine, which loads it when it is chosen."""

    def status(self, host: ModelHost) -> ModelStatus:
        return host.tried.get(self.endpoint) or super().status(host)

    def start(self, host: ModelHost) -> None:
        """Have the server begin a reply, so that it loads the model; returns at once."""
        known = host.servers.known()
        server = next((one for one in known if one.endpoint(self.endpoint.model) == self.endpoint), None)
        if server is None:
            return
        loading = ModelStatus(
            self.endpoint.model, False, "starting", f"{server.program} is loading the model."
        )
        if host.tried.setdefault(self.endpoint, loading).state != "ready":
            host.tried[self.endpoint] = loading
            in_background("warm-server", self._load, host, server.program)

    def _load(self, host: ModelHost, program: str) -> None:
        answered = replace(host.tried[self.endpoint], state="ready", message=f"{program} on this machine.")
        try:
            run_blocking(probe(self.endpoint, LOAD_SECONDS))
        except LoupeError as error:
            answered = replace(answered, state="failed", message=str(error))
        host.tried[self.endpoint] = answered
        if answered.state == "ready":
            open_and_try(self, host)


@dataclass(frozen=True)
class ConfiguredModel(ChatModel):
    """The model of the settings: the server's endpoint, or another model of it; where none is set, the model file that
    is, else the built-in model."""

    model: str = ""
    """Another model that the server's endpoint offers; empty: its own."""

    def _instead(self, settings: Settings) -> ChatModel | None:
        """The model that answers in place of the server's endpoint; None: there is one."""
        if settings.has_chat_endpoint or (self.model and settings.has_own_model):
            return None
        if settings.has_own_model:
            return FileModel(Path(settings.builtin_model_file).name, declared=self.declared)
        return BUILTIN

    def is_builtin(self, settings: Settings) -> bool:
        return not settings.has_own_model

    def spends(self, settings: Settings) -> bool:
        return settings.has_chat_endpoint

    def name(self, settings: Settings) -> str:
        other = self._instead(settings)
        return other.name(settings) if other else self.model or settings.chat_model

    def server(self, settings: Settings) -> str:
        return "" if self._instead(settings) else server_at(settings.openai_base_url)

    def status(self, host: ModelHost) -> ModelStatus:
        if other := self._instead(host.settings):
            return other.status(host)
        return replace(host.configured, name=self.model or host.configured.name)

    async def open(self, host: ModelHost) -> ChatEndpoint:
        settings = host.settings
        if other := self._instead(settings):
            if self.model:
                raise InputError("No endpoint is set, so only the built-in model can be chosen.")
            return await other.open(host)
        if self.model and self.model not in settings.chat_models:
            raise InputError(
                f"This server does not offer the model “{self.model[:80]}”. Choose one that it lists."
            )
        return await completed(settings.openai_base_url, settings.openai_api_key, self.name(settings))

    def start(self, host: ModelHost) -> None:
        if isinstance(other := self._instead(host.settings), FileModel):
            other.start(host)

    def parameters(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> float | None:
        if other := self._instead(host.settings):
            return other.parameters(host, endpoint)
        name = endpoint.model if endpoint else self.name(host.settings)
        if not name and host.configured.state == "ready":
            name = host.configured.name  # the server's endpoint has been asked for it
        return _size(host, endpoint.base_url if endpoint else host.settings.openai_base_url, name, endpoint)

    def capability(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> Capability:
        other = self._instead(host.settings)
        return other.capability(host, endpoint) if other else super().capability(host, endpoint)

    def warm(self, host: ModelHost) -> None:
        """Start it, or ask the endpoint for the beginning of a reply; blocks. A failure is noted in its status."""
        try:
            endpoint = run_blocking(self.open(host))
            if endpoint.file:
                in_background("try-file", open_and_try, self, host)
            elif not endpoint.builtin:
                run_blocking(probe(endpoint))
                self.capability(host, endpoint)  # so that what its server says of its size is known
                message = "Set by the administrator of this server."
                host.configured = ModelStatus(endpoint.model, False, "ready", message)
        except LoupeError as error:
            log.warning("%s", error)
            host.configured = replace(host.configured, state="failed", message=str(error))


BUILTIN = BuiltinModel()
CONFIGURED = ConfiguredModel()


@dataclass(frozen=True)
class RecordedModel(ChatModel):
    """A recording whose replies come first, before another model that gives what it lacks."""

    recording: Recording
    missing: Missing = "fail"
    pace: Pace = "once"
    keeps: bool = False
    """True if what the model replies is kept in the recording: then it must be the model of the recording."""
    model: ChatModel = CONFIGURED
    """The model that would answer without the recording; asked only where `missing` is `endpoint`."""

    @property
    def play(self) -> RecordedModel:
        return self

    @property
    def without_recording(self) -> ChatModel | None:
        return self.model if self.missing == "endpoint" else None

    @property
    def fallback(self) -> ChatModel | None:
        """The model that gives what is missing, be it by other methods; None: none does."""
        return BUILTIN if self.missing == "builtin" else self.without_recording

    @property
    def typed(self) -> ChatEndpoint | None:
        return self.model.typed

    def spends(self, settings: Settings) -> bool:
        other = self.without_recording
        return other is not None and other.spends(settings)

    def name(self, settings: Settings) -> str:
        return self.recording.model

    def status(self, host: ModelHost) -> ModelStatus:
        """Ready; where replies are only kept, that of the model."""
        if self.keeps and self.without_recording:
            return self.without_recording.status(host)
        replies = counted(self.recording.replies, "reply", "replies")
        message = f"Recorded from {self.recording.model}, {replies}."
        return ModelStatus(self.recording.name, False, "ready", message, recorded=True)

    async def open(self, host: ModelHost) -> ChatEndpoint:
        """The endpoint for what is missing; where none is asked, one that only names the model."""
        if self.without_recording is None:
            return ChatEndpoint("", NO_KEY, self.recording.model)
        if self.without_recording.is_builtin(host.settings):
            raise InputError(
                "The recording lacks this reply, and no endpoint is set to give it. Set OPENAI_BASE_URL and "
                "CHAT_MODEL, use a model of your own, or let the built-in model do it."
            )
        return await self.without_recording.open(host)

    def start(self, host: ModelHost) -> None:
        if self.without_recording:
            self.without_recording.start(host)

    def capability(self, host: ModelHost, endpoint: ChatEndpoint | None = None) -> Capability:
        """Capable, whichever model does what is missing: the methods with which it was recorded are asked for."""
        return "capable"


def _opened(model: ChatModel, host: ModelHost) -> None:
    try:
        run_blocking(model.open(host))
    except LoupeError as error:
        log.warning("%s", error)  # the sidebar shows it from the status of the process


def _size(host: ModelHost, url: str, name: str, endpoint: ChatEndpoint | None) -> float | None:
    with suppress(ValueError):  # of an address that is none
        return (
            host.servers.parameters(url, name)
            or parameters_in(name)
            or host.servers.parameters(url, name, asks=endpoint is not None)
        )
    return parameters_in(name)
