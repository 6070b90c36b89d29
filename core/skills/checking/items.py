"""The items of the check, read from `items.toml`, where they are explained."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from core.trace.passages import Frozen, Passage, chunk_id


class Text(Frozen):
    """A passage as the file has it."""

    title: str
    text: str


class Item(Frozen):
    """One thing that the model is asked, and what is right; which fields count depends on the probe."""

    question: str = ""
    passages: tuple[str, ...] = ()
    """Keys of the passages, in the order in which they are given."""
    answer: str = ""
    """An answer that is judged, or what a right one holds."""
    verdict: Literal["yes", "no", ""] = ""
    names: tuple[str, ...] = ()
    """What must stand in the reply."""
    without: tuple[str, ...] = ()
    """What must not."""
    apart: bool = False
    """Whether each name must stand in a part of its own."""
    single: bool = False
    """Whether the question must stay whole."""
    tool: str = ""
    argument: str = ""
    """What must stand in one of the tool's arguments."""
    cites: str = ""
    """Key of the passage that must be cited."""
    declines: bool = False
    """Whether the passages hold no answer, which must be said."""


class Probe(Frozen):
    """Items that show one ability."""

    key: str
    does: str
    """What the model can do where it passes: “It can …”."""
    need: int = Field(ge=1)
    """Items that must be right."""
    skills: tuple[str, ...] = Field(min_length=1)
    """Keys of the skills that the model then does by its own method."""
    items: tuple[Item, ...] = Field(min_length=1)


class Tool(Frozen):
    """A function that can be called."""

    name: str
    description: str
    arguments: dict[str, str]
    """Name -> description; all of them texts."""

    @property
    def described(self) -> dict[str, Any]:
        """As the OpenAI API describes functions."""
        properties = {name: {"type": "string", "description": text} for name, text in self.arguments.items()}
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}


class Items(Frozen):
    """The whole file."""

    version: int
    passages: dict[str, Text]
    probes: tuple[Probe, ...]
    tools: tuple[Tool, ...]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        skills = [skill for probe in self.probes for skill in probe.skills]
        if len(set(skills)) != len(skills):
            raise ValueError("two probes decide the same skill")
        for probe in self.probes:
            if probe.need > len(probe.items):
                raise ValueError(f"{probe.key} needs more than it has")
            if unknown := {key for item in probe.items for key in item.passages} - set(self.passages):
                raise ValueError(f"{probe.key} names passages that are not there: {unknown}")
        return self

    @property
    def calls(self) -> int:
        """Model calls that the check takes, unless a reply has to be asked for again."""
        return sum(len(probe.items) for probe in self.probes)

    def passage(self, key: str) -> Passage:
        """A passage as skills read it."""
        found = self.passages[key]
        document = f"check-{key}"
        return Passage(
            chunk=chunk_id(document, 0),
            document=document,
            title=found.title,
            text=found.text,
            position=0,
            start=0,
            end=len(found.text),
        )


@cache
def items() -> Items:
    """The items that come with the app."""
    return Items.model_validate(
        tomllib.loads((resources.files(__package__) / "items.toml").read_text(encoding="utf-8"))
    )
