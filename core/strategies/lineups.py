"""Line-ups: settings worth seeing side by side. Which strategies take part, and how they are set there, their lessons
say (`Place`); `lineups.toml` says in which order the pages offer them, and with which questions."""

from __future__ import annotations

import tomllib
from importlib import resources

from core.strategies import strategies
from core.strategies.lessons import Place, lesson

_LISTED = tomllib.loads((resources.files("core.strategies") / "lineups.toml").read_text(encoding="utf-8"))
COMPARED: tuple[str, ...] = tuple(_LISTED["compared"])
QUESTIONS: dict[str, str] = _LISTED["questions"]
EVALUATED: dict[str, str] = _LISTED["evaluated"]
LEAST = 2


def lineups() -> dict[str, list[tuple[str, Place]]]:
    """Name -> keys of the strategies that take part, each with how it is set; those of fewer than two are left out."""
    by_name: dict[str, list[tuple[int, str, Place]]] = {}
    for strategy in strategies().values():
        for place in lesson(strategy.key).lineups:
            order = strategy.order if place.order is None else place.order
            by_name.setdefault(place.name, []).append((order, strategy.key, place))
    return {
        name: [(key, place) for _, key, place in sorted(members, key=lambda member: member[0])]
        for name, members in by_name.items()
        if len(members) >= LEAST
    }
