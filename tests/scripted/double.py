"""A double of the chat model for tests in its own process: the script's replies, without HTTP between.

Everything above the wire stays real: retries, structured replies, events, the cap on calls. What only a server can do
(faults, refusals, keys) still goes through it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from core.models import wire
from core.models.endpoint import ChatEndpoint
from core.models.stream_events import CallPart, Piece
from core.trace.events import Message, Usage
from tests.scripted.rules import Rule
from tests.scripted.server import MODEL, ScriptedServer


class Double:
    """Takes the place of `core.models.wire.stream` for the scripted endpoint; other endpoints are reached as ever."""

    def __init__(self, server: ScriptedServer) -> None:
        self._server = server

    async def stream(
        self, endpoint: ChatEndpoint, patience: float, messages: Sequence[Message], body: dict[str, Any]
    ) -> AsyncGenerator[Piece]:
        """As `core.models.wire.stream`."""
        server = self._server
        sent = {
            "model": endpoint.model,
            "stream": True,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
        } | body
        ours = endpoint.base_url == server.base_url and endpoint.model == MODEL and not server.key
        rule, sender = server.rule_for(sent) if ours else (Rule(fault="hang"), ())
        if rule.fault not in ("none", "empty", "truncated") or rule.status or rule.raw is not None:
            async with aclosing(wire.stream(endpoint, patience, messages, body)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        rule.use()
        seen = {"body": sent, "headers": {}, "cut_off": False, "finished": False}
        server.requests.append(seen)
        try:
            async for piece in self._reply(rule, sent, rule.text(sent, sender)):
                yield piece
            seen["finished"] = True
        except (asyncio.CancelledError, GeneratorExit):
            seen["cut_off"] = True
            raise

    async def _reply(self, rule: Rule, sent: dict[str, Any], reply: str) -> AsyncGenerator[Piece]:
        if rule.delay:
            await asyncio.sleep(rule.delay)
        calls = tuple(
            CallPart(
                place,
                f"call-{place}",
                name,
                arguments if isinstance(arguments, str) else json.dumps(arguments),
            )
            for place, (name, arguments) in enumerate(rule.calls)
        )
        reply = "" if calls else reply
        pieces = [reply[i : i + rule.piece] for i in range(0, len(reply), rule.piece)]
        yield Piece("", "", None, calls)
        for text in pieces:
            await asyncio.sleep(self._server.delay / len(pieces) + rule.pause)
            yield Piece(text, "", None)
        words = sum(len(message["content"].split()) for message in sent["messages"])
        counted = rule.usage and (sent.get("stream_options") or {}).get("include_usage")
        usage = Usage(input=words, output=len(reply.split())) if counted else None
        yield Piece("", "length" if rule.fault == "truncated" else rule.finish, usage)
