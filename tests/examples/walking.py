"""A run that walks along mentions, from films to their directors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.retrieval.kinds import Walking
from core.retrieval.linked import Numbers, WalkResult, walk_from
from core.retrieval.links import Links
from core.strategies.linked_passages import walk_artefact
from core.strategies.nodes import given_first
from core.trace.artefacts import Walk
from core.trace.events import Event
from tests.examples.parts import ORDERS, PASSAGES, QUESTION, ranking
from tests.examples.runs import answering
from tests.examples.script import Script


def _walked(how: Walking) -> WalkResult:
    def cosines(places: Sequence[int]) -> Numbers:
        return np.array([0.8 - place / 20 for place in places])

    links = Links(PASSAGES, {passage.document: passage.title for passage in PASSAGES})
    found = walk_from(links, ORDERS[0], cosines, how)
    assert isinstance(found, WalkResult)
    return found


HOW = Walking(seeds=3)
WALK: Walk = walk_artefact(QUESTION, _walked(HOW), HOW, 8)


def linked_passages(run: str = "") -> list[Event]:
    """A finished run of linked passages."""
    script = Script()
    script.start("linked-passages", run=run)
    script.step("s-retrieve", "retrieve", 0)
    script.make("s-retrieve", ranking(0))
    script.done("s-retrieve")
    script.step("s-walk", "walk", 1, "s-retrieve")
    script.make("s-walk", WALK)
    script.make("s-walk", given_first(((one.passage, one.score) for one in WALK.passages), 4))
    script.done("s-walk")
    answering(script, 2, "s-walk")
    return script.events
