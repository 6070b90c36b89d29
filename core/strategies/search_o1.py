"""Reasoning with search: a chain of reasoning that searches where it lacks a fact, and reads in what was found.

Li et al., arXiv 2501.05366 (Search-o1). Their model is a reasoning model that halts at marks it writes; in this app
each piece of the chain is a reply of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from core.jobs import at_once
from core.retrieval.repeats import holder_of
from core.skills.answer import cite
from core.skills.base import MODEL
from core.skills.frame import NOTHING, Framed, framed_line, framed_passages
from core.skills.read import READ
from core.skills.read import read as read_all
from core.skills.read_into_chain import READ_INTO_CHAIN, read_into_chain
from core.skills.reason import REASON, NextThought, reason
from core.skills.synthesise import renumber_citations
from core.skills.variants import letters
from core.strategies.base import (
    END,
    START,
    Graph,
    NodeRuntime,
    RagState,
    RetrievalParams,
    Stage,
    Strategy,
    Update,
)
from core.strategies.nodes import in_order, node, reported, reranking, unconnected
from core.trace.artefacts import Context, ContextPassage, Ranking, SubAnswer, Thought
from core.trace.events import emit_artefact
from core.trace.passages import Passage, numbers_of

AGAIN = "Not searched again: what it found stands above."
NO_MORE = "Not searched: no search was left."
IDLE = "Nothing new was searched. Search for something else, or answer."


@dataclass(frozen=True)
class SearchRequest:
    """A search that a thought asks for."""

    query: str
    number: int | None
    """Its place among the run's searches, from 0; None: it is not made."""
    why_not: str = ""


def search_requests(thoughts: Sequence[Thought], most: int) -> list[list[SearchRequest]]:
    """The searches of each thought: one that was made before is not made again, and no more than `most` are made."""
    places: dict[str, int] = {}
    chain: list[list[SearchRequest]] = []
    for thought in thoughts:
        searches: list[SearchRequest] = []
        for query in thought.queries:
            if letters(query) in places:
                searches.append(SearchRequest(query, None, AGAIN))
            elif len(places) >= most:
                searches.append(SearchRequest(query, None, NO_MORE))
            else:
                searches.append(SearchRequest(query, places.setdefault(letters(query), len(places))))
        chain.append(searches)
    return chain


def new_searches(searches: Sequence[SearchRequest]) -> list[tuple[int, str]]:
    """Return the searches of a thought that are made, each with its place among the run's searches."""
    return [(search.number, search.query) for search in searches if search.number is not None]


@dataclass(frozen=True)
class Chain:
    """The thoughts, searches and digests of a run so far."""

    thoughts: Sequence[Thought]
    searches: Sequence[Sequence[SearchRequest]]
    """Of each thought."""
    hits: Mapping[int, Sequence[str]]
    """Search -> chunks that it found, best first."""
    digests: Mapping[int, SubAnswer]
    """Search -> what was read in them; none where passages stand in the chain as they are."""
    evidence: Sequence[Passage]
    """The passages to which citation marks point, counted from 1."""

    def passages_of(self, number: int) -> list[Passage]:
        """The passages that a search found and that are given."""
        numbers = numbers_of(self.evidence)
        places = dict.fromkeys(numbers[chunk] for chunk in self.hits.get(number, ()) if chunk in numbers)
        return [self.evidence[place - 1] for place in places]

    def text(self) -> Framed:
        """As the model reads it: a line each, which no line of a document can forge."""
        lines: list[str] = []
        shown: set[str] = set()
        for thought, searches in zip(self.thoughts, self.searches, strict=True):
            lines.append(f"Thought: {framed_line(thought.text)}")
            for search in searches:
                lines.append(f"Search: {framed_line(search.query)}")
                if search.number is None:
                    lines.append(search.why_not)
                elif digest := self.digests.get(search.number):
                    nothing = "Found nothing that helps. " if digest.abstained else "Found: "
                    lines.append(nothing + framed_line(renumber_citations(digest, self.evidence)))
                elif search.number in self.hits:
                    lines.append(self._raw(search.number, shown))
            if not new_searches(searches):
                lines.append(IDLE)
        return Framed("\n".join(lines) or NOTHING)

    def _raw(self, number: int, shown: set[str]) -> str:
        """The passages of a search as they are, each only where it is first found."""
        numbers = {passage.chunk: place for place, passage in enumerate(self.evidence, 1)}
        passages = self.passages_of(number)
        marks = " ".join(f"[{numbers[passage.chunk]}]" for passage in passages)
        new = [passage for passage in passages if passage.chunk not in shown]
        shown.update(passage.chunk for passage in new)
        texts = [framed_passages([passage], numbers[passage.chunk]) for passage in new]
        return "\n".join([f"Found: {marks or NOTHING}", *texts])


