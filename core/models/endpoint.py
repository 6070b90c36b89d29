"""Chat models behind the OpenAI API: their addresses and keys, which may be used, and whether they answer."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from core.errors import InputError, ModelError
from core.logs import watch, without
from core.models.bounds import LIST_BYTES, Bounds, OutOfBounds
from core.models.public_addresses import NotPublic, public_addresses, to_public_address
from core.models.server_words import quoted, words_in
from core.settings import Settings
from core.strict_json import read_json
from core.users import NotAllowed, User

if TYPE_CHECKING:
    import httpx2

    from core.models.bounded_client import BoundedClient

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = SecretStr("none")
"""Sent where no key is set: an empty one makes the OpenAI client look for one in the environment."""
_ADDED = re.compile(r"/(?:(?:chat/)?completions|embeddings|responses)\Z")
"""Paths that clients add to a base URL."""
PROBE_SECONDS = 20.0
MOST_CHARACTERS = 200
"""Longest name of a model that an endpoint names by itself."""


@dataclass(frozen=True)
class ChatEndpoint:
    """A chat model behind the OpenAI API."""

    base_url: str
    """Up to and without `/chat/completions`."""
    api_key: SecretStr
    model: str
    """May be empty where it is typed: then the endpoint is asked for its first model."""
    builtin: bool = False
    file: str = ""
    """Name of the model file that this machine runs for it; empty: it is no such model."""
    public: bool = False
    """True if it may be reached at public addresses only, see `core.models.public_addresses`."""

    def __post_init__(self) -> None:
        """Keep the key out of the log."""
        if self.api_key != NO_KEY:
            watch(self.api_key)

    @property
    def server(self) -> str:
        """The server as `is_here` takes it: what the app runs by itself has another address with each start."""
        return "" if self.builtin or self.file else self.base_url


def is_here(server: str) -> bool:
    """True if the chat model of a server at this address is one of this machine; empty: the app runs it by itself."""
    return not server or is_loopback(server)


def typed_endpoints(settings: Settings, by: User) -> Literal["any", "public", "none"]:
    """The endpoints that somebody may type in the browser; a teacher who is signed in, any."""
    if by.teacher and settings.has_teacher:
        return "any"
    return settings.browser_endpoints or ("public" if settings.has_teacher else "any")


def from_browser(settings: Settings, typed: ChatEndpoint, by: User) -> ChatEndpoint:
    """An endpoint that was typed in the browser, held to what may be typed there.

    Raises:
        NotAllowed: None may be.
    """
    allowed = typed_endpoints(settings, by)
    if allowed == "none":
        raise NotAllowed("On this server, only the teacher can use another chat endpoint.")
    return replace(typed, public=allowed == "public")


def is_loopback(url: str) -> bool:
    """True if the address is this machine's own, so that no proxy must be asked."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def normalise_url(url: str) -> str:
    """A base URL as people write it, in the form that clients need.

    Blanks and slashes at the end are dropped, and so is what clients add, such as `/chat/completions`; an address
    without a path gets `/v1`. Any other path is left alone: only its owner knows whether it is right.

    Raises:
        InputError: It is not an http or https address, or holds a user name, a query or a fragment.
    """
    text = url.strip()
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
        # As the client reads it and as the resolver will: both refuse names that `urlsplit` lets pass.
        httpx.URL(text).host.encode("idna")
    except (ValueError, httpx.InvalidURL):  # idna's errors are ValueErrors
        host = None
    if not host or parts.scheme not in ("http", "https") or any(c.isspace() for c in text):
        raise InputError(
            "The endpoint's address is not valid. Write it with http:// or https://, "
            "for example http://localhost:11434/v1."
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InputError(
            "The endpoint's address must not hold a user name, a “?” or a “#”. Put the key in its own field."
        )
    path = _ADDED.sub("", parts.path.rstrip("/")).rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


def server_at(url: str) -> str:
    """The server at an address that somebody wrote, as `ChatEndpoint.server`; the address itself, where it is none."""
    with suppress(InputError):
        return normalise_url(url or OPENAI_URL)
    return url


async def completed(base_url: str, api_key: SecretStr, model: str, *, public: bool = False) -> ChatEndpoint:
    """An endpoint as somebody wrote it, with what is missing filled in: OpenAI's address, or its first model.

    Raises:
        InputError: Neither address nor model is given, or one of them, or the key, cannot be used.
        ModelError: No model is named, and the endpoint does not name one either.
    """
    if not base_url.strip() and not model.strip():
        raise InputError("No endpoint is set. Give the endpoint's address, or the name of an OpenAI model.")
    url = normalise_url(base_url or OPENAI_URL)
    key = _key(api_key)
    if public:
        await _check_public(url)
    return ChatEndpoint(url, key, model.strip() or await _first_model(url, key, public=public), public=public)


async def _check_public(url: str) -> None:
    """Say at once, and in a sentence, what every connection checks again."""
    try:
        addresses = await public_addresses(httpx.URL(url).raw_host.decode("ascii"))
    except TimeoutError:
        addresses = []
    if not addresses:
        raise InputError(
            "Only endpoints on the public internet can be used from here, and no such server was found at this "
            "address. Check it, or ask the teacher, who can use any."
        )


def _key(written: SecretStr) -> SecretStr:
    """A key as people paste it, in the form that a header can carry."""
    text = written.get_secret_value().strip()
    if not (text.isascii() and text.isprintable()):
        raise InputError(
            "The key holds characters that no key has. Copy the whole key from where it was made: "
            "one that is shown shortened or with dots does not work."
        )
    return SecretStr(text) if text else NO_KEY


async def _first_model(url: str, key: SecretStr, *, public: bool) -> str:
    async with _asking(url, key, public=public) as client:
        reply = await client.get(f"{url}/models")
    if reply.status_code != 200:
        raise _refused(url, reply, "", key)
    if reply.text.lstrip("\ufeff \t\r\n").startswith("<"):  # a web page
        raise _not_compatible(url)
    try:
        listed = read_json(reply.content)
        models = listed if isinstance(listed, list) else listed.get("data") or listed["models"]
        first = models[0]
        name = first if isinstance(first, str) else str(first.get("id") or first["name"])
    except (ValueError, LookupError, TypeError, AttributeError):
        name = ""
    if not name or len(name) > MOST_CHARACTERS:
        raise ModelError(
            f"{url} does not say which models it has{_words(reply, key)}. Name one: CHAT_MODEL, or the field “Model”."
        )
    return name


async def probe(endpoint: ChatEndpoint, seconds: float = PROBE_SECONDS) -> None:
    """Ask the endpoint for the beginning of a reply, and hang up; it may be silent for so many seconds.

    Raises:
        ModelError: The key is refused, the endpoint cannot be reached, it does not know the model, or it is
            something else; each in its own sentence.
    """
    # Streamed and without a token limit: the limit's name differs between models, hanging up does not.
    question = {"model": endpoint.model, "messages": [{"role": "user", "content": "Say OK."}], "stream": True}
    url = endpoint.base_url
    async with (
        _asking(url, endpoint.api_key, public=endpoint.public, seconds=seconds) as client,
        client.stream("POST", f"{url}/chat/completions", json=question) as reply,
    ):
        if reply.status_code != 200:
            await reply.aread()
            raise _refused(url, reply, endpoint.model, endpoint.api_key)
        kind = reply.headers.get("content-type", "")
        if "json" in kind:
            await reply.aread()
            _check_whole(endpoint, reply)
        elif "html" in kind:  # a web page; a stream of events may have any other type
            raise _not_compatible(url)


def _check_whole(endpoint: ChatEndpoint, reply: httpx2.Response) -> None:
    """Refuse a JSON answer to `stream` that is no whole reply: see `core.models.stream_events`."""
    try:
        answer = read_json(reply.content)
    except ValueError:
        raise _not_compatible(endpoint.base_url) from None
    if isinstance(answer, dict) and answer.get("choices"):
        return
    if words := _words(reply, endpoint.api_key):
        raise ModelError(f"{endpoint.base_url} failed{words}.")
    raise _not_compatible(endpoint.base_url)


@asynccontextmanager
async def _asking(
    url: str, key: SecretStr, *, public: bool, seconds: float = PROBE_SECONDS
) -> AsyncIterator[BoundedClient]:
    """A client for an endpoint, whose failures are sentences."""
    import httpx2

    from core.models.bounded_client import BoundedClient

    client = BoundedClient(
        Bounds(LIST_BYTES, seconds, seconds),
        trust_env=not (public or is_loopback(url)),
        headers={"Authorization": f"Bearer {key.get_secret_value()}"},
        event_hooks={"request": [to_public_address] if public else []},
    )
    try:
        async with client:
            yield client
    except OutOfBounds as error:
        raise ModelError(f"{url} {error.message}. {error.advice}") from None
    except httpx2.ReadTimeout:
        raise ModelError(
            f"{url} took the question but did not answer within {seconds:.0f} s. Try again."
        ) from None
    except (httpx2.HTTPError, NotPublic):
        raise ModelError(
            f"{url} cannot be reached. Check the address and that the server is running."
        ) from None


def _not_compatible(url: str) -> ModelError:
    return ModelError(f"{url} does not answer like an OpenAI-compatible endpoint. Many addresses end in /v1.")


def _refused(url: str, reply: httpx2.Response, model: str, key: SecretStr) -> ModelError:
    """Explain a status other than 200."""
    status = reply.status_code
    what = f"answered with status {status}{_words(reply, key)}. Try again later."
    if status in (401, 403):
        sent_key = reply.request.headers.get("authorization", "").removeprefix("Bearer ")
        what = (
            "refused the key. Check that it is complete and meant for this endpoint."
            if sent_key and sent_key != NO_KEY.get_secret_value()
            else "wants a key, and none was given. Give one, or choose another endpoint."
        )
    elif model and status in (400, 404) and _names_model(reply, model):
        what = f"does not know the model “{model}”{_words(reply, key)}. Check its name, and that it is loaded there."
    elif status in (404, 405) or reply.is_redirect:
        return _not_compatible(url)
    elif status == 429:
        what = f"takes no more requests for now (status 429){_words(reply, key)}. Wait, or check the account's quota."
    return ModelError(f"{url} {what}")


def _words(reply: httpx2.Response, key: SecretStr) -> str:
    """The server's own words as the end of a sentence; nothing where it has none."""
    try:
        return quoted(without(words_in(read_json(reply.content)), [key]))
    except ValueError:
        return ""


def _names_model(reply: httpx2.Response, model: str) -> bool:
    """True if an error is about the model's name; some endpoints say so in a code, others in words."""
    try:
        text = json.dumps(read_json(reply.content), ensure_ascii=False)
    except ValueError:
        return False
    return (
        model in text or "model_not_found" in text or (reply.status_code == 404 and "model" in text.lower())
    )


def name_for_endpoint(owner: str) -> str:
    """The name of an owner for a chat endpoint: always the same, not the id, which is a cookie; empty for nobody."""
    return hashlib.sha256(f"rag-loupe:{owner}".encode()).hexdigest()[:32] if owner else ""
