"""A run whose question takes one search, while its neighbours do not agree."""

from __future__ import annotations

from core.trace.artefacts import Route, RouteVote, Way
from core.trace.events import Event
from tests.examples.parts import CONTEXT, ranking
from tests.examples.runs import answering
from tests.examples.script import Script

ROUTE = Route(
    way="one-search",
    reason="2 of the 3 nearest labelled questions took this way.",
    ways=(
        Way(way="no-search", strategy="closed-book", rounds=1, calls=1, calls_most=1),
        Way(way="one-search", strategy="plain", rounds=1, calls=1, calls_most=1),
        Way(way="several-searches", strategy="ircot", rounds=4, calls=4, calls_most=7),
    ),
    votes=(
        RouteVote(question="Who directed the film <b>Salt Roads</b>?", way="one-search", cosine=0.81),
        RouteVote(question="What nationality is its director's mother?", way="several-searches", cosine=0.62),
        RouteVote(question="Who plays the detective in Salt Roads?", way="one-search", cosine=0.6),
    ),
    skill="route",
    method="nearest",
)


def adaptive(run: str = "") -> list[Event]:
    """A finished run of Adaptive RAG."""
    script = Script()
    script.start("adaptive", run=run)
    script.step("s-route", "route", 0)
    script.make("s-route", ROUTE)
    script.done("s-route")
    script.step("s-once", "search_once", 1, "s-route")
    script.make("s-once", ranking(0))
    script.make("s-once", CONTEXT)
    script.done("s-once")
    answering(script, 2, "s-once")
    return script.events
