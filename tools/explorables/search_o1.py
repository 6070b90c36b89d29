"""Reasoning with search, with handles: whether a search is read into the chain, or its passages go in whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.cards.kind import Scene
from core.cards.kinds.thought import ladder
from core.runs.record import Record
from core.skills.frame import framed_line, framed_passages
from core.skills.synthesise import renumber_citations
from core.strategies.search_o1 import IDLE, STRATEGY, Chain, Params, search_requests
from core.trace.artefacts import Ranking, SubAnswer, Thought
from tools.explorables.recorded import answered, gallery_run, head

RUN = "recorded-search-o1"
HOW = (
    "Choose a thought; at the end you see what the model reads before it. Switch off a search, and its passages go in "
    "whole, instead of the note on them. The thoughts stay those of the recorded run."
)


def make() -> dict[str, Any]:
    """The rungs of the run, and the lines of its chain."""
    run = gallery_run(RUN)
    recorded, chain = ladder(Scene(run)), _chain(run)
    if recorded is None or run.started is None:
        raise ValueError(f"{RUN} has thought nothing")
    numbers = {passage.chunk: place for place, passage in enumerate(chain.evidence, 1)}
    thoughts = []
    for thought, searches in zip(chain.thoughts, chain.searches, strict=True):
        made = [
            {
                "query": framed_line(search.query),
                "read": f"Found: {framed_line(renumber_citations(chain.digests[search.number], chain.evidence))}",
                "passages": [
                    [numbers[one.chunk], framed_passages([one], numbers[one.chunk])]
                    for one in chain.passages_of(search.number)
                ],
            }
            for search in searches
            if search.number is not None
        ]
        thoughts.append({"text": framed_line(thought.text), "searches": made})
    return head(run, HOW) | {
        "colour": STRATEGY.colour,
        "idle": IDLE,
        "thoughts": thoughts,
        "recorded": {**recorded, "answer": answered(run)},
    }


def _chain(run: Record) -> Chain:
    """All that the run thought, found and read."""
    if run.started is None or run.context is None:
        raise ValueError(f"{RUN} has found nothing")
    thoughts = run.find(Thought)
    most = Params.model_validate(run.started.params).max_searches
    hits = {place: [hit.passage.chunk for hit in one.used] for place, one in enumerate(run.find(Ranking))}
    digests = {one.index: one for one in run.find(SubAnswer)}
    return Chain(thoughts, search_requests(thoughts, most), hits, digests, run.context.given_passages)


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The `text` of the chain before a thought, and its length before each `thought`.

    Args:
        data: As `make` gives it.
        values: `step`: the thought that is about to be written; `read`: whether each search was read.
    """
    whole = _chain(gallery_run(RUN))
    digests = {place: one for place, one in whole.digests.items() if values["read"][place]}
    before = [
        Chain(whole.thoughts[:count], whole.searches[:count], whole.hits, digests, whole.evidence).text()
        for count in range(len(data["thoughts"]))
    ]
    return {"text": before[values["step"] - 1], "lengths": [len(one) for one in before]}
