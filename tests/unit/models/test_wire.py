"""Clients are kept for reuse, but neither for ever nor open after they are gone."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator

import pytest
from pydantic import SecretStr

from core.models import wire
from core.models.endpoint import ChatEndpoint
from core.models.stream_events import Piece
from core.trace.events import Message
from tests.scripted import ScriptedServer

ASK = (Message(role="user", content="Question: Why?"),)


def asked(server: ScriptedServer, key: str = "none") -> AsyncGenerator[Piece]:
    endpoint = ChatEndpoint(server.base_url, SecretStr(key), "scripted")
    return wire.stream(endpoint, 5.0, ASK, {"max_tokens": 20})


async def use(server: ScriptedServer, key: str = "none") -> None:
    assert [piece async for piece in asked(server, key)]


def clients() -> OrderedDict[tuple[ChatEndpoint, float], wire._Client]:
    return wire._CLIENTS[asyncio.get_running_loop()]


async def closed() -> None:
    await asyncio.gather(*wire._CLOSING)


async def test_a_client_is_used_again(scripted: ScriptedServer) -> None:
    await use(scripted)
    (client,) = clients().values()
    await use(scripted)
    assert list(clients().values()) == [client]
    assert not client.http.is_closed


async def test_a_client_that_nobody_uses_is_closed(
    scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "IDLE_SECONDS", 0.02)
    await use(scripted, "a-browsers-key")
    (client,) = clients().values()
    while clients():
        await asyncio.sleep(0.01)
    await closed()
    assert client.http.is_closed


async def test_the_least_used_client_is_closed_after_its_last_reply(
    scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "KEPT_CLIENTS", 1)
    reply = asked(scripted, "first")
    await anext(reply)
    (client,) = clients().values()
    await use(scripted, "second")
    await closed()
    assert client not in clients().values()
    assert not client.http.is_closed
    assert [piece async for piece in reply]
    await closed()
    assert client.http.is_closed