ANSWERED = "The chain ends: the model gives its answer."
IDLE_TWICE = "The chain ends: for the second time, nothing new was searched and no answer given."
MEMORY = "Answered without a search: nothing was looked up, and this may be made up."
USUAL_SEARCHES = 2
"""One after the other: those of a question with two hops."""


class Params(RetrievalParams):
    """How much the chain may search, and what of the passages it sees."""

    gives = ""  # it gathers them one search after another
    k: int = Field(
        4, ge=1, le=20, title="Passages per search", description="How many passages each search brings in."
    )
    context_size: int = Field(
        15,
        ge=1,
        le=40,
        title="Passages in all",
        description="When so many have been gathered, the search ends and the model has to answer. It can cite all of "
        "them.",
    )
    max_searches: int = Field(
        5,
        ge=1,
        le=10,
        title="Searches",
        description="How many searches a run may make; then the model has to answer. The paper's code allows 5, and 10 "
        "for questions with several hops.",
    )
    read: bool = Field(
        True,
        title="Read the passages first",
        description="A separate call reads the passages of each search, and only what helps goes into the reasoning. "
        "Off: the passages themselves go in, which saves the call and lengthens every later prompt.",
    )


class State(RagState, total=False):
    """Adds the chain."""

    thoughts: Annotated[list[tuple[int, Thought]], operator.add]
    hits: Annotated[list[tuple[int, tuple[str, ...]]], operator.add]
    """Search -> chunks that it found, best first."""
    sub_answers: Annotated[list[tuple[int, SubAnswer]], operator.add]
    """Search -> what was read in its passages."""


def chain(state: State, params: Params) -> Chain:
    """Put together the thoughts, searches and digests so far."""
    thoughts = in_order(state.get("thoughts", []))
    return Chain(
        thoughts,
        search_requests(thoughts, params.max_searches),
        dict(state.get("hits", [])),
        dict(state.get("sub_answers", [])),
        state["context"].given_passages if "context" in state else [],
    )


def pending(state: State, params: Params) -> list[tuple[int, str]]:
    """The searches that the last thought asks for and that are made."""
    return new_searches(chain(state, params).searches[-1])


