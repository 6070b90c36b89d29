"""The nodes of reasoning with search: think, search, read, and take the answer from the chain."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from core.jobs import at_once
from core.retrieval.repeats import held_by
from core.skills.answer import cite
from core.skills.base import MODEL
from core.skills.read import read as read_all
from core.skills.read_into_chain import read_into_chain
from core.skills.reason import REASON, Piece, reason
from core.strategies.base import NodeRuntime, RagState, RetrievalParams, Update
from core.strategies.nodes import EVAL_CUTOFF, in_order, reported
from core.strategies.search_o1_chain import Chain, asked, given, new_searches
from core.trace.artefacts import Context, ContextPassage, Ranking, SubAnswer, Thought
from core.trace.passages import Passage
from core.trace.tracer import emit_artefact

ANSWERED = "The chain ends: the model gives its answer."
IDLE_TWICE = "The chain ends: for the second time, nothing new was searched and no answer given."
MEMORY = "Answered without a search: nothing was looked up, and this may be made up."


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
        description="When so many have been gathered, no more are taken in. The answer can cite all of them.",
    )
    max_searches: int = Field(
        5,
        ge=1,
        le=10,
        title="Searches",
        description="The most searches of a run. Then the model is told to answer. The paper's code allows 5, and 10 "
        "for questions with several hops.",
    )
    read: bool = Field(
        True,
        title="Read the passages first",
        description="A call of its own reads the passages of each search, and only what helps goes into the reasoning. "
        "Off: the passages themselves do, which saves the call and lengthens every later prompt.",
    )


class State(RagState, total=False):
    """Adds the chain."""

    thoughts: Annotated[list[tuple[int, Thought]], operator.add]
    hits: Annotated[list[tuple[int, tuple[str, ...]]], operator.add]
    """Search -> chunks that it found, best first."""
    sub_answers: Annotated[list[tuple[int, SubAnswer]], operator.add]
    """Search -> what was read in its passages."""


def chain(state: State, params: Params) -> Chain:
    """All that was thought and found so far."""
    thoughts = in_order(state.get("thoughts", []))
    return Chain(
        thoughts,
        asked(thoughts, params.max_searches),
        dict(state.get("hits", [])),
        dict(state.get("sub_answers", [])),
        given(state["context"]) if "context" in state else [],
    )


def pending(state: State, params: Params) -> list[tuple[int, str]]:
    """The searches that the last thought asks for and that are made."""
    return new_searches(chain(state, params).searches[-1])


async def think(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The next piece of the reasoning: searches, or the answer."""
    context, params = runtime.context, runtime.context.params
    so_far = chain(state, params)
    made = sum(len(new_searches(searches)) for searches in so_far.searches)
    pool = state.get("context") or Context(passages=())
    full = len(pool.passages) >= params.context_size
    left = 0 if full else params.max_searches - made
    piece = await reason(context.skills, state["question"], so_far.text(), left)
    if full:
        piece = piece.model_copy(update={"searches": []})  # nothing that they find could be taken in
    thought = _thought(piece, so_far, params, left)
    emit_artefact(context.tracer, thought)
    update: Update = {"thoughts": [(thought.index, thought)]}
    return update if "context" in state else update | reported(context, context=pool)


def _thought(piece: Piece, so_far: Chain, params: Params, left: int) -> Thought:
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
    searches = asked([*so_far.thoughts, thought], params.max_searches)
    if new_searches(searches[-1]):
        note = "It answered before it had searched: that answer is not taken." if piece.answer.strip() else ""
        return thought.model_copy(update={"note": note})
    if piece.answer.strip():
        return thought.model_copy(update={"answer": piece.answer.strip(), "ends": ANSWERED})
    if not left:
        ends = "The chain ends: no search was left, and the model gave no answer."
    else:
        idle = any(not new_searches(one) for one in so_far.searches)
        ends = IDLE_TWICE if idle else ""
    return thought.model_copy(update={"ends": ends})


async def search(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The searches of the last thought, at once; what is new joins the evidence."""
    context, params = runtime.context, runtime.context.params
    todo = pending(state, params)
    rankings: list[Ranking] = await at_once(
        context.retriever.search(query, params.k, depth=EVAL_CUTOFF) for _, query in todo
    )
    passages = list(state["context"].passages)
    known = {item.passage.chunk for item in passages}
    left_out = 0
    for (number, _), ranking in zip(todo, rankings, strict=True):
        emit_artefact(context.tracer, ranking)
        for hit in ranking.used:
            if hit.passage.chunk in known:
                continue
            at = held_by([item.passage for item in passages], hit.passage)
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
    hits = [
        (number, tuple(hit.passage.chunk for hit in ranking.used))
        for (number, _), ranking in zip(todo, rankings, strict=True)
    ]
    return {"hits": hits} | reported(context, context=Context(passages=tuple(passages), note=full))


async def read(state: State, runtime: NodeRuntime[Params]) -> Update:
    """What the passages of each search hold for it, read at once."""
    context, params = runtime.context, runtime.context.params
    so_far, todo = chain(state, params), pending(state, params)
    before = replace(so_far, hits={}).text()  # what is to be read does not stand in it yet
    digests = await at_once(
        read_into_chain(context.skills, state["question"], before, query, so_far.found(number))
        for number, query in todo
    )
    made = [
        SubAnswer.of(
            digest,
            short="",
            index=number,
            question=query,
            searched=query,
            passages=tuple(so_far.found(number)),
        )
        for (number, query), digest in zip(todo, digests, strict=True)
    ]
    for one in made:
        emit_artefact(context.tracer, one)
    return {"sub_answers": [(one.index, one) for one in made]}


async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The answer that the chain ends with; where it ends with none, another call reads all passages."""
    context = runtime.context
    last: Thought = in_order(state["thoughts"])[-1]
    passages: list[Passage] = given(state["context"])
    if not last.answer:
        result = await read_all(context.skills, state["question"], passages)
        note = "The chain ended without an answer, so all passages were read once more."
        return reported(context, answer=result.model_copy(update={"note": f"{note} {result.note}".strip()}))
    result = cite(last.answer, passages, skill=REASON.key, method=last.method)
    if not passages and not result.abstained:
        result = result.model_copy(update={"note": MEMORY})
    return reported(context, answer=result)
