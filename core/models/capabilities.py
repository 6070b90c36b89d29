"""The parts of the OpenAI chat API that an endpoint supports. Endpoints refuse the others with a 400: we remember."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from core.models.endpoint import OPENAI_URL, ChatEndpoint
from core.models.structured_replies import whole_values
from core.models.wire_schema import wire_schema
from core.trace.events import Message

FORMATS = ("json_schema", "json_object", "text")
"""Ways to ask for JSON, best first; below the first one the prompt says it as well."""
_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
TOOLS_FOLLOW = "\n\nThe tools:\n"
"""Stands between a prompt and the tools, where the endpoint takes none."""
SCHEMA_FOLLOWS = "\n\nReply with JSON alone, valid against this JSON Schema:\n"
"""Stands between a prompt and the schema of the reply, where the endpoint does not take it as `json_schema`."""
_REFUSES_USER = re.compile(
    r"\A(?=.*\buser\b).*\b(unrecogni[sz]ed|unknown|unexpected|unsupported|extra|not (supported|permitted|allowed))\b",
    re.DOTALL,
)
"""Complaints about the field; many others speak of the user, too."""
_ABOUT_FORMAT = re.compile(
    r"response[ _]format|json[ _-]?(?:object|mode)|schema|grammar|structured[ _-]?output|guided|outlines"
)
"""Complaints about the form that was asked for; a server names it by what it makes of it."""
_ABOUT_SYSTEM = re.compile(
    r"system[ '\"_-]{0,3}(?:role|message|prompt|instruction)|role[^.]{0,60}\bsystem\b|roles must alternate"
)
"""Complaints about the system message; others speak of the system's memory."""
_UNADAPTED = {"lora": [{"id": 0, "scale": 0.0}]}
_OPENAI_REFUSES = {"minLength", "maxLength"}
"""Keywords that OpenAI does not accept in a strict schema; others need them to end a string."""


class Sampling(BaseModel):
    """How the model samples; None leaves the choice to the endpoint."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    """Longest reply, in tokens of the model."""
    extra: dict[str, Any] = {}
    """Further fields of the request body, e.g. llama.cpp's `grammar` or `dry_multiplier`."""


@dataclass
class EndpointCapabilities:
    """The parts of the OpenAI chat API that one model at one endpoint supports."""

    openai: bool
    """OpenAI's own endpoint, which calls the token limit differently."""
    limit: str = field(init=False)
    temperature: bool = True
    usage: bool = True
    tools: bool = True
    """True if it takes tools; if not, a JSON schema asks for the calls."""
    system: bool = True
    """True if it takes a system message; if not, the first user message begins with it."""
    user: bool = True
    """True if it may be told who asks."""
    adapter: bool = False
    """True if it has an adapter, and so each request must say whether it uses it: otherwise llama.cpp reuses the prompt
    cache that was made with the adapter."""
    format: str = FORMATS[0]
    _learned: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.limit = "max_completion_tokens" if self.openai else "max_tokens"

    def body(
        self,
        sampling: Sampling,
        schema: type[BaseModel] | None,
        tools: Sequence[dict[str, Any]] = (),
        user: str = "",
        *,
        name: str = "reply",
    ) -> dict[str, Any]:
        """Everything of the request body but model, messages and `stream`.

        `schema` is the form of the reply (None: free text), called `name` in the request; the tools are functions that
        may be called. `user` is who asks, as the endpoint may know it; empty: it is not told.
        """
        body: dict[str, Any] = {}
        if sampling.temperature is not None and self.temperature:
            body["temperature"] = sampling.temperature
        if sampling.max_tokens is not None:
            body[self.limit] = sampling.max_tokens
        if tools and self.tools:
            body["tools"] = list(tools)
        elif schema and self.format != "text":
            body["response_format"] = self._response_format(schema, name)
        if self.usage:
            body["stream_options"] = {"include_usage": True}
        if self.adapter:
            body |= _UNADAPTED
        if user and self.user:
            body["user"] = user
        return body | sampling.extra

    def messages(
        self,
        messages: Sequence[Message],
        schema: type[BaseModel] | None,
        tools: Sequence[dict[str, Any]] = (),
    ) -> tuple[Message, ...]:
        """The messages to send: schema and tools are in the last one where the endpoint does not take them."""
        messages = messages if self.system else _without_system(messages)
        if tools and self.tools:
            return tuple(messages)
        *before, last = with_tools(messages, tools) if tools else messages
        if not schema or self.format == FORMATS[0]:
            return (*before, last)
        wanted = json.dumps(wire_schema(schema), ensure_ascii=False)
        return (*before, last.model_copy(update={"content": f"{last.content}{SCHEMA_FOLLOWS}{wanted}"}))

    def learn(self, complaint: str, sent: dict[str, Any]) -> None:
        """Draw the conclusion from a refusal.

        Afterwards `body` gives something else than `sent` if there is anything to change. Each conclusion is
        drawn once, so that an endpoint that refuses everything is not asked for ever.
        """
        words = complaint.lower()
        limit = next((name for name in _LIMITS if name in sent), "")
        if "tools" in sent and "tool" in words:
            self.tools = False
        elif "response_format" in sent and _ABOUT_FORMAT.search(words):
            used = sent["response_format"]["type"]
            if self._first(f"not {used}"):
                self.format = FORMATS[FORMATS.index(used) + 1]
        elif self.system and _ABOUT_SYSTEM.search(words):
            self.system = False
        elif "temperature" in sent and "temperature" in words:
            self.temperature = False
        elif "stream_options" in sent and ("stream_options" in words or "include_usage" in words):
            self.usage = False
        elif limit and limit in words and self._first("limit"):
            self.limit = _LIMITS[limit]
        elif "user" in sent and _REFUSES_USER.search(words):
            self.user = False

    def learn_from_reply(self, text: str) -> None:
        """Draw the conclusion from a whole reply that is not of the schema: where no object is in it at all, the
        endpoint took `json_schema` in silence and does not heed it, so from now on the prompt says it as well.

        OpenAI heeds it, and its refusals are no JSON.
        """
        if self.format == FORMATS[0] and not self.openai:
            heeded = any(isinstance(value.value, dict) for value in whole_values(text))
            self.format = FORMATS[0 if heeded else 1]

    def _first(self, conclusion: str) -> bool:
        new = conclusion not in self._learned
        self._learned.add(conclusion)
        return new

    def _response_format(self, schema: type[BaseModel], name: str) -> dict[str, Any]:
        if self.format != "json_schema":
            return {"type": self.format}
        wanted = wire_schema(schema)
        strict = not _has_free_keys(wanted)
        if strict:
            wanted = _strict(wanted, _OPENAI_REFUSES if self.openai else set())
        named = {"name": name, "schema": wanted, "strict": strict}
        return {"type": "json_schema", "json_schema": named}


