"""A valid instance of a JSON schema, made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FORMATS = {"date": "2024-01-31", "date-time": "2024-01-31T12:00:00Z", "uri": "https://example.org/a"}


def instance(schema: dict[str, Any], text: Callable[[int], str], length: int, index: int = 0) -> Any:
    """An instance of any schema that pydantic writes; a `pattern` is not obeyed.

    Args:
        schema: With its `$defs`.
        text: Gives the index-th made-up string.
        length: Items of an array, as far as its bounds allow.
        index: Number of this instance among its siblings, so that they differ.
    """
    return _Inventor(schema.get("$defs", {}), text, length).make(schema, index)


class _Inventor:
    def __init__(self, definitions: dict[str, Any], text: Callable[[int], str], length: int) -> None:
        self._definitions, self._text, self._length = definitions, text, length

    def make(self, schema: dict[str, Any], index: int) -> Any:
        if "$ref" in schema:
            return self.make(self._definitions[schema["$ref"].rsplit("/", 1)[-1]], index)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in schema:
                return self.make(schema[choice][0], index)
        match schema.get("type"):
            case "object":
                return {name: self.make(part, index) for name, part in schema.get("properties", {}).items()}
            case "array":
                return self._array(schema)
            case "string":
                return self._string(schema, index)
            case "integer":
                return _number(schema, 1)
            case "number":
                return _number(schema, 0.5)
            case "boolean":
                return True
            case _:
                return None

    def _array(self, schema: dict[str, Any]) -> list[Any]:
        if "prefixItems" in schema:
            return [self.make(part, i) for i, part in enumerate(schema["prefixItems"])]
        count = min(max(self._length, schema.get("minItems", 0)), schema.get("maxItems", self._length + 99))
        return [self.make(schema.get("items", {"type": "string"}), i) for i in range(count)]

    def _string(self, schema: dict[str, Any], index: int) -> str:
        made = FORMATS.get(schema.get("format", "")) or self._text(index)
        return made.ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength")]


def _number(schema: dict[str, Any], step: float) -> float:
    """The lowest value allowed, or the highest, or 1."""
    if "minimum" in schema:
        return float(schema["minimum"]) if step < 1 else int(schema["minimum"])
    if "exclusiveMinimum" in schema:
        return type(step)(schema["exclusiveMinimum"] + step)
    if "exclusiveMaximum" in schema:
        return type(step)(min(1, schema["exclusiveMaximum"] - step))
    return type(step)(min(1, schema.get("maximum", 1)))
