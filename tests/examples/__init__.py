"""Hand-made runs that look like real ones, for tests and for looking at the page without a model."""

from collections.abc import Callable, Iterator, Sequence

from core.trace.artefacts import AnyArtefact
from core.trace.events import ArtefactMade, Event
from tests.examples.chains import HYPOTHETICAL, THOUGHTS, hyde, ircot, self_rag, step_back
from tests.examples.correcting import REFINEMENT, corrective
from tests.examples.deciding import CRITIQUE, TOOL_CALL, agentic
from tests.examples.exploring import CANDIDATES, PATH, PLAN, kg_rag
from tests.examples.parts import (
    BASELINE,
    CONTEXT,
    FUSION,
    LISTS,
    ORDERS,
    PASSAGES,
    QUERIES,
    QUESTION,
    TEXTS,
    UNION,
    VARIANTS,
    answer,
    ranking,
    reranked,
    rows,
)
from tests.examples.parts import artefacts as text_artefacts
from tests.examples.reasoning import search_o1
from tests.examples.routing import ROUTE, adaptive
from tests.examples.runs import (
    failed,
    forked,
    held_against,
    multi_query,
    paused,
    plain,
    plain_reranked,
    rag_fusion,
    stopped,
)
from tests.examples.script import Script
from tests.examples.walking import WALK, linked_passages

__all__ = [
    "BASELINE",
    "CANDIDATES",
    "CONTEXT",
    "CRITIQUE",
    "FUSION",
    "HYPOTHETICAL",
    "LISTS",
    "ORDERS",
    "PASSAGES",
    "PATH",
    "PLAN",
    "QUERIES",
    "QUESTION",
    "REFINEMENT",
    "ROUTE",
    "RUNS",
    "TEXTS",
    "THOUGHTS",
    "TOOL_CALL",
    "UNION",
    "VARIANTS",
    "WALK",
    "Script",
    "adaptive",
    "agentic",
    "answer",
    "artefacts",
    "corrective",
    "failed",
    "forked",
    "held_against",
    "hyde",
    "ircot",
    "kg_rag",
    "linked_passages",
    "moments",
    "multi_query",
    "paused",
    "places_of",
    "plain",
    "plain_reranked",
    "rag_fusion",
    "ranking",
    "reranked",
    "rows",
    "search_o1",
    "self_rag",
    "step_back",
    "stopped",
]

RUNS: dict[str, Callable[[], list[Event]]] = {
    "rag-fusion": rag_fusion,
    "multi-query": multi_query,
    "plain": plain,
    "reranked": plain_reranked,
    "ircot": ircot,
    "step-back": step_back,
    "hyde": hyde,
    "self-rag": self_rag,
    "corrective": corrective,
    "kg-rag": kg_rag,
    "linked-passages": linked_passages,
    "agentic": agentic,
    "adaptive": adaptive,
    "search-o1": search_o1,
    "failed": failed,
    "stopped": stopped,
    "paused": paused,
}
"""Every example by its name."""


def moments(events: Sequence[Event]) -> list[int]:
    """How many events there are at each moment of a run, from none to all: of words that follow one another, at the
    first and the last."""
    kinds = [event.type for event in events]
    return [end for end in range(len(kinds) + 1) if kinds[max(end - 2, 0) : end + 1] != ["token"] * 3]


def artefacts() -> Iterator[AnyArtefact]:
    """One artefact of every kind."""
    yield from text_artefacts()
    yield from (PLAN, CANDIDATES, PATH, TOOL_CALL, CRITIQUE, WALK, ROUTE, REFINEMENT, BASELINE)


def places_of(events: Sequence[Event], kind: str) -> list[int]:
    """Return the places, counted from 1, of the events that made an artefact of this kind."""
    made = ((place, event) for place, event in enumerate(events, 1) if isinstance(event, ArtefactMade))
    return [place for place, event in made if event.artefact.kind == kind]
