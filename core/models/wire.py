"""The HTTP side of a chat call: one client per endpoint, and a reply as a stream of pieces."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from core.certificates import certificates
from core.models.endpoint import CONNECT_SECONDS, ChatEndpoint, is_loopback
from core.models.public_addresses import to_public_address
from core.trace.events import Message, Usage

if TYPE_CHECKING:
    import openai
    from langchain_openai import ChatOpenAI

KEPT_CLIENTS = 32
"""Endpoints whose connections are kept open; users of the page may bring their own."""
IDLE_SECONDS = 600.0
"""How long a client is kept after its last reply: it holds its user's key."""
_HEADERS = {"host", "accept", "accept-encoding", "connection", "content-length", "content-type", "user-agent"}


@dataclass
class _Client:
    """An endpoint's client in one event loop: its connections belong to the loop that opened them."""

    chat: ChatOpenAI
    http: openai.DefaultAsyncHttpxClient
    replies: int = 0
    """Under way."""
    kept: bool = True
    expiry: asyncio.TimerHandle | None = None


_Key = tuple[ChatEndpoint, float]
_CLIENTS: WeakKeyDictionary[asyncio.AbstractEventLoop, OrderedDict[_Key, _Client]] = WeakKeyDictionary()
_CLOSING: set[asyncio.Task[None]] = set()


@dataclass(frozen=True)
class Likely:
    """A token that could have stood where another one was chosen."""

    text: str
    logprob: float


@dataclass(frozen=True)
class Piece:
    """What one event of the stream adds."""

    text: str
    finish: str
    """Why the reply ends here, e.g. `stop` or `length`; empty: it goes on."""
    usage: Usage | None
    calls: tuple[CallPart, ...] = ()
    """Parts of tool calls."""
    likely: tuple[Likely, ...] = ()
    """What could have stood at its first token, that one included; empty: not asked for, or not given."""


@dataclass(frozen=True)
class CallPart:
    """A part of a tool call; those of one call have the same place."""

    place: int
    name: str
    arguments: str
    """JSON, cut anywhere."""


async def stream(
    endpoint: ChatEndpoint, patience: float, messages: Sequence[Message], body: dict[str, Any]
) -> AsyncGenerator[Piece]:
    """Send one chat request and give its reply piece by piece. Closing the generator hangs up.

    Args:
        endpoint: Where to.
        patience: Seconds that may pass without a byte.
        messages: Sent as they are.
        body: The rest of the request body, see `EndpointCapabilities.body`.

    Raises:
        openai.OpenAIError: The endpoint cannot be reached, refuses, or breaks off.
        ValueError, TypeError, LookupError, AttributeError: It does not speak the OpenAI format.
    """
    from langchain_core.messages import ChatMessage

    prompt = [ChatMessage(role=message.role, content=message.content) for message in messages]
    # In the extra body: as an argument, `response_format` would have the client parse the reply itself, and
    # warn about every piece. `body` also says whether usage is wanted.
    with _client(endpoint, patience) as client:
        replies = client.astream(prompt, extra_body=body, stream_usage=False)
        async with aclosing(replies) as chunks:  # type: ignore[type-var]  # an async generator, declared as an iterator
            async for chunk in chunks:
                counted = chunk.usage_metadata
                usage = (
                    Usage(input=counted["input_tokens"], output=counted["output_tokens"]) if counted else None
                )
                text = chunk.content if isinstance(chunk.content, str) else str(chunk.text)
                calls = tuple(
                    CallPart(part.get("index") or 0, part.get("name") or "", part.get("args") or "")
                    for part in chunk.tool_call_chunks
                )
                about = chunk.response_metadata
                likely = _likely(about) if body.get("logprobs") else ()
                yield Piece(text, about.get("finish_reason") or "", usage, calls, likely)


def _likely(about: dict[str, Any]) -> tuple[Likely, ...]:
    """The log-probabilities that a piece carries for its first token."""
    tokens = (about.get("logprobs") or {}).get("content") or []
    if not tokens:
        return ()
    given = tokens[0].get("top_logprobs") or [tokens[0]]
    return tuple(Likely(str(one["token"]), float(one["logprob"])) for one in given)


@contextmanager
def _client(endpoint: ChatEndpoint, timeout: float) -> Iterator[ChatOpenAI]:
    """The endpoint's client in this event loop; kept for a while after its last use, then closed."""
    loop = asyncio.get_running_loop()
    clients = _CLIENTS.setdefault(loop, OrderedDict())
    key = (endpoint, timeout)
    if key not in clients:
        clients[key] = _build(endpoint, timeout)
        if len(clients) > KEPT_CLIENTS:
            _drop(clients, next(iter(clients)))
    clients.move_to_end(key)
    client = clients[key]
    if client.expiry is not None:
        client.expiry.cancel()
        client.expiry = None
    client.replies += 1
    try:
        yield client.chat
    finally:
        client.replies -= 1
        if client.replies == 0 and client.kept:
            client.expiry = loop.call_later(IDLE_SECONDS, _drop, clients, key)
        elif client.replies == 0:
            _close(client)


def _drop(clients: OrderedDict[_Key, _Client], key: _Key) -> None:
    """Forget a client; it is closed when its last reply has ended."""
    client = clients.pop(key)
    client.kept = False
    if client.expiry is not None:
        client.expiry.cancel()
    if client.replies == 0:
        _close(client)


def _close(client: _Client) -> None:
    task = asyncio.get_running_loop().create_task(client.http.aclose())
    _CLOSING.add(task)  # the loop itself holds tasks only weakly
    task.add_done_callback(_CLOSING.discard)


def _build(endpoint: ChatEndpoint, timeout: float) -> _Client:
    import openai
    from langchain_openai import ChatOpenAI

    from core.models.stream_events import as_chunks

    async def only_ours(request: Any) -> None:
        """The client adds what it finds in the environment (organisation, project): not for all eyes."""
        for name in set(request.headers) - _HEADERS:
            del request.headers[name]
        request.headers["authorization"] = f"Bearer {endpoint.api_key.get_secret_value()}"

    async def no_key() -> str:
        """The key goes into the header alone, so that the client neither holds one nor looks for one."""
        return "none"

    # The system's proxy must not be asked for this machine, and would look a public address up by itself.
    trust_env = not (endpoint.public or is_loopback(endpoint.base_url))
    http = openai.DefaultAsyncHttpxClient(
        trust_env=trust_env,
        verify=certificates(trust_env),
        event_hooks={
            "request": [only_ours, *([to_public_address] if endpoint.public else [])],
            "response": [as_chunks],
        },
        follow_redirects=False,  # the key is meant for this address only
    )
    chat = ChatOpenAI(
        model=endpoint.model,
        base_url=endpoint.base_url,
        api_key=no_key,
        http_async_client=http,
        openai_proxy="",
        timeout=openai.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS), pool=None),
        max_retries=0,
        use_responses_api=False,
        stream_chunk_timeout=None,
    )
    return _Client(chat, http)
