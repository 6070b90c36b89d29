"""Replies and faults of the scripted endpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from core.models.capabilities import SCHEMA_FOLLOWS
from tests.scripted.invent import instance
from tests.scripted.prompts import Asked

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
    "no_user",
]
"""`cut` resets the connection in mid-reply, `stop_short` just ends the reply there; `hang` sends the
first bytes and then nothing; `no_schema` refuses JSON schemas, `no_format` every response format, `no_tools` tools,
`no_user` to be told who asks."""


PASSAGES = re.compile(r'^(?:<passage number="\d+">|\[1\] )', re.MULTILINE)
"""How passages begin in a prompt: in that of a capable model, and in that of the built-in one or of a tutorial."""


class Rule(BaseModel):
    """The first rule whose conditions a request meets answers it."""

    skill: str = ""
    """Keys of the skills that it answers, separated by blanks; `skill.method` for one method of a skill alone;
    empty: whoever asks."""
    told: dict[str, str] = {}
    """Slot of the skill's prompt -> regular expression that is found in what stands there."""
    match: str = ""
    """Regular expression that is found in the last message: in what it is about, never in a prompt's wording."""
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
    raw: str | None = None
    """All that is sent, as it is, in place of a reply, with `status` or 200; with the faults `cut` and `hang`, the
    connection then breaks, or stays open in silence."""
    kind: str = "text/event-stream"
    """Content type of what is sent as it is."""
    finish: str = "stop"
    """Why the reply ends, as the server says."""
    usage: bool = True
    """True if tokens are counted where the request asks for it."""

    def fits(self, body: dict[str, Any], sender: tuple[Asked, ...]) -> bool:
        """Return True if the rule applies to a request.

        Args:
            body: Of the request.
            sender: Who may have sent it, see `asked`.
        """
        if self.times == 0 or (self.when is not None and not self.when(body)):
            return False
        if (self.skill or self.told) and not any(self._meant(one) for one in sender):
            return False
        return re.search(self.match, str(body["messages"][-1]["content"]), re.DOTALL) is not None

    def use(self) -> None:
        """Count one request that the rule answers."""
        if self.times is not None:
            self.times -= 1

    def text(self, body: dict[str, Any], sender: tuple[Asked, ...]) -> str:
        """The reply to a request."""
        if self.fault == "empty":
            return ""
        text = make_up(body, sender) if self.reply is None else self.reply
        return text[: max(1, len(text) * 2 // 3)] if self.fault == "truncated" else text

    def _meant(self, sender: Asked) -> bool:
        names = self.skill.split()
        if names and not {sender.skill, f"{sender.skill}.{sender.method}"} & set(names):
            return False
        return all(
            slot in sender.told and re.search(pattern, sender.told[slot], re.DOTALL)
            for slot, pattern in self.told.items()
        )


def make_up(body: dict[str, Any], sender: tuple[Asked, ...]) -> str:
    """A reply in the form asked for: valid JSON for a schema, a grader's yes, otherwise a sentence that cites."""
    prompt, _, schema = str(body["messages"][-1]["content"]).partition(SCHEMA_FOLLOWS)
    told = sender[0].told if sender else {"question": prompt.strip().rpartition("\n")[2]}
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return _invented(form["json_schema"]["schema"], told)
    if schema.startswith("{"):
        return _invented(json.loads(schema), told)
    if sender and sender[0].skill.startswith("grade_"):
        return "Yes."
    if PASSAGES.search(prompt):
        return "The passages say so [1]. A second one agrees [2]."
    return "This is a scripted reply."


def _invented(schema: dict[str, Any], told: Mapping[str, str]) -> str:
    value = instance(schema, lambda index: text(told, index), int(told.get("n", 2)))
    return json.dumps(value, ensure_ascii=False)


def text(told: Mapping[str, str], index: int) -> str:
    """The index-th made-up text about the question that a prompt holds."""
    return f"{told.get('question', 'text')} (variant {index + 1})"
