"""Keys of what a recording holds: hashes of what was asked, never of who answered, when, or with which key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from core.trace.events import Message

FIRST_WORD = "first word"
"""Form of a reply of which only the beginning is asked for."""


def digest(*parts: Any) -> str:
    """A hash of values that JSON can hold."""
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def prompt_digest(
    messages: Sequence[Message], form: type[BaseModel] | str | None, tools: Sequence[dict[str, Any]]
) -> str:
    """The same for the same messages, form of the reply and tools.

    Args:
        messages: As the skill wrote them, before an endpoint's ways are taken into account.
        form: Schema of the reply, or `FIRST_WORD`; None: free text.
        tools: That may be called.
    """
    schema = _schema(form) if isinstance(form, type) else form
    return digest([[message.role, message.content] for message in messages], schema, list(tools))


@lru_cache(maxsize=256)
def _schema(form: type[BaseModel]) -> dict[str, Any]:
    """Made once: that takes longer than all the rest of a key."""
    return form.model_json_schema()


def reply_key(prompt: str, number: int) -> str:
    """Key of a reply.

    Args:
        prompt: See `prompt_digest`.
        number: How often this prompt had been asked before in the run, from 0.
    """
    return digest("reply", prompt, number)


def vector_key(embedder: str, text: str) -> str:
    """Key of the vector of a text by the embedding model with this key."""
    return digest("vector", embedder, text)
