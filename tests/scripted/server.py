"""The server: chat completions (streamed or not), models, embeddings; `POST /script` replaces its rules."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import uvicorn
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from core.models.endpoint import ChatEndpoint
from tests.scripted.prompts import Asked, asked
from tests.scripted.rules import Rule

MODEL = "scripted"
LOOK_SECONDS = 0.05
"""How long a client may have hung up before this is noticed."""
Vectors = Callable[[list[str]], tuple[int, Any]]


class ScriptedServer:
    """Runs in a thread of its own until `close`."""

    def __init__(self, port: int = 0, delay: float = 0.0, key: str = "") -> None:
        self.delay = delay
        """Seconds that every call takes; a streamed reply arrives evenly over them, as a model writes it."""
        self.key = key
        """Bearer token that is asked for; empty: none."""
        self.listed: dict[str, str] = {MODEL: "scripted"}
        """Name of each model that the server says it has -> who it says owns it."""
        self.rules: list[Rule] = []
        self.requests: list[dict[str, Any]] = []
        """Every chat request: body, headers, when it came, and whether it was cut off by the client."""
        self.sizes: dict[str, str] = {}
        """Name of a model -> number of its parameters, as Ollama and LM Studio write it in lists of their own."""
        self.list_requests = 0
        """How often it was asked for its models."""
        self.vectors: Vectors | None = None
        """Gives status and answer for texts that are to be embedded; None: a vector each."""
        self.embedded: list[list[str]] = []
        """The texts of every request for vectors."""
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        routes = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/v1/models", self._models),
            Route("/api/tags", self._own_list),
            Route("/api/v1/models", self._own_list),
            Route("/script", self._script, methods=["POST"]),
            Route("/requests", self._count),
        ]
        config = uvicorn.Config(
            Starlette(routes=routes), log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def endpoint(self, model: str = MODEL, key: str = "secret-key-for-tests") -> ChatEndpoint:
        return ChatEndpoint(self.base_url, SecretStr(key), model)

    def script(self, *rules: Rule) -> None:
        """Replace the rules; without any, every reply is made up."""
        self.rules = list(rules)

    def rule_for(self, body: dict[str, Any]) -> tuple[Rule, tuple[Asked, ...]]:
        """The rule that a request meets, not yet used up, and who may have sent the request."""
        sender = asked(body["messages"])
        return next((rule for rule in self.rules if rule.fits(body, sender)), Rule()), sender

    def told_to(self, skill: str) -> list[dict[str, str]]:
        """What was told to a skill's prompt, call by call."""
        senders = (one for seen in self.requests for one in asked(seen["body"]["messages"])[:1])
        return [dict(one.told) for one in senders if one.skill == skill]

    def reset(self) -> None:
        self.rules, self.requests, self.delay, self.key = [], [], 0.0, ""
        self.listed, self.sizes, self.list_requests = {MODEL: "scripted"}, {}, 0
        self.vectors, self.embedded = None, []

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(5)

    async def _script(self, request: Request) -> Response:
        self.rules = [Rule.model_validate(rule) for rule in await request.json()]
        return JSONResponse({"rules": len(self.rules)})

    async def _count(self, _: Request) -> Response:
        return JSONResponse({"count": len(self.requests)})

    async def _models(self, _: Request) -> Response:
        self.list_requests += 1
        data = [{"id": name, "object": "model", "owned_by": owner} for name, owner in self.listed.items()]
        return JSONResponse({"object": "list", "data": data})

    async def _own_list(self, request: Request) -> Response:
        ollama = request.url.path == "/api/tags"
        models = [
            {"name": name, "details": {"parameter_size": size}}
            if ollama
            else {"key": name, "params_string": size}
            for name, size in self.sizes.items()
        ]
        return JSONResponse({"models": models})

    async def _embeddings(self, request: Request) -> Response:
        body = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        self.embedded.append(texts)
        if self.vectors:
            status, answer = self.vectors(texts)
            return Response(json.dumps(answer), status, media_type="application/json")  # NaN included
        data = [{"object": "embedding", "index": i, "embedding": _vector(t)} for i, t in enumerate(texts)]
        return JSONResponse(
            {
                "object": "list",
                "model": body["model"],
                "data": data,
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        )

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        seen = {"body": body, "headers": dict(request.headers), "cut_off": False, "finished": False}
        seen["at"] = time.monotonic()
        self.requests.append(seen)
        prompt = " ".join(str(message["content"]) for message in body["messages"])
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return _error(401, f"Incorrect API key provided: {request.headers.get('authorization', '')}")
        if body["model"] not in self.listed:
            return _error(404, f"The model `{body['model']}` does not exist", "model_not_found")
        rule, sender = self.rule_for(body)
        rule.use()
        streamed = bool(body.get("stream")) and rule.status is None and rule.fault == "none"
        if await _hangs_up(request, rule.delay if streamed else max(rule.delay, self.delay)):
            seen["cut_off"] = True
            return Response()
        if rule.raw is not None:
            body_sent = _as_it_is(rule.raw, rule.fault)
            return StreamingResponse(body_sent, rule.status or 200, media_type=rule.kind)
        if rule.status is not None:
            return _error(rule.status, rule.reply or "Refused")
        form = (body.get("response_format") or {}).get("type", "")
        match rule.fault:
            case "rate_limit":
                headers = {} if rule.retry_after is None else {"retry-after": str(rule.retry_after)}
                return _error(429, "Rate limit reached", headers=headers)
            case "server_error":
                return _error(500, "The server had an error")
            case "unknown_model":
                return _error(404, f"The model `{body['model']}` does not exist", "model_not_found")
            case "no_schema" if form == "json_schema":
                return _error(400, "response_format json_schema is not supported")
            case "no_format" if form:
                return _error(400, "response_format is not supported")
            case "no_tools" if "tools" in body:
                return _error(400, f"{body['model']} does not support tools")
            case "no_user" if "user" in body:
                return _error(400, "Unrecognized request argument supplied: user")
            case "html":
                return HTMLResponse("<html><body>Welcome to nginx!</body></html>")
        reply = rule.text(body, sender)
        if not body.get("stream"):
            return JSONResponse(_completion(body, prompt, reply, rule))
        return StreamingResponse(
            self._stream(request, seen, rule, body, prompt, reply), media_type="text/event-stream"
        )

    async def _stream(
        self,
        request: Request,
        seen: dict[str, Any],
        rule: Rule,
        body: dict[str, Any],
        prompt: str,
        reply: str,
    ) -> AsyncIterator[str]:
        if rule.calls:
            reply = ""
        pieces = [reply[i : i + rule.piece] for i in range(0, len(reply), rule.piece)]
        writing = self.delay if rule.fault == "none" else 0.0
        start = time.monotonic()
        try:
            yield _chunk(body, {"role": "assistant", "content": ""})
            for place, (name, arguments) in enumerate(rule.calls):
                text = arguments if isinstance(arguments, str) else json.dumps(arguments)
                for part in ({"name": name, "arguments": text[:3]}, {"arguments": text[3:]}):
                    call = {"index": place, "id": f"call-{place}", "type": "function", "function": part}
                    yield _chunk(body, {"tool_calls": [call]})
            for number, piece in enumerate(pieces):
                if number == max(1, len(pieces) // 2):
                    if rule.fault == "cut":
                        raise ConnectionResetError("scripted")
                    if rule.fault == "stop_short":
                        return
                await asyncio.sleep(max(0.0, start + writing * (number + 1) / len(pieces) - time.monotonic()))
                yield _chunk(body, {"content": piece})
                await asyncio.sleep(rule.pause)
                if rule.fault == "hang":
                    await asyncio.sleep(3600)
            if rule.fault == "hang":
                await asyncio.sleep(3600)
            yield _chunk(body, {}, finish="length" if rule.fault == "truncated" else rule.finish)
            if rule.usage and (body.get("stream_options") or {}).get("include_usage"):
                yield _chunk(body, None, usage=_usage(prompt, reply))
            yield "data: [DONE]\n\n"
            seen["finished"] = True
        except asyncio.CancelledError:
            seen["cut_off"] = True
            raise


async def _hangs_up(request: Request, seconds: float) -> bool:
    """Wait, as a server does that reads a prompt; True if the client hangs up meanwhile."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if await request.is_disconnected():
            return True
        await asyncio.sleep(min(left, LOOK_SECONDS))
    return False


async def _as_it_is(raw: str, fault: str) -> AsyncIterator[bytes]:
    yield raw.encode()
    if fault == "cut":
        raise ConnectionResetError("scripted")
    if fault == "hang":
        await asyncio.sleep(3600)


def _usage(prompt: str, reply: str) -> dict[str, int]:
    sent, received = len(prompt.split()), len(reply.split())
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _completion(body: dict[str, Any], prompt: str, reply: str, rule: Rule) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply}
    if rule.calls:
        calls = [
            (name, arguments if isinstance(arguments, str) else json.dumps(arguments))
            for name, arguments in rule.calls
        ]
        message = {"role": "assistant", "content": None, "tool_calls": [
            {"id": f"call-{place}", "type": "function", "function": {"name": name, "arguments": text}}
            for place, (name, text) in enumerate(calls)
        ]}  # fmt: skip
    return {
        "id": "scripted", "object": "chat.completion", "created": 0, "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": _usage(prompt, reply),
    }  # fmt: skip


def _chunk(
    body: dict[str, Any],
    delta: dict[str, Any] | None,
    finish: str | None = None,
    usage: dict[str, int] | None = None,
) -> str:
    choices: list[dict[str, Any]] = (
        [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    )
    chunk = {
        "id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": body["model"],
        "choices": choices, "usage": usage,
    }  # fmt: skip
    return f"data: {json.dumps(chunk)}\n\n"


def _error(
    status: int, message: str, code: str | None = None, headers: dict[str, str] | None = None
) -> Response:
    return JSONResponse(
        {"error": {"message": message, "type": "error", "code": code}}, status, headers=headers
    )


def _vector(text: str) -> list[float]:
    """A unit vector of 32 numbers that depends on the text alone."""
    source = random.Random(hashlib.sha256(text.encode()).digest())
    numbers = [source.gauss(0, 1) for _ in range(32)]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


def main() -> None:
    """Serve until stopped: `python -m tests.scripted --port 8899 --delay 0.3`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=8899)
    parser.add_argument("--delay", type=float, default=0.3)
    arguments = parser.parse_args()
    server = ScriptedServer(arguments.port, arguments.delay)
    print(server.base_url, flush=True)
    threading.Event().wait()
