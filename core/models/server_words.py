"""The words of a server's answer, wherever it says them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from core.wording import whole_characters

_SAYS = (
    "error", "errors", "message", "detail", "details", "msg", "error_message", "errorMessage", "reason",
    "metadata", "raw",
)  # fmt: skip
"""Fields that hold the words: OpenAI's, FastAPI's, vLLM's, Ollama's, and how gateways pass on what others said."""
QUOTE_CHARS = 200
"""Characters of them that are passed on."""
_DEEPEST = 5
_MOST_PARTS = 5
"""Complaints of one answer that are passed on."""


def words_in(answer: object) -> str:
    """The words of an error, a decoded body or event in any of the usual shapes; empty where it says nothing.

    A text in it that is itself JSON, as gateways pass errors on, is read too.
    """
    texts = dict.fromkeys(filter(None, (whole_characters(text).strip() for text in _words_of(answer, 0))))
    return "; ".join(list(texts)[:_MOST_PARTS])


def quoted(words: str) -> str:
    """A server's words, without secrets, as the end of a sentence; nothing if they are a web page or missing."""
    words = " ".join(whole_characters(words).split())
    if not words or words.startswith("<"):
        return ""
    return f": “{words[:QUOTE_CHARS].rstrip('.')}{'…' if len(words) > QUOTE_CHARS else ''}”"


def complains(event: Mapping[str, Any]) -> bool:
    """True if an object is an error and nothing else, by a field that only errors have."""
    return bool(event.get("error") or event.get("errors") or event.get("detail")) or "error" in (
        event.get("object"),
        event.get("type"),
        event.get("status"),
    )


def _words_of(answer: object, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(answer, str):
        inner = _decoded(answer)
        within = list(_words_of(inner, depth + 1)) if inner is not None else []
        yield from within or [answer]
    elif isinstance(answer, list):
        for item in answer[:_MOST_PARTS]:
            yield from _words_of(item, depth + 1)
    elif isinstance(answer, dict):
        place = answer.get("loc")  # FastAPI says what of the request it means beside the message
        where = ".".join(map(str, place)) + ": " if isinstance(place, list) else ""
        for name in _SAYS:
            yield from (f"{where}{text}" for text in _words_of(answer.get(name), depth + 1))


def _decoded(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
