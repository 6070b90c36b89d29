"""Kinds of artefacts that other packages add, by entry points: see docs/plugins.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import ValidatorFunctionWrapHandler

from core.plugins import load
from core.trace.artefacts.base import Artefact


@cache
def added_kinds() -> Mapping[str, Any]:
    """Key -> `core.cards.kind.Kind` of each kind of another package; its `artefact` is the class."""
    return load("rag_loupe.kinds", object, frozenset(_own(Artefact)), _key).objects


def or_added(value: Any, own: ValidatorFunctionWrapHandler) -> Any:
    """Validate an artefact as one of this app, or else as one of another package."""
    try:
        return own(value)
    except ValueError:
        kind = str(value.get("kind") if isinstance(value, dict) else getattr(value, "kind", ""))
        if kind not in added_kinds():
            raise
        return added_kinds()[kind].artefact.model_validate(value)


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
