"""What the scripted endpoint replies, and how it fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, Field

from tests.scripted.invent import instance

Fault = Literal[
    "none",
    "hang",
    "cut",
    "truncated",
    "empty",
    "html",
    "rate_limit",
    "server_error",
    "unknown_model",
    "no_schema",
    "no_format",
    "stop_short",
    "no_tools",
    "no_logprobs",
]
"""`cut` resets the connection in mid-reply, `stop_short` just ends the reply there; `hang` sends the
first bytes and then nothing; `no_schema` refuses JSON schemas, `no_format` every response format, `no_tools` tools,
`no_logprobs` log-probabilities."""


class Rule(BaseModel):
    """The first rule whose `match` is found in the last message answers."""

    match: str = ""
    """Regular expression; empty: every request."""
    when: Callable[[dict[str, Any]], bool] | None = Field(None, exclude=True)
    """A further condition on the request's body; for scripts of the same process."""
    reply: str | None = None
    """The reply; None: one that fits the request is made up."""
    calls: list[tuple[str, Any]] = []
    """Tool calls in place of a reply: name and arguments; a text is sent as it is, anything else as JSON."""
    fault: Fault = "none"
    times: int | None = None
    """How often the rule applies before the next ones get their turn; None: always."""
    delay: float = 0.0
    """Seconds until the first byte."""
    piece: int = 12
    """Characters per piece of a streamed reply."""
    pause: float = 0.0
    """Seconds between pieces."""
    retry_after: float | None = None
    status: int | None = None
    """Refuse with this status and the reply as the message."""
    finish: str = "stop"
    """Why the reply ends, as the server says."""
    chances: dict[str, float] | None = None
    """Token -> probability of being the first of the reply; said where the request asks for log-probabilities."""
    usage: bool = True
    """Whether tokens are counted where the request asks for it."""

    def fits(self, body: dict[str, Any], prompt: str) -> bool:
        """Whether the rule applies to a request whose last message is `prompt`."""
        if self.times == 0 or (self.when is not None and not self.when(body)):
            return False
        return re.search(self.match, prompt, re.DOTALL) is not None


def make_up(body: dict[str, Any], prompt: str) -> str:
    """A reply in the form asked for: valid JSON for a schema, otherwise a sentence that cites."""
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return _invented(form["json_schema"]["schema"], prompt)
    said = re.search(r"JSON Schema:\n(\{.*\})", prompt)
    if said:
        return _invented(json.loads(said[1]), prompt)
    lines = re.search(r"Write (\d+) [^\n]*one per line", prompt)
    if lines:
        return "\n".join(text(prompt, i) for i in range(int(lines[1])))
    if re.search(r"^\[1\] ", prompt, re.MULTILINE):
        return "The passages say so [1]. A second one agrees [2]."
    return "This is a scripted reply."


def _invented(schema: dict[str, Any], prompt: str) -> str:
    asked = re.search(r"\b(\d{1,2})\b", prompt)
    value = instance(schema, lambda index: text(prompt, index), int(asked[1]) if asked else 2)
    return json.dumps(value, ensure_ascii=False)


def text(prompt: str, index: int) -> str:
    """The index-th made-up text about a prompt's question."""
    question = re.findall(r"Question: (.*)", prompt)
    return f"{question[-1] if question else 'text'} (variant {index + 1})"
