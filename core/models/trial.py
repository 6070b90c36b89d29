"""Short calls to a model of this machine, once it is loaded: one measures it, one has it read what will come first."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.calling import CallBudget
from core.models.capabilities import Sampling
from core.models.chat import Chat
from core.models.endpoint import ChatEndpoint, is_here
from core.models.host import ModelHost
from core.trace.events import ListTracer, Message

if TYPE_CHECKING:
    from core.models.chat_models import ChatModel

log = logging.getLogger(__name__)

TRIAL_SECONDS = 30.0
"""How long it may take; a model that takes longer is measured by the first question."""
_TOKENS = 12
"""Written at most."""
_TEXT = (
    "A lighthouse keeper writes down each evening when the lamp was lit, how the wind stood, which ships passed and "
    "what they carried. In autumn the fog comes early, and the bell is rung every two minutes until the morning. The "
    "keeper's daughter counts the strokes, and once she fell asleep at four hundred. "
)
"""About 60 tokens."""


def open_and_try(model: ChatModel, host: ModelHost) -> None:
    """Open a model, try it out while it is in use, and have it read ahead; blocks. A failure shows in its status."""

    async def work() -> None:
        endpoint = await model.open(host)
        await try_out(endpoint, host)
        await read_ahead(endpoint, host, host.rules(model.capability(host, endpoint)))

    try:
        run_blocking(work())
    except LoupeError as error:
        log.warning("%s", error)


async def try_out(endpoint: ChatEndpoint, host: ModelHost) -> None:
    """Have a loaded model of this machine read and write a few words, unless its speed is known. A failure is no
    matter."""
    if not is_here(endpoint.server):
        return
    try:
        if await asyncio.to_thread(host.speeds.of, endpoint.server, endpoint.model) is not None:
            return
        # The number comes first, so that no server knows the prompt from an earlier trial.
        text = f"{secrets.randbelow(10**6)}. {_TEXT * 2}Tell what happened next."
        async with asyncio.timeout(TRIAL_SECONDS):
            await _call(endpoint, host, [Message(role="user", content=text)], _TOKENS)
    except (LoupeError, TimeoutError) as error:
        log.info("%s was not measured: %s", endpoint.model, error)


async def read_ahead(endpoint: ChatEndpoint, host: ModelHost, rules: Message | None) -> None:
    """Have a loaded model file read the rules with which most runs end, if they are known. It keeps what it read, so
    that the first question waits for the passages alone. A failure is no matter."""
    if not endpoint.file or rules is None:
        return
    with suppress(LoupeError):
        await _call(endpoint, host, [rules, Message(role="user", content="…")], 1)


async def _call(endpoint: ChatEndpoint, host: ModelHost, messages: Sequence[Message], tokens: int) -> None:
    """A call that no run makes, with a reply of so many tokens at most; it is measured."""
    chat = Chat(endpoint, ListTracer(), host.settings, CallBudget(1), speeds=host.speeds)
    await chat.text(messages, skill="trial", method="model", sampling=Sampling(max_tokens=tokens))
