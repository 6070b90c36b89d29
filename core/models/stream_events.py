"""What a server's reply says, event by event, in any of the dialects of the OpenAI API.

Servers differ: some send a whole JSON reply although a stream was asked for, events without anything of a reply (a
ping), an error in other shapes than OpenAI's, a text as a list of parts, or `[DONE]` without saying why the reply ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.models.server_words import complains, words_in
from core.strict_json import read_json

DONE = "[DONE]"
MOST_WORDS = 5
"""Events, or lines, without a reply whose words are passed on."""
_FIELDS = ("data", "event", "id", "retry", "")
"""Of an event; a comment has an empty one."""
_PARTS = ("text", "content", "value", "refusal")
"""Where a part of a list of parts has its text; what a model thought stands under other names, and is left out."""

Event = dict[str, Any]
"""With `delta` (`content`, a text, and `tool_calls`), `finish_reason` and `usage`, as far as they came."""


class ServerComplaint(Exception):
    """The server says in its reply that it failed; the text is its own."""


@dataclass
class ReplyEvents:
    """Reads the events of one reply, and what has come of it as far as its end hangs on it."""

    index: Any = 0
    """Of the choice that is read: one reply was asked for, and others would be mixed into it."""
    begun: bool = False
    finished: bool = False
    """Whether the server said why the reply ends."""
    done: bool = False
    """Whether it said that nothing more comes."""
    counted: bool = False
    """Whether the tokens were counted after the reply, in an event of its own."""
    said: list[str] = field(default_factory=list)
    """Words that came without a reply; they count only where none follows."""

    def read(self, piece: bytes) -> Iterator[Event]:
        """What a piece of the reply says.

        Args:
            piece: A server-sent event (HTML standard, 9.2.6), or a reply that comes whole, as JSON.

        Raises:
            ServerComplaint: It is an error.
            ValueError: It is neither.
        """
        text = piece.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
        if text.startswith("<"):
            raise ValueError("a web page")
        if text.startswith(("{", "[")):
            self.done = True
            yield from self._answer(read_json(text))
            return
        fields: dict[str, list[str]] = {"data": [], "event": []}
        for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
            name, _, value = line.partition(":")
            if name in fields:
                fields[name].append(value.removeprefix(" "))
            elif name not in _FIELDS:
                self._say(line)
        yield from self._event("".join(fields["event"]).strip(), "\n".join(fields["data"]).strip())

    def end(self) -> Iterator[Event]:
        """What the end of the reply adds: why it ends, where only the server's `[DONE]` says so.

        Raises:
            ServerComplaint: Words came in place of a reply.
        """
        if self.finished:
            return
        if self.begun and (self.done or self.counted):
            yield {"finish_reason": "stop"}
        elif self.said:
            raise ServerComplaint("; ".join(self.said))

    def _event(self, name: str, data: str) -> Iterator[Event]:
        if data.startswith(DONE) or name == "done":
            self.done = True
        elif not data.startswith(("{", "[", '"')):
            if name == "error":
                raise ServerComplaint(data)
            self._say(data)
        elif name == "error":
            raise ServerComplaint(words_in(read_json(data)) or data)
        else:
            yield from self._answer(read_json(data))

    def _answer(self, answer: object) -> Iterator[Event]:
        """A decoded event, or a whole reply."""
        if not isinstance(answer, dict):
            self._say(words_in(answer))
            return
        choices = [choice for choice in answer.get("choices") or () if isinstance(choice, dict)]
        if answer.get("error") or (complains(answer) and not choices):
            raise ServerComplaint(words_in(answer) or str(answer))
        if choices and not self.begun:
            self.index = choices[0].get("index") or 0
        ours = next((choice for choice in choices if (choice.get("index") or 0) == self.index), None)
        counted = answer.get("usage")
        usage = {"usage": counted} if isinstance(counted, dict) and counted else {}
        if ours is None:
            self.counted = self.counted or (self.begun and bool(usage))
            self._say(words_in(answer))
            if usage or isinstance(answer.get("choices"), list):
                yield usage
            return
        event = _choice(ours, first=not self.begun) | usage
        self.begun, self.counted = True, False
        self.finished = self.finished or bool(event["finish_reason"])
        yield event

    def _say(self, words: str) -> None:
        """Keep words, as far as they can be quoted."""
        if words and len(self.said) < MOST_WORDS:
            self.said.append(words)


def _choice(choice: dict[str, Any], *, first: bool) -> Event:
    """A choice of a chunk; also from a whole reply, or from a server that completes texts.

    Args:
        choice: As the server sent it.
        first: Whether nothing came before: at the end of a stream, a whole reply would say everything again.
    """
    whole = choice.get("message") if first else None
    delta = choice.get("delta") or whole or {"content": choice.get("text")}
    delta = delta if isinstance(delta, dict) else {"content": delta}
    return {
        "delta": {
            "content": _text(delta.get("content")) or _text(delta.get("refusal")),
            "tool_calls": delta.get("tool_calls"),
        },
        "finish_reason": str(choice.get("finish_reason") or ""),
    }


def _text(content: object) -> str:
    """A content as text: some servers send parts, and what the model thought as a part of its own."""
    if content is None or isinstance(content, bool):
        return ""
    if isinstance(content, list):
        return "".join(map(_text, content))
    if isinstance(content, dict):
        if "think" in str(content.get("type")) or "reason" in str(content.get("type")):
            return ""
        return next((_text(content[name]) for name in _PARTS if content.get(name)), "")
    return str(content)
