"""The way that a question took, beside those that it did not take, and what they would have cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from core.cards.kind import ChoiceField, Edit, Gist, Kind, Scene, card_picture, edited, provenance
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Card, Drawing
from core.runs.record import Record
from core.strategies import strategies
from core.trace.artefacts import Route, Way, WayName
from core.wording import counted, shortened

WAYS: dict[WayName, tuple[str, str]] = {
    "no-search": ("No search", "The model answers from memory."),
    "one-search": ("One search", "With the question as it is."),
    "several-searches": ("Several searches", "What one finds tells what the next looks for."),
}
"""Way -> what it is called, and what it is."""
LINEUP = "Adaptive against its ways"
READING = (
    "The filled way was taken. Below each stands what it costs in model calls, as a rule and at most, the router's own "
    "call left out."
)
FINDING = f" What each of them finds is shown by Compare, with the line-up “{LINEUP}”."
VOTING = (
    " Then the labelled questions nearest to this one that took it: each has a vote, and a cosine of 1 would be the "
    "question itself."
)


def route_data(artefact: Route) -> dict[str, Any]:
    """The ways in their order, with costs and votes, for the drawing."""
    costs = {way.way: way for way in artefact.ways}
    return {
        "voted": bool(artefact.votes),
        "ways": [
            {
                "name": name,
                "about": about,
                "taken": way == artefact.way,
                "strategy": _title(costs[way]) if way in costs else "",
                "cost": _cost(costs[way]) if way in costs else "",
                "votes": [
                    {"question": vote.question, "cosine": f"{vote.cosine:.2f}"}
                    for vote in artefact.votes
                    if vote.way == way
                ],
            }
            for way, (name, about) in WAYS.items()
        ],
    }


def _title(way: Way) -> str:
    known = strategies().get(way.strategy)
    return known.title if known else way.strategy


def _cost(way: Way) -> str:
    """Calls and rounds of a way in words."""
    if not way.calls_most:
        return "no model call"
    if not way.calls:
        return f"at most {counted(way.calls_most, 'call')}"
    most = f", at most {way.calls_most}" if way.calls_most > way.calls else ""
    waits = f" in {way.rounds} rounds" if way.rounds > 1 else ""
    return f"{counted(way.calls, 'call')}{waits}{most}"


def card(artefact: Route, scene: Scene) -> Card:
    """All ways side by side."""
    data = route_data(artefact) | {"colour": scene.colour, "reason": artefact.reason}
    aid = Aid(READING + (VOTING if artefact.votes else "") + FINDING)
    return Card((aid, Drawing("route", data), *provenance(artefact)), WAYS[artefact.way][0].lower())


def _choice(artefact: Route) -> tuple[ChoiceField]:
    return (ChoiceField("edit-way", "The way", list(get_args(WayName)), artefact.way),)


def _gist(record: Record) -> str:
    route = record.find(Route)[-1]
    return f"Taken: {WAYS[route.way][0].lower()}"


def with_way(artefact: Route, way: WayName | None) -> Route:
    """Another way; why the router chose as it did is no reason for it. None or the same one: the route as it is."""
    return artefact if way in (None, artefact.way) else edited(artefact, way=way, reason="")


def _sentence(routes: Sequence[Route], scene: SceneContext) -> str:
    route = routes[-1]
    way = WAYS[route.way][0].lower()
    votes = sum(vote.way == route.way for vote in route.votes)
    if route.votes:
        return f"The way taken is “{way}”: {votes} of the {len(route.votes)} questions most like it took it."
    return f"The way taken is “{way}”{f': {shortened(route.reason, 110)}' if route.reason else '.'}"


KINDS = (
    Kind(
        key="route",
        title="Route",
        icon="fork_right",
        gist=Gist(15, _gist),
        card=card,
        edit=Edit(
            _choice,
            lambda artefact, values: with_way(artefact, values[0]),
            lambda artefact: [f"The way: {artefact.way}"],
        ),
        sentence=Sentence(100, _sentence),
        picture=card_picture("The ways it could take", Route, card),
    ),
)
