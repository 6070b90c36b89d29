"""The JSON Schema of a reply, as it goes over the wire: its fields and their bounds, and nothing of the code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

_REF = "#/$defs/"


@lru_cache(maxsize=256)
def wire_schema(form: type[BaseModel]) -> dict[str, Any]:
    """The schema of a reply without titles, docstrings and class names, so that a class can be renamed and described
    anew without changing a request, or the key of a recorded reply.

    What is described on purpose, with `Field(description=…)`, stays. Classes that a schema refers to are called
    `part_1`, `part_2` and so on, in the order in which it first refers to them. It is shared: do not change it.
    """
    whole = form.model_json_schema()
    definitions: dict[str, Any] = whole.pop("$defs", {})
    names: dict[str, str] = {}
    wired: dict[str, Any] = _wired(whole, names)
    parts: dict[str, Any] = {}
    while len(parts) < len(names):
        known = next(name for name, part in names.items() if part not in parts)
        parts[names[known]] = _wired(definitions[known], names)
    return wired | ({"$defs": parts} if parts else {})


def _wired(node: Any, names: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_wired(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    wired: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            # By name: a property may be called like a keyword.
            wired[key] = {name: _wired(field, names) for name, field in value.items()}
        elif key == "$ref":
            name = value.removeprefix(_REF)
            wired[key] = _REF + names.setdefault(name, f"part_{len(names) + 1}")
        elif key != "title" and not (key == "description" and "properties" in node):
            wired[key] = _wired(value, names)
    return wired