@node("think", "Think on")
async def think(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The model thinks on, until it asks for a search or ends with the answer."""
    context, params = runtime.context, runtime.context.params
    so_far = chain(state, params)
    searched = sum(len(new_searches(searches)) for searches in so_far.searches)
    pool = state.get("context") or Context(passages=())
    full = len(pool.passages) >= params.context_size
    left = 0 if full else params.max_searches - searched
    piece = await reason(context.skills, state["question"], so_far.text(), left)
    if full:
        piece = piece.model_copy(update={"searches": []})  # nothing that they find could be taken in
    thought = _thought(piece, so_far, params, left)
    emit_artefact(context.tracer, thought)
    update: Update = {"thoughts": [(thought.index, thought)]}
    return update if "context" in state else update | reported(context, context=pool)


def _thought(piece: NextThought, so_far: Chain, params: Params, left: int) -> Thought:
    """A piece as a thought: what it searches comes first, since what is not found yet answers nothing."""
    index = len(so_far.thoughts)
    thought = Thought(
        index=index,
        text=piece.thought.strip(),
        queries=tuple(piece.searches),
        written=piece.thought.strip(),
        skill=REASON.key,
        method=MODEL,
    )
    searches = search_requests([*so_far.thoughts, thought], params.max_searches)
    if new_searches(searches[-1]):
        note = "It answered before it had searched: that answer is not taken." if piece.answer.strip() else ""
        return thought.model_copy(update={"note": note})
    if piece.answer.strip():
        return thought.model_copy(update={"answer": piece.answer.strip(), "ends": ANSWERED})
    if not left:
        ends = "The chain ends: no search was left, and the model gave no answer."
    else:
        idle = any(not new_searches(earlier) for earlier in so_far.searches)
        ends = IDLE_TWICE if idle else ""
    return thought.model_copy(update={"ends": ends})


@node("search", "Search")
async def search(state: State, runtime: NodeRuntime[Params]) -> Update:
    """What the last thought asked for is searched."""
    context, params = runtime.context, runtime.context.params
    todo = pending(state, params)
    rankings: list[Ranking] = await at_once(context.retriever.search(query, params.k) for _, query in todo)
    passages = list(state["context"].passages)
    known = {item.passage.chunk for item in passages}
    hits: list[tuple[int, tuple[str, ...]]] = []
    left_out = 0
    for (number, _), ranking in zip(todo, rankings, strict=True):
        emit_artefact(context.tracer, ranking)
        hits.append((number, tuple(hit.passage.chunk for hit in ranking.used)))
        for hit in ranking.used:
            if hit.passage.chunk in known:
                continue
            at = holder_of([item.passage for item in passages], hit.passage)
            if at is not None:
                stays = passages[at].passage.standing_for([hit.passage])
                passages[at] = passages[at].model_copy(update={"passage": stays})
                continue
            if len(passages) >= params.context_size:
                left_out += 1
                continue
            known.add(hit.passage.chunk)
            source = f"search {number + 1}"
            passages.append(
                ContextPassage(
                    rank=len(passages) + 1, score=hit.score, passage=hit.passage, given=True, source=source
                )
            )
    full = f"{left_out} more found, but {params.context_size} passages are the most." if left_out else ""
    return {"hits": hits} | reported(context, context=Context(passages=tuple(passages), note=full))


@node("read", "Read into the chain")
async def read(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The passages are read, and only what they hold for the question goes into the chain."""
    context, params = runtime.context, runtime.context.params
    so_far, todo = chain(state, params), pending(state, params)
    before = replace(so_far, hits={}).text()  # what is to be read does not stand in it yet
    digests = await at_once(
        read_into_chain(context.skills, state["question"], before, query, so_far.passages_of(number))
        for number, query in todo
    )
    sub_answers = [
        SubAnswer.of(
            digest,
            short="",
            index=number,
            question=query,
            searched=query,
            passages=tuple(so_far.passages_of(number)),
        )
        for (number, query), digest in zip(todo, digests, strict=True)
    ]
    for sub_answer in sub_answers:
        emit_artefact(context.tracer, sub_answer)
    return {"sub_answers": [(sub_answer.index, sub_answer) for sub_answer in sub_answers]}


@node("answer", "Answer")
async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The answer is what the chain of thoughts ends with."""
    context = runtime.context
    last = in_order(state["thoughts"])[-1]
    passages = state["context"].given_passages
    if not last.answer:
        result = await read_all(context.skills, state["question"], passages)
        note = "The chain ended without an answer, so all passages were read once more."
        return reported(context, answer=result.model_copy(update={"note": f"{note} {result.note}".strip()}))
    result = cite(last.answer, passages, skill=REASON.key, method=last.method)
    if not passages and not result.abstained:
        result = result.model_copy(update={"note": MEMORY})
    return reported(context, answer=result)


def build(params: Params) -> Graph:
    """think → (search → read → think)* → answer."""

    def after(state: State) -> str:
        if pending(state, params):
            return "search"
        return "answer" if in_order(state["thoughts"])[-1].ends else "think"

    graph = unconnected(
        State,
        think,
        # In this order the arrows back to the thoughts and on to the end do not cross in the diagram.
        search,
        answer,
        *([read] if params.read else []),
    )
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", after, ["search", "think", "answer"])
    if params.read:
        graph.add_edge("search", "read")
    graph.add_edge("read" if params.read else "search", "think")
    graph.add_edge("answer", END)
    return graph


def stages(params: Params) -> tuple[Stage, ...]:
    """A thought for each search, its reading, and the thought that answers; another where one brought nothing new."""
    needed: list[Stage] = []
    for step in range(params.max_searches):
        usual = int(step < USUAL_SEARCHES)
        reading = usual if params.read else 0
        needed += [
            Stage(REASON.key, usual, most=1),
            *reranking(params, usual, most=1),
            Stage(READ_INTO_CHAIN.key, reading, most=int(params.read)),
        ]
    return (*needed, Stage(REASON.key, 1, most=2), Stage(READ.key, 0, most=1))


STRATEGY = Strategy(
    key="search-o1",
    title="Reasoning with search",
    idea="Think, search when a fact is missing, read what was found into the reasoning, and think on.",
    paper="Li et al. 2025, Search-o1: Agentic Search-Enhanced Large Reasoning Models, arXiv 2501.05366",
    helps="With a model that reasons, when what to search for follows from what was found: several hops, comparisons.",
    hurts="When one search would do: it thinks, searches, reads and thinks, each waiting for the one before.",
    params=Params,
    stages=stages,
    build=build,
    colour="#707C00",
    order=114,
    picture="thought",
    family="think",
    asks_first=True,
    appends=True,
)
