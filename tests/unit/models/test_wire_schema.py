"""The schema of a reply as it goes over the wire."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from core.models.wire_schema import wire_schema


class Leaf(BaseModel):
    """A docstring."""

    title: str
    """Of the leaf."""


class Other(BaseModel):
    """Another docstring."""

    title: str


class Branch(BaseModel):
    """A docstring."""

    leaves: list[Leaf]
    within: Branch | None = None
    description: Annotated[str, Field(description="In one word.", max_length=9)]


def test_neither_names_nor_docstrings_of_classes_go_over_the_wire() -> None:
    assert wire_schema(Leaf) == wire_schema(Other)
    sent = json.dumps(wire_schema(Branch))
    for name in ("Leaf", "Branch", "docstring", "Title"):
        assert name not in sent


def test_fields_bounds_and_what_is_described_on_purpose_stay() -> None:
    def branch(schema: dict[str, Any]) -> dict[str, Any]:
        return schema["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema

    schema = wire_schema(Branch)
    fields = branch(schema)["properties"]
    assert fields["description"] == {"type": "string", "description": "In one word.", "maxLength": 9}
    assert set(schema["$defs"]) == {"part_1", "part_2"}
    leaf = schema["$defs"][fields["leaves"]["items"]["$ref"].rsplit("/", 1)[1]]
    assert leaf == {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


@pytest.mark.parametrize("form", [Leaf, Branch])
def test_it_takes_the_replies_that_the_class_takes(form: type[BaseModel]) -> None:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(wire_schema(form))
    reply = {"title": "a", "leaves": [{"title": "b"}], "description": "c"}
    assert validator.is_valid(reply)
    assert not validator.is_valid({"leaves": 1})
