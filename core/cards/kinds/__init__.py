"""Every kind of artefact, found by its module: each lists in `KINDS` what it describes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from core.cards.kind import Kind
from core.trace.artefacts.base import added_kinds

_OWN = {
    kind.key: kind
    for module in iter_modules(__path__)
    for kind in import_module(f"{__name__}.{module.name}").KINDS
}
KINDS: Mapping[str, Kind[Any]] = {**_OWN, **added_kinds()}
"""Kind of artefact -> everything about showing it; those of other packages come last."""
