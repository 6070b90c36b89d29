"""The strategies: every module of this package that holds a `STRATEGY` is one, and other packages add theirs."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from core.errors import InputError
from core.plugins import load
from core.strategies.base import BASELINE, AnyStrategy, Strategy
from core.trace.events import RunStarted


def modules() -> list[ModuleType]:
    """Every module of this package, strategies and what they share, and those with strategies of other packages."""
    names = [f"{__name__}.{name}" for name in sorted(_names())]
    names += [strategy.params.__module__ for strategy in added().values()]
    return [importlib.import_module(name) for name in names]


@cache
def strategies() -> dict[str, AnyStrategy]:
    """Every strategy by its key, in teaching order."""
    every = [*_own().values(), *added().values()]
    return {
        strategy.key: strategy for strategy in sorted(every, key=lambda entry: (entry.order, entry.title))
    }


@cache
def added() -> dict[str, AnyStrategy]:
    """The strategies of other packages, by their keys: see docs/plugins.md."""
    return load("rag_loupe.strategies", Strategy, _own(), lambda strategy: strategy.key)


@cache
def _own() -> dict[str, AnyStrategy]:
    """The strategies of this package by their keys."""
    loaded = (importlib.import_module(f"{__name__}.{name}") for name in sorted(_names()))
    every = (getattr(module, "STRATEGY", None) for module in loaded)
    return {strategy.key: strategy for strategy in every if isinstance(strategy, Strategy)}


def node_titles(started: RunStarted | None) -> dict[str, str]:
    """Node -> title in the graph of a run; empty: it has not begun, or this version has no such strategy."""
    strategy = strategies().get(started.strategy) if started else None
    return strategy.diagram(started.params).nodes if strategy and started else {}


def get_strategy(key: str) -> AnyStrategy:
    """The strategy of that key.

    Raises:
        InputError: There is none; the sentence names those there are.
    """
    strategy = _at_home(key) or strategies().get(key)
    if strategy is None:
        raise InputError(f"There is no strategy '{key}'. Choose one of: {', '.join(strategies())}.")
    return strategy


def is_baseline(key: str, params: Mapping[str, Any]) -> bool:
    """True if a strategy with these parameters is the baseline: plain retrieval of however many passages, with nothing
    else set."""
    if key != BASELINE or not params.keys() - {"k"}:
        return key == BASELINE
    strategy = get_strategy(key)
    return bool(strategy.parse({**params, "k": 1}) == strategy.parse({"k": 1}))


@cache
def _names() -> frozenset[str]:
    """The names of the modules in this package. Kept, since reading the folder takes longer than everything else."""
    return frozenset(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg)


def _at_home(key: str) -> AnyStrategy | None:
    """The strategy in the module that is named like it: the others need not be imported for it."""
    name = key.replace("-", "_")
    if name not in _names():
        return None
    strategy = getattr(importlib.import_module(f"{__name__}.{name}"), "STRATEGY", None)
    return strategy if isinstance(strategy, Strategy) and strategy.key == key else None
