"""Replies as servers send them, and the client that reads them: for the lists of servers' quirks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from core.models.calling import CallBudget
from core.models.chat import Chat
from core.settings import Settings
from core.trace.events import ListTracer, Message
from tests.scripted import ScriptedServer

ASK = (Message(role="system", content="Be brief."), Message(role="user", content="Question: Why?"))
DONE = "data: [DONE]\n\n"


def client(scripted: ScriptedServer, tracer: ListTracer) -> Chat:
    """The client that runs use, of the scripted endpoint."""
    settings = Settings(_env_file=None, retry_base_seconds=0, model_timeout_seconds=5, model_attempts=3)
    return Chat(scripted.endpoint(), tracer, settings, CallBudget(40))


def situations(table: Mapping[str, Any], *names: str) -> pytest.MarkDecorator:
    """One test for each situation of a table."""
    return pytest.mark.parametrize(names[0] if len(names) == 1 else names, table.values(), ids=table.keys())


def event(answer: object, name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(answer)}\n\n"


def delta(content: object, finish: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": {"content": content} | more, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def whole(message: object, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]} | more


STOP = event(delta(None, "stop")) + DONE
