"""A strategy's picture: the one drawing in which all that it did is seen, the same on every page and in reports."""

from __future__ import annotations

from dataclasses import replace

from core.cards.kind import Picture, Scene
from core.cards.kinds import KINDS
from core.cards.kinds.route import WAYS
from core.strategies import strategies
from core.trace.artefacts import Route


def picture(scene: Scene) -> Picture | None:
    """The picture of a run as far as it is; None: there is nothing to draw yet, or its strategy has none.

    Of a strategy that sends its question a way, it is the picture of that way, if this has one.
    """
    started = scene.record.started
    own = _picture_of(started.strategy, scene) if started else None
    for route in scene.record.find(Route)[-1:]:
        taken = next((way.strategy for way in route.ways if way.way == route.way), "")
        if below := _picture_of(taken, scene):
            title = f"{WAYS[route.way][0]}: {below.title[0].lower()}{below.title[1:]}"
            return replace(below, title=title)
    return own


def _picture_of(strategy: str, scene: Scene) -> Picture | None:
    known = strategies().get(strategy)
    kind = KINDS.get(known.picture) if known else None
    made = kind.picture(scene) if kind and kind.picture else None
    return replace(made, icon=kind.icon, kind=kind.key) if kind and made else None
