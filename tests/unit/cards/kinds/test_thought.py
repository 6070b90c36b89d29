"""Chains of thoughts as a ladder: what each rung searched, what that brought, and how it ends."""

from __future__ import annotations

from typing import Any

from core.cards.kind import Scene
from core.cards.kinds.thought import READING_SEARCHES, READING_THOUGHTS, ladder
from core.cards.parts import Aid
from core.cards.stage import picture
from core.runs.record import record
from core.trace.events import ArtefactMade, Event
from tests import examples


def drawn(events: list[Event]) -> dict[str, Any]:
    data = ladder(Scene(record(events)))
    assert data is not None
    return data


def reading(events: list[Event]) -> str:
    made = picture(Scene(record(events)))
    assert made is not None
    assert isinstance(made.parts[0], Aid)
    return made.parts[0].text


def boxes(data: dict[str, Any]) -> list[list[str]]:
    return [[box["name"] for box in turn["boxes"]] for turn in data["turns"]]


def test_a_thought_is_a_rung_with_the_passages_that_its_search_brought_in() -> None:
    data = drawn(examples.ircot())
    assert boxes(data) == [
        ["The question", "Search"],
        ["Thought 1", "Search"],
        ["Thought 2", "Search"],
        ["Thought 3"],
    ]
    assert data["turns"][0]["boxes"][0]["text"] == examples.QUESTION
    assert [turn["boxes"][0]["text"] for turn in data["turns"][1:]] == list(examples.THOUGHTS)
    found = [len(turn["boxes"][1]["items"]) for turn in data["turns"][:3]]
    assert found[0] > 0
    assert [turn["boxes"][1]["said"] for turn in data["turns"][:3]] == [
        f"{count} new" if count else "nothing new" for count in found
    ]
    last = data["turns"][-1]
    assert (last["way"], last["led"]) == ("done", "The chain ends: the model gives its answer.")
    assert data["answer"]
    assert reading(examples.ircot()) == READING_THOUGHTS


def test_a_thought_that_searches_says_what_was_read() -> None:
    run = examples.search_o1()
    data = drawn(run)
    first = data["turns"][0]["boxes"]
    assert [box["name"] for box in first[:2]] == ["Thought 1", "Search"]
    assert first[1]["text"] in first[1]["told"]
    assert "passage" in first[1]["said"]
    assert any(box["place"] == 2 for turn in data["turns"] for box in turn["boxes"])
    assert reading(run) == READING_SEARCHES


def test_rungs_come_one_by_one() -> None:
    events = examples.ircot()
    made = [place for place, event in enumerate(events, 1) if isinstance(event, ArtefactMade)]
    kinds = [event.artefact.kind for event in events if isinstance(event, ArtefactMade)]
    assert ladder(Scene(record(events[: made[0]]))) is None
    begun = drawn(events[: made[kinds.index("thought")]])
    assert boxes(begun) == [["The question", "Search"], ["Thought 1"]]
    assert (begun["running"], begun["answer"], begun["turns"][-1]["led"]) == (True, "", "")


def test_a_route_is_drawn_as_the_strategy_that_it_chose() -> None:
    routed = [event for event in examples.adaptive() if isinstance(event, ArtefactMade)]
    assert picture(Scene(record(examples.adaptive()), "#123456", "run")) is not None
    way = next(event for event in routed if event.artefact.kind == "route")
    events = examples.ircot()
    begun = next(place for place, event in enumerate(events) if isinstance(event, ArtefactMade))
    step = events[begun].step
    several = way.artefact.model_copy(update={"way": "several-searches"})
    mixed = [*events[:begun], way.model_copy(update={"artefact": several, "step": step}), *events[begun:]]
    made = picture(Scene(record(mixed), "#123456", "run"))
    assert made is not None
    assert made.title == "Several searches: thoughts and searches"
