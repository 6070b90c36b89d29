"""Failures of chat calls in words, and whether trying again may help."""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.logs import without
from core.models.bounds import OutOfBounds
from core.models.capabilities import about_request
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.models.server_words import quoted, words_in

if TYPE_CHECKING:
    from openai import APIStatusError

LONGEST_WAIT = 30.0
"""Seconds; where an endpoint asks for a longer wait, trying again is left to the user."""
LOADING_SECONDS = 10.0
"""Between two requests to a server that is still loading its model: gigabytes come from a disk."""
_TOO_LONG = ("context_length", "context length", "context size", "context window", "prompt is too long")
_OVER_BUDGET = ("budget_exceeded", "exceededbudget", "budget has been exceeded", "over budget")
"""In the words of LiteLLM's proxy, whose versions refuse with status 400, 401, 422 or 429."""
_OUT_OF_CREDIT = ("insufficient_quota", "exceeded your current quota")


class ShortReply(Exception):
    """The endpoint answered, but not with a whole reply."""


class EmptyReply(ShortReply):
    """The reply has no text."""

    def __init__(self, finish: str, *, thought: bool = False) -> None:
        """
        Args:
            finish: The reason the endpoint gave for ending it.
            thought: True if a thought came, and no answer after it.
        """
        super().__init__(finish)
        self.finish, self.thought = finish, thought


class CutReply(ShortReply):
    """The stream ended before the reply did."""


class NoReply(ShortReply):
    """The stream held nothing that belongs to the OpenAI format."""


@dataclass(frozen=True)
class Failure:
    """Why a call failed."""

    kind: str
    """In two words, fit for a status line."""
    message: str
    """What happened, a sentence."""
    advice: str
    """What to do about it, a sentence."""
    tries: int = 1
    """Calls that may fail this way before it is given up; 1: trying again is pointless."""
    wait: float | None = None
    """Seconds that the endpoint asked to wait."""
    cut: bool = False
    """True if the token limit ended the reply."""
    complaint: str = ""
    """Words of a refused request, from which to learn what the endpoint takes."""


EMPTY = "empty reply"
"""The kind of failure of a reply without text."""
RETRY_ALWAYS = 99
"""As often as the settings allow."""


def explain(error: BaseException, endpoint: ChatEndpoint, timeout: float, user: str = "") -> Failure:
    """Explain an error of the chat client; `user` is who asked, as the endpoint was told, and is not repeated."""
    failure = _explain(error, endpoint, timeout)
    return replace(failure, message=failure.message.replace(user, "…")) if user else failure


def _explain(error: BaseException, endpoint: ChatEndpoint, timeout: float) -> Failure:
    import openai

    name = f"The model file {endpoint.file}" if endpoint.file else f"The endpoint {endpoint.base_url}"
    name = "The built-in model" if endpoint.builtin else name
    if isinstance(error, EmptyReply):
        return _empty(error, endpoint)
    if beyond := next((cause for cause in _causes(error) if isinstance(cause, OutOfBounds)), None):
        return Failure("out of bounds", f"{name} {beyond.message}.", beyond.advice)
    if isinstance(error, openai.APIStatusError):
        return _status(error, endpoint, name)
    causes = {type(cause).__name__ for cause in _causes(error)}
    if (endpoint.builtin or endpoint.file) and causes & {"ConnectError", "ConnectTimeout"}:
        log = "What it said last is in logs/chat.log in the home folder." if endpoint.builtin else ""
        return Failure(
            "unreachable",
            f"{name} has ended, perhaps for want of memory.",
            f"Ask again: it restarts by itself. {log}".rstrip(),
            RETRY_ALWAYS,
        )
    if causes & {"ConnectError", "ConnectTimeout", "NotPublic"}:
        return Failure(
            "unreachable",
            f"{name} cannot be reached.",
            "Check the address and that it is running.",
            RETRY_ALWAYS,
        )
    if isinstance(error, openai.APITimeoutError):
        return Failure(
            "timeout",
            f"{name} sent nothing for {timeout:g} s.",
            "Try again, or raise MODEL_TIMEOUT_SECONDS.",
            RETRY_ALWAYS,
        )
    if isinstance(error, openai.APIConnectionError | CutReply):
        return Failure(
            "connection cut",
            f"{name} cut the connection in the middle of its reply.",
            "Try again, or check its log.",
            RETRY_ALWAYS,
        )
    if isinstance(error, openai.APIError) and error.body:
        words = words_in(error.body) or error.message
        quoted = _quoted(words, endpoint)
        if any(sign in words.lower() for sign in _TOO_LONG):
            return _too_long(endpoint, quoted)
        return Failure(
            "server error",
            f"{name} failed during its reply{quoted}.",
            "Try again.",
            RETRY_ALWAYS,
            complaint=about_request(words),
        )
    return Failure(
        "nonsense",
        f"{name} does not answer like an OpenAI-compatible endpoint.",
        "Check the address; many end in /v1.",
    )


