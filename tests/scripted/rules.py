"""What the scripted endpoint replies, and how it fails."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from pydantic import BaseModel

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
]


class Rule(BaseModel):
    """The first rule whose `match` is found in the last message answers."""

    match: str = ""
    """Regular expression; empty: every request."""
    reply: str | None = None
    """The reply; None: one that fits the request is made up."""
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

    def fits(self, prompt: str) -> bool:
        return self.times != 0 and re.search(self.match, prompt, re.DOTALL) is not None


def make_up(body: dict[str, Any], prompt: str) -> str:
    """A reply in the form asked for: valid JSON for a schema, otherwise a sentence that cites."""
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return json.dumps(instance(form["json_schema"]["schema"], prompt), ensure_ascii=False)
    lines = re.search(r"Write (\d+) [^\n]*one per line", prompt)
    if lines:
        return "\n".join(text(prompt, i) for i in range(int(lines[1])))
    if re.search(r"^\[1\] ", prompt, re.MULTILINE):
        return "The passages say so [1]. A second one agrees [2]."
    return "This is a scripted reply."


def text(prompt: str, index: int) -> str:
    """The index-th made-up text about a prompt's question."""
    question = re.findall(r"Question: (.*)", prompt)
    return f"{question[-1] if question else 'text'} (variant {index + 1})"


def instance(schema: dict[str, Any], prompt: str, index: int = 0, root: dict[str, Any] | None = None) -> Any:
    """A valid instance of a JSON schema; arrays have as many items as the prompt asks for."""
    root = root or schema
    if "$ref" in schema:
        return instance(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], prompt, index, root)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return instance(schema["anyOf"][0], prompt, index, root)
    match schema.get("type"):
        case "object":
            return {
                key: instance(value, prompt, index, root)
                for key, value in schema.get("properties", {}).items()
            }
        case "array":
            asked = re.search(r"\b(\d{1,2})\b", prompt)
            count = max(schema.get("minItems", 0), int(asked[1]) if asked else 2)
            return [instance(schema["items"], prompt, i, root) for i in range(count)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return text(prompt, index)
