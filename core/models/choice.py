"""Which chat model answers, as somebody chose it: one typed in the browser, the configured one, the built-in one, or a
recording of one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from core.errors import InputError
from core.models.capability import Capability
from core.models.endpoint import NO_KEY, ChatEndpoint, completed
from core.models.reach.files import find_file
from core.models.recordings.items import Pace, Recording
from core.services.chat import BUILTIN_CHAT, MODEL
from core.services.local_model import files_of
from core.services.supervisor import Supervisor
from core.settings import Settings

BUILTIN = "built-in"
"""Chosen in place of a model's name: the built-in model, whatever endpoint there is."""


Missing = Literal["fail", "ask", "builtin", "endpoint"]


@dataclass(frozen=True)
class Play:
    """A recording whose replies come first."""

    recording: Recording
    missing: Missing = "fail"
    """Who gives a reply that it lacks: nobody, and the run fails, or waits until somebody has been asked (`ask`); the
    built-in model; or the endpoint that would answer without the recording."""
    pace: Pace = "once"
    keeps: bool = False
    """Whether what the endpoint replies is kept in it: then it must be the model of the recording."""


@dataclass(frozen=True)
class ChatChoice:
    """Which chat model answers. It may hold a key, so it is never stored or logged."""

    endpoint: ChatEndpoint | None = None
    """Set in the browser, for this session only; it wins, and never gets the server's key, even where its own is
    empty. None: what the server has configured, else the built-in model."""
    model: str = ""
    """Another model of the endpoint that would answer, or `BUILTIN`; empty: its own."""
    file: str = ""
    """Name of a model file of this machine, see `core.models.reach.files`; empty: none was chosen."""
    play: Play | None = None
    """A recording that answers first; None: none."""
    capability: Capability | None = None
    """How capable the model is, as somebody says; None: as its size suggests, see `Backends.kind`."""

    @property
    def asked(self) -> ChatChoice | None:
        """Who answers what the recording lacks, as the same prompt is asked; None: nobody."""
        if self.play is None:
            return self
        return replace(self, play=None) if self.play.missing == "endpoint" else None


AS_CONFIGURED = ChatChoice()
"""The server's model; where none is configured, the built-in one."""


def builtin_answers(settings: Settings, chat: ChatChoice = AS_CONFIGURED) -> bool:
    """Whether it is the built-in model that answers, with its own methods."""
    return chat.play is None and _builtin(settings, chat)


def _builtin(settings: Settings, chat: ChatChoice) -> bool:
    if chat.model == BUILTIN:
        return True
    return chat.endpoint is None and not chat.file and not settings.has_own_model


def file_chosen(settings: Settings, chat: ChatChoice = AS_CONFIGURED) -> str:
    """Name of the model file that answers; empty: none does."""
    if chat.file or chat.play is not None or chat.model or chat.endpoint or settings.has_chat_endpoint:
        return chat.file
    return Path(settings.builtin_model_file).name


def model_name(settings: Settings, chat: ChatChoice = AS_CONFIGURED) -> str:
    """Name of the model that answers, as far as it is known before it is asked; empty: the endpoint's first one."""
    if chat.play is not None:
        return chat.play.recording.model
    if builtin_answers(settings, chat):
        return MODEL
    if name := file_chosen(settings, chat):
        return _model_of(settings, name)
    return chat.model or (chat.endpoint.model if chat.endpoint else settings.chat_model)


def _model_of(settings: Settings, name: str) -> str:
    try:
        return find_file(settings, name).model
    except InputError:
        return name


async def resolve_chat(
    settings: Settings, supervisor: Supervisor, chat: ChatChoice = AS_CONFIGURED
) -> ChatEndpoint:
    """The endpoint that answers.

    Args:
        settings: What the server has configured.
        supervisor: Starts the built-in model or a model file, if it comes to that.
        chat: What was chosen.

    Raises:
        InputError: An address is not valid, or the server does not offer this model, or the model file is gone, or
            there is no endpoint for what a recording lacks.
        ModelError: No model is named and the endpoint does not name one either.
        ServiceError: The built-in model, or the model file, cannot run.
    """
    if chat.play is not None:
        if chat.asked is None:
            return ChatEndpoint("", NO_KEY, chat.play.recording.model)
        if builtin_answers(settings, chat.asked):
            raise InputError(
                "No endpoint is set that could be asked for what the recording lacks. Set OPENAI_BASE_URL and "
                "CHAT_MODEL, use a model of your own, or let the built-in model do it."
            )
        return await resolve_chat(settings, supervisor, chat.asked)
    if file := file_chosen(settings, chat):
        return await _of_file(settings, supervisor, file)
    if not builtin_answers(settings, chat):
        name, typed = model_name(settings, chat), chat.endpoint
        if typed is not None:
            return await completed(typed.base_url, typed.api_key, name, public=typed.public)
        if chat.model and chat.model not in settings.chat_models:
            raise InputError(
                f"This server does not offer the model “{chat.model[:80]}”. Choose one that it lists."
            )
        return await completed(settings.openai_base_url, settings.openai_api_key, name)
    if chat.model not in ("", BUILTIN):
        raise InputError("There is no endpoint here, so only the built-in model can be chosen.")
    running = await asyncio.to_thread(supervisor.ensure, BUILTIN_CHAT)
    return ChatEndpoint(f"{running.url}/v1", running.secret or NO_KEY, MODEL, builtin=True)


async def _of_file(settings: Settings, supervisor: Supervisor, name: str) -> ChatEndpoint:
    found = await asyncio.to_thread(find_file, settings, name)
    running = await files_of(supervisor).use(found.path, found.model)
    return ChatEndpoint(f"{running.url}/v1", running.secret or NO_KEY, found.model, file=found.name)
