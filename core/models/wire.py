"""The HTTP side of a chat call: one client per endpoint, and a reply as a stream of pieces."""

from __future__ import annotations

import asyncio
import ssl
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from core.models.bounds import TEXT_CHARACTERS, Bounds, OutOfBounds
from core.models.endpoint import ChatEndpoint, is_loopback
from core.models.public_addresses import to_public_address
from core.models.stream_events import Piece, ReplyEvents, ServerComplaint
from core.trace.events import Message

if TYPE_CHECKING:
    import httpx2
    from langchain_openai import ChatOpenAI

    from core.models.bounded_client import BoundedClient

KEPT_CLIENTS = 32
"""Endpoints whose connections are kept open; users of the page may bring their own."""
IDLE_SECONDS = 600.0
"""How long a client is kept after its last reply: it holds its user's key."""
LAST_SECONDS = 10.0
"""How long the count of tokens, or the end of the stream, may be on its way once the server has said that the reply
ends."""
_HEADERS = {"host", "accept", "accept-encoding", "connection", "content-length", "content-type", "user-agent"}


@dataclass
class _Client:
    """An endpoint's client in one event loop: its connections belong to the loop that opened them."""

    chat: ChatOpenAI
    http: BoundedClient
    replies: int = 0
    """Under way."""
    reused: bool = True
    expiry: asyncio.TimerHandle | None = None


_Key = tuple[ChatEndpoint, float]
_CLIENTS: WeakKeyDictionary[asyncio.AbstractEventLoop, OrderedDict[_Key, _Client]] = WeakKeyDictionary()
_CLOSING: set[asyncio.Task[None]] = set()


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
        OutOfBounds: It sends too much, or too slowly.
        ValueError, TypeError, LookupError, AttributeError: It does not speak the OpenAI format.
    """
    prompt = [message.model_dump() for message in messages]
    with _client(endpoint, patience) as client:
        # Its own `astream` keeps all that it made of each event until the reply ends, and reads what has come of a
        # tool call's arguments anew with every part, in a time that grows with its square.
        reply = await client.async_client.create(
            model=endpoint.model, messages=prompt, stream=True, extra_body=body
        )
        async with reply:
            characters = 0
            async with aclosing(_events(reply.response)) as events:
                async for piece in events:
                    characters += len(piece.text)
                    if characters > TEXT_CHARACTERS:
                        raise OutOfBounds(
                            f"wrote more than {TEXT_CHARACTERS:,} characters in one reply, so the app hung up",
                            "Ask again, or choose another model.",
                        )
                    yield piece


async def _events(reply: httpx2.Response) -> AsyncGenerator[Piece]:
    """The pieces of a reply, up to the event that ends it. The client passes events on one by one.

    Once the server has said why the reply ends, nothing that happens to the connection matters any more.

    Raises:
        openai.APIError: An event is an error, or the connection breaks.
        ValueError: One is no JSON.
    """
    import anyio
    import httpx2
    import openai

    read = ReplyEvents()
    try:
        async with aclosing(reply.aiter_bytes()) as pieces:
            while not read.done:
                async with asyncio.timeout(LAST_SECONDS if read.finished else None):
                    event = await anext(pieces, None)
                if event is None:
                    break
                for piece in read.read(event):
                    yield piece
        for piece in read.end():
            yield piece
    except ServerComplaint as error:
        raise openai.APIError(str(error), reply.request, body={"message": str(error)}) from None
    except (TimeoutError, httpx2.HTTPError, ssl.SSLError, anyio.EndOfStream) as error:
        if read.finished:
            return
        slow = isinstance(error, httpx2.TimeoutException)
        raise (openai.APITimeoutError if slow else openai.APIConnectionError)(
            request=reply.request
        ) from error


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
        if client.replies == 0 and client.reused:
            client.expiry = loop.call_later(IDLE_SECONDS, _drop, clients, key)
        elif client.replies == 0:
            _close(client)


def _drop(clients: OrderedDict[_Key, _Client], key: _Key) -> None:
    """Forget a client; it is closed when its last reply has ended."""
    client = clients.pop(key)
    client.reused = False
    if client.expiry is not None:
        client.expiry.cancel()
    if client.replies == 0:
        _close(client)


def _close(client: _Client) -> None:
    task = asyncio.get_running_loop().create_task(client.http.aclose())
    _CLOSING.add(task)  # the loop itself holds tasks only weakly
    task.add_done_callback(_CLOSING.discard)


def _build(endpoint: ChatEndpoint, timeout: float) -> _Client:
    from langchain_openai import ChatOpenAI

    from core.models.bounded_client import BoundedClient

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
    http = BoundedClient(
        Bounds.of_reply(timeout),
        trust_env=trust_env,
        events=True,
        event_hooks={"request": [only_ours, *([to_public_address] if endpoint.public else [])]},
    )
    chat = ChatOpenAI(
        model=endpoint.model,
        base_url=endpoint.base_url,
        api_key=no_key,
        http_async_client=http,
        openai_proxy="",
        timeout=http.timeout,
        max_retries=0,
        use_responses_api=False,
    )
    return _Client(chat, http)
