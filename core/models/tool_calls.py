"""Tool calls as they arrive: which part belongs to which call, though servers number and name them in their own ways.

By the OpenAI format, the parts of a call share an index, and the first one alone has an id and the name. There are
servers that give every call the index 0 or none, repeat the name in each part, leave out the ids, make up a new id for
each part, or send all calls at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.models.bounds import OutOfBounds
from core.models.wire import CallPart
from core.strict_json import read_json

MOST_CALLS = 100
"""Of one reply."""
MOST_CHARACTERS = 2**16
"""Of the names and arguments of all of them."""


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""

    def begins_anew(self, part: CallPart) -> bool:
        """Whether a part in the place of this call belongs to the next one."""
        if part.id and part.id == self.id:
            return False
        if part.id and self.id:
            # Some servers make up an id for each part, but then only the first has a name.
            return bool(part.name) or self._is_whole
        if part.name and self.name and part.name != self.name:
            return bool(self.arguments)  # without any yet, it may be the rest of the name
        return bool(part.name and part.arguments) and self._is_whole

    def add(self, part: CallPart) -> None:
        self.id = self.id or part.id
        self.name += "" if part.name == self.name else part.name
        self.arguments += part.arguments

    @property
    def _is_whole(self) -> bool:
        if not self.arguments.rstrip().endswith("}"):
            return False
        try:
            return isinstance(read_json(self.arguments), dict)
        except ValueError:
            return False


class ToolCalls:
    """The tool calls of one reply, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._open: dict[int, _Call] = {}
        """Index -> the call that has it now."""
        self._characters = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, parts: Sequence[CallPart]) -> None:
        """Add the parts that came in one event; each is of another call.

        Raises:
            OutOfBounds: There are more calls, or longer ones, than a model makes.
        """
        taken: list[_Call] = []
        for part in parts:
            call = self._call(part)
            if call is None or any(call is one for one in taken) or call.begins_anew(part):
                call = _Call()
                self._calls.append(call)
            if part.index is not None:
                self._open[part.index] = call
            call.add(part)
            taken.append(call)
            self._characters += len(part.name) + len(part.arguments)
            self._check()

    def _check(self) -> None:
        if len(self._calls) > MOST_CALLS:
            raise OutOfBounds(
                f"called more than {MOST_CALLS} tools at once, so the app hung up", _OTHER_MODEL
            )
        if self._characters > MOST_CHARACTERS:
            raise OutOfBounds(
                f"called tools with arguments of more than {MOST_CHARACTERS:,} characters, so the app hung up",
                _OTHER_MODEL,
            )

    def _call(self, part: CallPart) -> _Call | None:
        """The call that a part may go on with."""
        if part.index is not None:
            return self._open.get(part.index)
        same = (call for call in self._calls if part.id and call.id == part.id)
        return next(same, self._calls[-1] if self._calls else None)

    @property
    def text(self) -> str:
        """The calls in the form that a JSON schema would have given them."""
        calls = [{"tool": call.name, "arguments": call.arguments} for call in self._calls]
        return json.dumps({"calls": calls}, ensure_ascii=False)


_OTHER_MODEL = "Ask again, or choose another model."
