"""Reads a server's reply, event by event, in any of the dialects of the OpenAI API.

Servers differ: some send a whole JSON reply although a stream was asked for, events without anything of a reply (a
ping) or without a blank line between them, an error in other shapes than OpenAI's, a text as a list of parts, or
`[DONE]` without saying why the reply ends.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from core.models.server_words import complains, words_in
from core.strict_json import read_json
from core.trace.events import Usage

DONE = "[DONE]"
MOST_WORDS = 5
"""Events, or lines, without a reply whose words are passed on."""
_FIELDS = ("data", "event", "id", "retry", "")
"""Of an event; a comment has an empty one."""
_PARTS = ("text", "content", "value", "refusal")
"""Where a part of a list of parts has its text; what a model thought stands under other names, and is left out."""
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""Fields in which servers put a thought, beside the text."""


@dataclass(frozen=True)
class CallPart:
    """A part of a tool call as the endpoint sends it; see `core.models.receiver` for which call it belongs to."""

    index: int | None
    """Which of the reply's calls it says it belongs to; None: it does not say."""
    id: str
    name: str
    arguments: str
    """JSON, cut anywhere."""


@dataclass(frozen=True)
class Piece:
    """The part of a reply that one event of the stream adds."""

    text: str = ""
    finish: str = ""
    """Why the reply ends here, e.g. `stop` or `length`; empty: it goes on."""
    usage: Usage | None = None
    calls: tuple[CallPart, ...] = ()
    """Parts of tool calls."""
    thought: str = ""
    """Text that it adds to the thought, where the server keeps that apart."""
    known: int = 0
    """Tokens of the prompt that the server had read before; they come with `usage`."""


class ServerComplaint(Exception):
    """The server says in its reply that it failed; the text is its own."""


@dataclass
class ReplyEvents:
    """Reads the events of one reply, and what has come of it as far as its end hangs on it."""

    index: Any = 0
    """Of the choice that is read: one reply was asked for, and others would be mixed into it."""
    begun: bool = False
    finished: bool = False
    """True if the server said why the reply ends."""
    done: bool = False
    """True if it said that nothing more comes."""
    counted: bool = False
    """True if the tokens were counted after the reply, in an event of its own."""
    words: list[str] = field(default_factory=list)
    """Words that came without a reply; they count only where none follows."""

    def read(self, piece: bytes) -> Iterator[Piece]:
        """Read the next event of the reply (HTML standard, 9.2.6), or a reply that comes whole, as JSON.

        Raises:
            ServerComplaint: It is an error.
            ValueError: It is neither.
        """
        text = piece.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
        if text.startswith("<"):
            raise ValueError("a web page")
        if text.startswith(("{", "[")):
            self.done = True
            yield from self._answers(text)
            return
        fields: dict[str, list[str]] = {"data": [], "event": []}
        for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
            name, _, value = line.partition(":")
            if name in fields:
                fields[name].append(value.removeprefix(" "))
            elif name == "error":  # llama.cpp
                raise ServerComplaint(words_in(value) or value)
            elif name not in _FIELDS:
                self._say(line)
        yield from self._event("".join(fields["event"]).strip(), "\n".join(fields["data"]).strip())

    def end(self) -> Iterator[Piece]:
        """Read the end of the reply: why it ends, where only the server's `[DONE]` says so.

        Raises:
            ServerComplaint: Words came in place of a reply.
        """
        if self.finished:
            return
        if self.begun and (self.done or self.counted):
            yield Piece(finish="stop")
        elif self.words:
            raise ServerComplaint("; ".join(self.words))

    def _event(self, name: str, data: str) -> Iterator[Piece]:
        if data.startswith(DONE) or name == "done":
            self.done = True
        elif not data.startswith(("{", "[", '"')):
            if name == "error":
                raise ServerComplaint(data)
            self._say(data)
        elif name == "error":
            raise ServerComplaint(words_in(data))
        else:
            yield from self._answers(data)

    def _answers(self, text: str) -> Iterator[Piece]:
        """One answer of JSON, or one in each line."""
        try:
            answers = [read_json(text, finite=False)]
        except ValueError:
            lines = [line.strip() for line in text.split("\n")]
            answers = [read_json(line, finite=False) for line in lines if line and not line.startswith(DONE)]
            self.done = self.done or any(line.startswith(DONE) for line in lines)
        for answer in answers:
            yield from self._answer(answer)

    def _answer(self, answer: object) -> Iterator[Piece]:
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
        usage, known = None, 0
        if isinstance(counted, dict) and counted:
            details = counted.get("prompt_tokens_details")
            known = (_count(details, "cached_tokens") or 0) if isinstance(details, dict) else 0
            usage = Usage(input=_count(counted, "prompt_tokens"), output=_count(counted, "completion_tokens"))
        if ours is None:
            self.counted = self.counted or (self.begun and usage is not None)
            self._say(words_in(answer))
            if usage or isinstance(answer.get("choices"), list):
                yield Piece(usage=usage, known=known)
            return
        piece = replace(_piece(ours, usage, first=not self.begun), known=known)
        self.begun, self.counted = True, False
        self.finished = self.finished or bool(piece.finish)
        yield piece

    def _say(self, words: str) -> None:
        """Keep words, as far as they can be quoted."""
        if words and len(self.words) < MOST_WORDS:
            self.words.append(words)


def _piece(choice: dict[str, Any], usage: Usage | None, *, first: bool) -> Piece:
    """The piece in a choice of a chunk; also from a whole reply, or from a server that completes texts.

    `first`: nothing came before. At the end of a stream, a whole reply would say everything again.
    """
    whole = choice.get("message") if first else None
    delta = choice.get("delta") or whole or {"content": choice.get("text")}
    delta = delta if isinstance(delta, dict) else {"content": delta}
    calls = delta.get("tool_calls") or delta.get("function_call") or ()
    return Piece(
        _text(delta.get("content")) or _text(delta.get("refusal")),
        str(choice.get("finish_reason") or ""),
        usage,
        tuple(_part(call) for call in ([calls] if isinstance(calls, dict) else calls)),
        next((_text(delta[name]) or " " for name in _THOUGHTS if delta.get(name)), ""),
    )


def _count(counted: dict[str, Any], name: str) -> int | None:
    """A number of tokens; None: it is not said, or is none."""
    number = counted.get(name)
    return int(number) if isinstance(number, int | float) and 0 <= number < math.inf else None


def _part(call: dict[str, Any]) -> CallPart:
    function = call.get("function") or call
    index, name, arguments = call.get("index"), function.get("name"), function.get("arguments")
    if arguments is not None and not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return CallPart(
        index if isinstance(index, int) else None, str(call.get("id") or ""), str(name or ""), arguments or ""
    )


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