def about_request(complaint: str) -> str:
    """A complaint from which something can be learned though it came as a failure of the server; else nothing."""
    complaint = complaint.lower()
    return (
        complaint
        if "tool" in complaint or _ABOUT_FORMAT.search(complaint) or _ABOUT_SYSTEM.search(complaint)
        else ""
    )


def with_tools(messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> tuple[Message, ...]:
    """The messages with the tools in the last one, for an endpoint that takes none."""
    *before, last = messages
    described = json.dumps([tool["function"] for tool in tools], ensure_ascii=False)
    return (*before, last.model_copy(update={"content": f"{last.content}{TOOLS_FOLLOW}{described}"}))


def _without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with the text of the system messages put at the beginning of the first other message."""
    instructions = "\n\n".join(message.content for message in messages if message.role == "system")
    first, *rest = [message for message in messages if message.role != "system"] or [
        Message(role="user", content="")
    ]
    return (first.model_copy(update={"content": f"{instructions}\n\n{first.content}".strip()}), *rest)


def _has_free_keys(node: Any) -> bool:
    """True if an object may have any keys, which strict mode has no way to say."""
    if isinstance(node, dict):
        free = node.get("type") == "object" and not node.get("properties")
        return free or any(_has_free_keys(value) for value in node.values())
    return isinstance(node, list) and any(_has_free_keys(item) for item in node)


def _strict(node: Any, refused: set[str]) -> Any:
    """The schema as strict mode wants it: every property required, no others allowed, no defaults."""
    if isinstance(node, list):
        return [_strict(item, refused) for item in node]
    if not isinstance(node, dict):
        return node
    properties = node.get("properties")
    strict = {
        key: _strict(value, refused)
        for key, value in node.items()
        if key not in refused and key not in ("default", "properties")
    }
    if isinstance(properties, dict):
        # By name: a property may be called like a keyword.
        strict["properties"] = {name: _strict(value, refused) for name, value in properties.items()}
        strict |= {"required": list(properties), "additionalProperties": False}
    return strict


_CAPABILITIES: dict[tuple[str, str], EndpointCapabilities] = {}


def capabilities_of(endpoint: ChatEndpoint) -> EndpointCapabilities:
    """Known capabilities of an endpoint, shared by all its callers in this process."""
    key = (endpoint.base_url, endpoint.model)
    official = urlsplit(endpoint.base_url).hostname == urlsplit(OPENAI_URL).hostname
    return _CAPABILITIES.setdefault(key, EndpointCapabilities(official, adapter=endpoint.builtin))
