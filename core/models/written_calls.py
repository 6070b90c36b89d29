"""Tool calls that stand in the text of a reply.

A server turns the calls of those models into calls of the API whose marks it knows. Of other models they stay in the
text: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, `[TOOL_CALLS][{…}]`, `<function=search>{…}</function>`,
`[search(query="…")]`, `<parameter=query>…</parameter>` and so on. What all have in common is looked for, not the marks:
the name of a tool that was offered, and its arguments within the same object or right behind.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from core.models.structured_replies import UNREADABLE, python_expression, unpacked, whole_values

_BETWEEN = 80
"""Characters between a name and its arguments: marks, a fence, “Action Input:”."""
_LONGEST_CALL, _MOST_CALLS = 4_000, 50
"""Characters of a call whose name stands in front, and number of those that are read."""
_TRIES = 20
"""Brackets that may end the arguments of a call."""


def written_calls(text: str, tools: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls in a reply's text, each with the name of its `tool` and its `arguments`; empty: there are none.

    The tools are those that were offered, as the OpenAI API describes functions.
    """
    parameters = {
        tool["function"]["name"]: list(tool["function"].get("parameters", {}).get("properties", {}))
        for tool in tools
    }
    try:
        calls = [call for value in whole_values(text) for call in _in_value(value.value, parameters)]
    except RecursionError:  # nested too deep to be a call
        return []
    return calls or list(_behind_names(text, parameters))


def _in_value(value: object, tools: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """The calls in an object that names a tool and holds its arguments, or in those that lie within it."""
    if isinstance(value, list):
        for item in value:
            yield from _in_value(item, tools)
    elif isinstance(value, dict):
        inner = {key: unpacked(item) for key, item in value.items()}
        name = next((item for item in inner.values() if isinstance(item, str) and item in tools), "")
        if name:
            beside = {key: item for key, item in inner.items() if key in tools[name]}
            yield _call(name, next((item for item in inner.values() if isinstance(item, dict)), beside))
            return
        for key, item in inner.items():
            if key in tools and isinstance(item, dict):
                yield _call(key, item)
            else:
                yield from _in_value(item, tools)


def _behind_names(text: str, tools: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """The calls whose arguments stand behind the name: as JSON, in brackets or in tags."""
    named = re.finditer(rf"(?<!\w)(?:{'|'.join(map(re.escape, tools))})(?!\w)", text) if tools else ()
    names = list(islice(named, _MOST_CALLS))
    for place, name in enumerate(names):
        end = names[place + 1].start() if place + 1 < len(names) else len(text)
        behind = text[name.end() : end][:_LONGEST_CALL]
        arguments = (
            _as_json(behind) or _in_brackets(behind, tools[name[0]]) or _in_tags(behind, tools[name[0]])
        )
        if arguments is not None:
            yield _call(name[0], arguments)


def _as_json(behind: str) -> dict[str, Any] | None:
    first = next(iter(whole_values(behind)), None)
    return first.value if first and first.start <= _BETWEEN and isinstance(first.value, dict) else None


def _in_brackets(behind: str, parameters: Sequence[str]) -> dict[str, Any] | None:
    """Arguments as Python writes them: `(query="lock", 3)`."""
    for closing in islice(re.finditer(r"\)", behind), _TRIES) if behind.startswith("(") else ():
        try:
            call = python_expression(f"call{behind[: closing.end()]}")
            if isinstance(call, ast.Call):
                given = dict(zip(parameters, map(ast.literal_eval, call.args), strict=False))
                return given | {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
        except UNREADABLE:
            continue
    return None


def _in_tags(behind: str, parameters: Sequence[str]) -> dict[str, Any] | None:
    """Arguments each behind a tag that names it: up to the next tag that closes."""
    found = {}
    for parameter in parameters:
        named = rf"[<>=\"\s]{re.escape(parameter)}(?:\"?>|</[^<>]*>)(?:\s*<[^<>/]*>)*([^<]*)</"
        if value := re.search(named, behind):
            found[parameter] = unpacked(value[1].strip())
    return found or None


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"tool": name, "arguments": arguments}
