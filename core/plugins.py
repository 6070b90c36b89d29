"""Objects that other packages add to this app by their entry points (`importlib.metadata`): see docs/plugins.md."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

NOUNS = {
    "rag_loupe.strategies": "strategy",
    "rag_loupe.kinds": "kind of artefact",
    "rag_loupe.loaders": "loader",
    "rag_loupe.retrievers": "retriever",
}
"""Group of entry points -> what each object in it is called."""

MOST_REASON = 300
"""Characters that are told of an error in another package."""

log = logging.getLogger(__name__)
_problems: dict[str, tuple[str, ...]] = {}


def load(
    group: str,
    wanted: type[T],
    taken: Collection[str] = (),
    key: Callable[[T], str] | None = None,
) -> dict[str, T]:
    """Load the objects that installed packages name in a group of entry points, by their keys; callers keep them.

    One that cannot be imported, is of another type or has a key that is taken is left out with a sentence, which is
    logged and given by `problems`.

    Args:
        group: One of `NOUNS`.
        wanted: Type of the objects; `collections.abc.Callable` for functions.
        taken: Keys that this app has itself.
        key: The key of an object; None: the name of its entry point.
    """
    objects: dict[str, T] = {}
    left_out: list[str] = []
    for point in sorted(_installed().select(group=group), key=lambda point: (point.name, point.value)):
        try:
            plugin = point.load()
            if not isinstance(plugin, wanted):
                raise TypeError(f"it is of type {type(plugin).__name__}, not {wanted.__name__}")
            name = key(plugin) if key else point.name
            if name in taken or name in objects:
                raise ValueError(f"the key '{name}' is taken")
            objects[name] = plugin
        except (Exception, SystemExit) as error:  # code of other people may fail in any way
            package = f" of the package '{point.dist.name}'" if point.dist else ""
            message = (
                str(error) if type(error) in (TypeError, ValueError) else f"{type(error).__name__}: {error}"
            )
            reason = " ".join(message.split())[:MOST_REASON].rstrip(".")
            left_out.append(f"The {NOUNS[group]} '{point.name}'{package} is left out: {reason}.")
            log.warning(left_out[-1])
    _problems[group] = tuple(left_out)
    return objects


@cache
def _installed() -> Any:
    """All entry points, which `select(group=…)` narrows; kept, since each look takes some milliseconds."""
    from importlib.metadata import entry_points

    return entry_points()


def problems() -> list[str]:
    """A sentence for each object that was left out of a group that has been loaded so far."""
    return [sentence for sentences in _problems.values() for sentence in sentences]
