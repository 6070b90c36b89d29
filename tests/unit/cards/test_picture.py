"""The picture of each strategy: there is one, it can be read, and it is there as soon as there is something in it."""

from __future__ import annotations

import json

from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.parts import Aid, Drawing
from core.cards.stage import picture
from core.drawings import FOLDER
from core.runs.gallery import PIECES, read
from core.runs.record import record
from core.strategies import strategies
from core.trace.events import RunPaused
from tests.cases import cases
from tests.examples import RUNS, held_against, moments, paused

WITHOUT = {"plain", "reranked", "failed", "stopped"}
"""One search, or an end before anything was found."""


@cases("name", sorted(RUNS.keys() - WITHOUT))
def test_every_strategy_has_a_picture_that_can_be_read(name: str) -> None:
    made = picture(Scene(record(RUNS[name]()), "#123456", "run"))
    assert made is not None
    (aid,) = [part for part in made.parts if isinstance(part, Aid)]
    (drawn,) = [part for part in made.parts if isinstance(part, Drawing)]
    assert aid.text.endswith(".")
    assert (FOLDER / f"{drawn.name}.js").is_file()


def test_a_strategy_names_a_kind_that_has_a_picture() -> None:
    named = {strategy.picture for strategy in strategies().values() if strategy.picture}
    assert named == {kind.key for kind in KINDS.values() if kind.picture}


def test_the_picture_of_a_route_is_that_of_the_way_taken() -> None:
    one_search = picture(Scene(record(RUNS["adaptive"]())))
    assert one_search is not None
    assert one_search.title == "The ways it could take"  # plain retrieval has no picture
    piece = next(piece for piece in PIECES if piece.id == "recorded-adaptive")
    several = picture(Scene(record(read(piece)[1][0])))
    assert several is not None
    assert several.title == "Several searches: thoughts and searches"


def test_a_run_of_one_search_needs_none() -> None:
    assert picture(Scene(record(RUNS["plain"]()), "#123456", "run")) is None


@cases("name", sorted(RUNS))
def test_a_picture_can_be_drawn_at_every_moment_of_a_run(name: str) -> None:
    events = RUNS[name]()
    seen = [
        picture(Scene(record(events[:count]), "#123456", "run")) is not None
        for count in moments(events)[1:-1]
    ]
    assert seen == sorted(seen)  # once it is there, it stays


def test_a_passage_with_evidence_has_one_star() -> None:
    run = record(held_against(RUNS["linked-passages"]()))
    made = picture(Scene(run, "#123456", "run"))
    assert made is not None
    (drawn,) = [part for part in made.parts if isinstance(part, Drawing)]
    assert json.dumps(drawn.data).count("\\u2605 \\u2605") == 0
    assert "\\u2605" in json.dumps(drawn.data)


def test_before_a_step_no_picture_shows_what_it_makes() -> None:
    events = paused()
    drawn = {}
    for count, event in enumerate(events, 1):
        if isinstance(event, RunPaused):
            made = picture(Scene(record(events[:count]), "#123456", "run"))
            drawn[event.next[0]] = made is not None
    assert drawn == {"queries": False, "retrieve": False, "fuse": False, "answer": True}