def _empty(error: EmptyReply, endpoint: ChatEndpoint) -> Failure:
    why = {
        "length": " It used up its token limit before it came to the answer.",
        "content_filter": " The endpoint's content filter withheld it.",
    }.get(error.finish, " It ended its thought without an answer." if error.thought else "")
    return Failure(
        EMPTY,
        f"The model “{endpoint.model}” sent an empty reply.{why}",
        "Ask again, or choose another model.",
        tries=2,
        cut=error.finish == "length",
    )


def _status(error: APIStatusError, endpoint: ChatEndpoint, name: str) -> Failure:
    status, text = error.status_code, _words(error)
    lowered, quoted = f"{text} {error.body}".lower(), _quoted(text, endpoint)
    if 400 <= status < 500 and any(words in lowered for words in _OVER_BUDGET):
        return Failure(
            "budget",
            f"{name} says that a budget is used up{quoted}.",
            "Wait until it begins anew, choose another model, or ask whoever runs it.",
        )
    if status in (401, 403):
        if endpoint.api_key == NO_KEY:
            return Failure(
                "key", f"{name} wants a key, and none was given.", "Give one, or choose another endpoint."
            )
        # Status 401 repeats the key, or a part of it; 403 may be about a region, a model or an account.
        why = quoted if status == 403 else ""
        return Failure(
            "key",
            f"{name} refused the key{why}.",
            "Check that the key is complete and meant for this endpoint.",
        )
    if status in (400, 404, 413, 422) and any(words in lowered for words in _TOO_LONG):
        return _too_long(endpoint, quoted)
    if status in (400, 404) and _about_model(lowered, endpoint.model, status):
        return Failure(
            "model",
            f"{name} does not know the model “{endpoint.model}”{quoted}.",
            "Check the model's name, and that it is loaded there.",
            complaint=about_request(lowered),  # a gateway without any server that could do it
        )
    if status == 429 and any(words in lowered for words in _OUT_OF_CREDIT):
        return Failure("quota", f"{name} says that the account's quota is used up.", "Check the account.")
    wait = _retry_after(error.response.headers.get("retry-after", ""))
    tries = RETRY_ALWAYS if wait is None or wait <= LONGEST_WAIT else 1
    if status == 429:
        request = "" if wait is None else f" It asks to wait {wait:.0f} s."
        return Failure(
            "rate limit",
            f"{name} takes no more requests for now (status 429){quoted}.{request}",
            "Wait, or check the account's limits.",
            tries,
            wait,
        )
    if status == 503 and "loading" in lowered:
        return Failure(
            "loading model",
            f"{name} is still loading its model{quoted}.",
            "Ask again when it has.",
            tries,
            max(wait or 0.0, LOADING_SECONDS),
        )
    if status >= 500 or status == 408:
        return Failure(
            "server error",
            f"{name} failed with status {status}{quoted}.",
            "Try again later, or choose another model.",
            tries,
            wait,
            complaint=about_request(lowered),  # llama.cpp refuses so
        )
    if status in (404, 405) or status < 400:
        return Failure(
            "nonsense",
            f"{name} does not answer like an OpenAI-compatible endpoint (status {status}){quoted}.",
            "Check the address; many end in /v1.",
            complaint=about_request(lowered),  # a gateway without any server that could do it
        )
    return Failure(
        "refused request",
        f"{name} refused the request (status {status}){quoted}.",
        "Check the settings of the endpoint, or choose another model.",
        complaint=lowered if status in (400, 422) else about_request(lowered),
    )


def _too_long(endpoint: ChatEndpoint, quoted: str) -> Failure:
    return Failure(
        "too long",
        f"The prompt is too long for the model “{endpoint.model}”{quoted}.",
        "Use fewer or smaller passages, or a model with a larger context.",
    )


def redact(text: str, endpoint: ChatEndpoint) -> str:
    """The text without the endpoint's key."""
    return text if endpoint.api_key == NO_KEY else without(text, [endpoint.api_key])


def _quoted(text: str, endpoint: ChatEndpoint) -> str:
    """The endpoint's own words as the end of a sentence; nothing if they are a web page or missing."""
    return quoted(redact(text, endpoint))


def _words(error: APIStatusError) -> str:
    """The endpoint's own words in its error, in any of the usual shapes."""
    if words := words_in(error.body):
        return words
    return json.dumps(error.body, ensure_ascii=False) if isinstance(error.body, dict) else error.response.text


def _about_model(text: str, model: str, status: int) -> bool:
    if "model_not_found" in text or (status == 404 and "model" in text):
        return True
    named = bool(model) and model.lower() in text
    return named and any(
        words in text for words in ("not exist", "not found", "unknown", "invalid model", "no such")
    )


def _retry_after(header: str) -> float | None:
    """Seconds to wait from a `Retry-After` header: a number or a date; None if it says neither."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = email.utils.parsedate_tz(header)
            if when is None:
                return None
            seconds = email.utils.mktime_tz(when) - time.time()
        except (ValueError, OverflowError):  # a year that no calendar has
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
