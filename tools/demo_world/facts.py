"""The facts of the world, which its documents, its graph and its questions agree with, and the names in it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from core.trace.passages import Frozen


class Said(Frozen):
    """A document that says it."""

    document: str
    """Name of its file."""
    quote: str
    """Its words, in which blanks may differ."""


class Fact(Frozen):
    """Something that is so, or that documents say is so."""

    id: str
    subject: str
    relation: str
    object: str
    quals: Mapping[str, str] = {}
    """What is said of it: when, where, as what."""
    status: Literal["", "outdated", "disputed"] = ""
    """Outdated: it was so once, and another fact is so now. Disputed: two documents differ."""
    against: str = ""
    """The fact that holds now, or that differs; empty: it is neither outdated nor disputed."""
    said: tuple[Said, ...] = Field(min_length=1)


class Named(Frozen):
    """A name, and how it is written in other languages; there empty: not needed."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    """What the documents call it besides."""
    ko: str = ""
    ja: str = ""
    zh: str = ""


def read_facts(world: Path) -> tuple[Fact, ...]:
    """All facts, in the order of the file."""
    lines = (world / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Fact.model_validate_json(line) for line in lines)


def read_names(world: Path) -> tuple[Named, ...]:
    """All names, in the order of the file."""
    data = tomllib.loads((world / "names.toml").read_text(encoding="utf-8"))
    return tuple(Named.model_validate(one) for one in data["names"])
