"""Keys of what a recording holds: hashes of what was asked, never of who answered, when, or with which key.

No key hangs on code: a schema counts by its wire form, which has no class names and no docstrings. The keys of replies
have a version, `VERSION`; a recording from before it is re-keyed reply by reply, each when it is first asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from pydantic import BaseModel

from core.models.wire_schema import wire_schema
from core.trace.events import Message

VERSION = 2
"""Of the keys of replies; raised when the same prompt gets another key."""


def digest(*parts: Any) -> str:
    """A hash of values that JSON can hold: 32 hexadecimal digits."""
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def prompt_digest(
    messages: Sequence[Message], form: type[BaseModel] | None, tools: Sequence[dict[str, Any]]
) -> str:
    """The same for the same messages, form of the reply and tools.

    Args:
        messages: As the skill wrote them, before an endpoint's ways are taken into account.
        form: Schema of the reply; None: free text.
        tools: That may be called.
    """
    schema = wire_schema(form) if form else None
    return digest(VERSION, _turns(messages), schema, list(tools))


def former_digest(
    messages: Sequence[Message],
    form: type[BaseModel] | None,
    tools: Sequence[dict[str, Any]],
    prompt: str,
) -> str:
    """The digest of version 1, which held the schema with the names and docstrings that its classes had then.

    Args:
        messages, form, tools: As of `prompt_digest`.
        prompt: Key of the prompt, as of `core.skills.base.prompt_key`: it tells which schema was sent.

    Returns:
        Empty where the schema is not known, since it was made for a single prompt.
    """
    schema = _former_schemas().get(prompt) if isinstance(form, type) else form
    if isinstance(form, type) and schema is None:
        return ""
    return digest(_turns(messages), schema, list(tools))


def _turns(messages: Sequence[Message]) -> list[list[str]]:
    return [[message.role, message.content] for message in messages]


@cache
def _former_schemas() -> dict[str, Any]:
    """Prompt key -> schema, as version 1 hashed it; frozen, whatever becomes of the classes."""
    text = (resources.files("core.models.recordings") / "former_schemas.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


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
