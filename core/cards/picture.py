"""A strategy's picture: the one drawing in which all that it did is seen, the same on every page and in reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.cards.groups import rows
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.kinds.chain import links, reading_links
from core.cards.kinds.decisions import READING_GOALS, goals
from core.cards.kinds.exploration import READING_WAYS, ways
from core.cards.kinds.fusion import READING_FLOW, READING_LISTS, fusion_flow, lists_flow, lists_found
from core.cards.kinds.hypothetical import READING_MOVES, rankings_of
from core.cards.kinds.route import WAYS
from core.cards.kinds.thought import ladder, reading_ladder
from core.cards.kinds.union import pool, pooled, reading_pool
from core.cards.parts import Aid, Drawing, Part
from core.cards.reranking import rank_changes
from core.cards.turns import READING as READING_TURNS
from core.cards.turns import READING_ONCE, turns
from core.trace.artefacts import (
    Artefact,
    Fusion,
    Grade,
    HypotheticalDocuments,
    Ranking,
    Refinement,
    Route,
    Walk,
)


@dataclass(frozen=True)
class Picture:
    """The centre of a run."""

    title: str
    icon: str
    """A name of Material Symbols."""
    kind: str
    """Key of the kind of artefact in whose card it stands; empty: it has a place of its own."""
    parts: tuple[Part, ...]
    """How to read it, and the drawing."""


Drawn = Callable[[Scene], Picture | None]


def picture(scene: Scene) -> Picture | None:
    """The picture of a run as far as it is; None: there is nothing to draw yet, or its strategy has none."""
    return next((made for draw in PICTURES if (made := draw(scene))), None)


def _fusion(scene: Scene) -> Picture | None:
    if made := scene.record.find(Fusion):
        return _picture(
            "Ranked lists into one",
            "fusion",
            READING_FLOW,
            fusion_flow(made[-1], stars=scene.stars),
            "fusion_flow",
        )
    if found := lists_found(scene.record):
        return _picture(
            "Ranked lists", "fusion", READING_LISTS, lists_flow(found, scene.stars), "fusion_flow"
        )
    return None


def _pool(scene: Scene) -> Picture | None:
    made = pooled(scene.record)
    if made is None:
        return None
    return _picture("The pool", "union", reading_pool(scene.record), pool(made, scene), "pool")


def _links(scene: Scene) -> Picture | None:
    data = links(scene)
    if not data:
        return None
    how = reading_links(scene.record)
    return _picture(
        "The chain of sub-questions", "sub_questions", how, data | {"colour": scene.colour}, "links"
    )


def _goals(scene: Scene) -> Picture | None:
    data = goals(scene)
    if not data:
        return None
    return _picture("The tree of goals", "tool_call", READING_GOALS, data | {"colour": scene.colour}, "goals")


def _ways(scene: Scene) -> Picture | None:
    data = ways(scene.record)
    if not data:
        return None
    return _picture(
        "The walk through the graph", "plan", READING_WAYS, data | {"colour": scene.colour}, "ways"
    )


def _hyde(scene: Scene) -> Picture | None:
    """The finds of the hypothetical passages beside those of the question; the map needs vectors, and is drawn
    by the page alone."""
    for written in scene.record.find(HypotheticalDocuments)[-1:]:
        found, beside = rankings_of(written, scene.record.find(Ranking))
        if found and beside and written.texts:
            data = asdict(rank_changes(beside, found, scene.stars)) | {
                "titles": ("Question alone", "HyDE"),
                "colour": scene.colour,
            }
            return _picture(
                "What the hypothetical passages changed", "passages", READING_MOVES, data, "moves"
            )
    return None


def _ladder(scene: Scene) -> Picture | None:
    data = ladder(scene)
    if not data:
        return None
    how = reading_ladder(scene.record)
    return _picture("Thoughts and searches", "thought", how, data | {"colour": scene.colour}, "turns")


def _route(scene: Scene) -> Picture | None:
    """The way that was taken, and the picture of the strategy that it is; of one search or none the ways alone."""
    routes = scene.record.find(Route)
    if not routes:
        return None
    below = next((made for draw in PICTURES if draw is not _route and (made := draw(scene))), None)
    if below is None:
        return _card("The ways it could take", Route)(scene)
    return replace(below, title=f"{WAYS[routes[-1].way][0]}: {below.title[0].lower()}{below.title[1:]}")


def _turns(scene: Scene) -> Picture | None:
    data = turns(scene)
    if not data:
        return None
    once = scene.record.find(Refinement) or any(grade.what == "Holds" for grade in scene.record.find(Grade))
    title, how = ("The search and its correction", READING_ONCE) if once else ("The loop", READING_TURNS)
    return _picture(title, "grade", how, data | {"colour": scene.colour}, "turns")


def _card(title: str, kind: type[Artefact]) -> Drawn:
    """The drawing of a card that is already about the whole run."""

    def draw(scene: Scene) -> Picture | None:
        for row in rows(scene) if scene.record.find(kind) else ():
            for shown in row.shown:
                if any(isinstance(item.artefact, kind) for item in shown.items[:1]):
                    drawn = _drawn(shown.card.parts)
                    return Picture(title, shown.card.icon, shown.card.kind, drawn) if drawn else None
        return None

    return draw


def _drawn(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The first drawing of a card and how to read it; empty: nothing is drawn yet."""
    found = next((part for part in parts if isinstance(part, Drawing)), None)
    aids = [part for part in parts if isinstance(part, Aid)]
    return (*aids[:1], found) if found else ()


def _picture(title: str, kind: str, reading: str, data: dict[str, Any], drawing: str) -> Picture:
    return Picture(title, KINDS[kind].icon, kind, (Aid(reading), Drawing(drawing, data, "picture")))


PICTURES: tuple[Drawn, ...] = (
    _route,
    _goals,
    _ways,
    _hyde,
    _fusion,
    _pool,
    _links,
    _card("The walk along mentions", Walk),
    _ladder,
    _turns,
)
"""The first that a run has something for is its picture: those that are about the whole of a strategy come first."""
