"""The base of all artefacts, and the kinds that other packages add, by entry points: see docs/plugins.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from core.plugins import load
from core.trace.passages import Frozen


class Artefact(Frozen):
    """The fields that all artefacts share."""

    channel: ClassVar[str | None] = None
    """State channel that an edited artefact replaces; None: not editable."""

    skill: str = ""
    """Key of the skill that made it; empty: no model task was involved."""
    method: str = ""
    """Which of the skill's methods was used."""
    note: str = ""
    """One sentence a user should read with it: a weak method, a fallback, a limit."""


@cache
def added_kinds() -> Mapping[str, Any]:
    """Key -> `core.cards.kind.Kind` of each kind of another package; its `artefact` is the class."""
    return load("rag_loupe.kinds", object, frozenset(_own(Artefact)), _key)


class OrAdded:
    """Marks a union of kinds that takes those of other packages as well; the published schema does not name them."""

    def __get_pydantic_core_schema__(self, own: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        # The kinds of this app are tried first, so that reading them takes no longer.
        added = core_schema.no_info_plain_validator_function(_added)
        return core_schema.union_schema([handler(own), added], mode="left_to_right")

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> Any:
        return handler(schema["choices"][0])


def _added(value: Any) -> Artefact:
    """Validate an artefact of another package."""
    kind = str(value.get("kind") if isinstance(value, dict) else getattr(value, "kind", ""))
    if kind not in added_kinds():
        raise ValueError(f"there is no kind of artefact '{kind[:40]}'")
    artefact: Artefact = added_kinds()[kind].artefact.model_validate(value)
    return artefact


def _own(family: type[Artefact]) -> Iterator[str]:
    """The keys of this app's kinds."""
    for artefact in family.__subclasses__():
        if artefact.__module__.startswith("core.") and (field := artefact.model_fields.get("kind")):
            yield field.default
        yield from _own(artefact)


def _key(kind: Any) -> str:
    """The key of a kind, which its class has as well."""
    artefact, key = getattr(kind, "artefact", None), getattr(kind, "key", "")
    if not (isinstance(artefact, type) and issubclass(artefact, Artefact)):
        raise TypeError("its `artefact` is no class of artefacts")
    if artefact.model_fields["kind"].default != key:
        raise ValueError(f"its key is '{key}', and that of its class is another one")
    return str(key)
