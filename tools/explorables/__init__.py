"""Explorables: pictures of recorded runs with handles, one per lesson, that answer in the browser.

Each module here is named as the lesson that it belongs to. Its `make()` works out plain data from the gallery and the
demo world, which is kept in `data/explorables`, so that a page needs no model for it; its `computed()` says with the
engine's own functions what the script has to come to. The drawing is `explore_<module>`, or `explore_<drawing>` where
the data names one that several share. `python -m tools.explorables` makes the files anew.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from core.strategies.lessons import key_of

HELPERS = {"__main__", "chains", "forked", "graph_tools", "memory_graph", "recorded", "world"}
"""Modules here that are no explorable."""


class Explorable(NamedTuple):
    """The functions that make and check an explorable."""

    make: Callable[[], dict[str, Any]]
    """Its data, anew; may embed texts, so it takes seconds."""
    computed: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
    """(data, values of its handles) -> what the script's `compute` has to agree with, worked out by the engine."""


def stems() -> list[str]:
    """Names of all explorables, which are those of their lessons' files, e.g. `rag_fusion`."""
    return sorted(one.name for one in pkgutil.iter_modules(__path__) if one.name not in HELPERS)


def explorable(stem: str) -> Explorable:
    """The functions of an explorable; its data is told by the key of its lesson, which the address names."""
    module = import_module(f"{__name__}.{stem}")
    return Explorable(lambda: {"key": key_of(stem)} | module.make(), module.computed)


def to_text(data: Mapping[str, Any]) -> str:
    """Data as its file holds it; the same data is always the same text."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
