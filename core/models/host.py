"""The settings, child processes and servers that the chat models of one process run on, and their states."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from core.models.capability import Capability
from core.models.endpoint import ChatEndpoint
from core.models.reach.servers import LocalServers, ports_of
from core.services.arcadedb import LOCAL_GRAPHS
from core.services.chat import BUILTIN_CHAT
from core.services.chroma import LOCAL_CHROMA
from core.services.local_model import ModelFiles
from core.services.service import listening_ports
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.trace.events import Message

if TYPE_CHECKING:
    from core.models.speeds import Speeds


@dataclass(frozen=True)
class ModelStatus:
    """The model that answers and whether it is ready, for the sidebar."""

    name: str
    builtin: bool
    state: Literal["ready", "starting", "stopped", "failed"]
    message: str
    """A sentence: why it is not ready, or what it is."""
    recorded: bool = False
    """True if its replies are those of a recording."""


class ModelHost:
    """Settings, child processes and servers of this machine that chat models need; thread-safe."""

    def __init__(self, settings: Settings, supervisor: Supervisor) -> None:
        """Take what is configured, and what runs the built-in model and model files."""
        self.settings, self.supervisor = settings, supervisor
        self.warming = False
        """True while the configured model is being started."""
        name = settings.chat_model or "the endpoint's first model"
        self.configured = ModelStatus(name, False, "stopped", "Not asked yet.")
        """Of the configured endpoint."""
        self.rules: Callable[[Capability], Message | None] = lambda _: None
        """The first message of the prompt with which most runs of such a model end; None: not known."""
        self.tried: dict[ChatEndpoint, ModelStatus] = {}
        """Of the models of servers on this machine that were chosen."""

    @cached_property
    def files(self) -> ModelFiles:
        """The model files of this machine that run."""
        return ModelFiles(self.supervisor)

    @cached_property
    def speeds(self) -> Speeds:
        """The speeds of the chat models of this machine, as far as they are known."""
        from core.models.speeds import Speeds

        return Speeds(self.settings.database)

    @cached_property
    def servers(self) -> LocalServers:
        """Servers of chat models on this machine."""
        return LocalServers(ports_of(self.settings.local_model_ports))

    def look_for_servers(self, seconds: float) -> bool:
        """Ask which servers of chat models answer on this machine within some seconds; True: `servers.known()` is new.

        Only where the app itself listens to this machine alone.
        """
        services = (LOCAL_CHROMA, LOCAL_GRAPHS, BUILTIN_CHAT)
        urls = [running.url for service in services if (running := self.supervisor.running(service))]
        urls += [file.url for file in self.files.running()]
        own = {*listening_ports(), *(port for url in urls if (port := urlsplit(url).port))}
        return self.servers.look(seconds, own)


def in_background(name: str, work: Callable[..., object], *arguments: object) -> None:
    """Begin work in a thread that does not outlive the process."""
    threading.Thread(target=work, args=arguments, name=f"rag-loupe-{name}", daemon=True).start()
