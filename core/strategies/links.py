"""The shared part of strategies that answer sub-questions: parameters, state, and one link of the chain."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import Field

from core.jobs import at_once
from core.retrieval.repeats import without_repeats
from core.skills.answer_sub import answer_sub
from core.skills.resolve import Resolved
from core.skills.sub_questions import split
from core.strategies.base import NodeRuntime, RagState, Rerank, RunContext, StrategyParams, Update
from core.strategies.nodes import in_order, node, reported, search
from core.trace.artefacts import Context, Pair, Ranking, SubAnswer, SubQuestions
from core.trace.passages import Hit, Passage


class LinkParams(StrategyParams):
    """Parameters of every strategy that answers sub-questions."""

    k: int = Field(
        4,
        ge=1,
        le=20,
        title="Chunks per sub-question",
        description="How many chunks each sub-question brings in.",
    )
    rerank: Rerank = 0


class SplittingParams(LinkParams):
    """Parameters of strategies whose model splits the question into parts."""

    n: int = Field(
        4, ge=1, le=6, title="Sub-questions", description="How many sub-questions the model may write."
    )


class LinkState(RagState, total=False):
    """Adds the sub-questions, and what each has: its place, and its answer or the hits that it brought in."""

    sub_questions: SubQuestions
    sub_answers: Annotated[list[tuple[int, SubAnswer]], operator.add]
    """Of two with the same place, the later counts."""
    hits: Annotated[list[tuple[int, tuple[Hit, ...]]], operator.add]


def answers_of(state: LinkState) -> list[SubAnswer]:
    """The answers so far, in the order of their questions."""
    return in_order(dict(state.get("sub_answers", [])).items())


@node("sub_questions", "Split the question")
async def split_question(state: LinkState, runtime: NodeRuntime[SplittingParams]) -> Update:
    """The question is split into smaller ones that can be answered one by one."""
    context = runtime.context
    parts = await split(context.skills, state["question"], n=context.params.n)
    return reported(context, sub_questions=parts)


async def answer_link(
    context: RunContext[Any],
    index: int,
    question: str,
    resolved: Resolved,
    pairs: list[Pair],
    *,
    wording: str = "",
    also: Sequence[Passage] = (),
    show: bool = False,
) -> tuple[SubAnswer, tuple[Hit, ...]]:
    """Search for one sub-question and answer it; the answer, which is not reported yet, and the hits of the search.

    Args:
        index: Place of the sub-question, from 0.
        question: The sub-question as it was listed; `resolved` is searched with.
        pairs: Earlier questions and answers that it may use.
        wording: The question as the model is given it; empty: what is searched with.
        also: Passages that it is given besides what is found.
        show: True if it streams to where the run's answer appears.
    """
    hits = _merged(await at_once(search(context, query) for query in resolved.queries or (resolved.text,)))
    evidence = without_repeats((passage, None) for passage in (*(hit.passage for hit in hits), *also))
    passages = tuple(passage for passage, _ in evidence)
    result = await answer_sub(context.skills, wording or resolved.text, passages, pairs, show=show)
    sub_answer = SubAnswer.of(
        result,
        index=index,
        question=question,
        searched=resolved.text,
        queries=resolved.queries,
        given=tuple(pairs),
        passages=passages,
        note=" ".join(filter(None, (resolved.note, result.note))),
    )
    return sub_answer, hits


def _merged(rankings: Iterable[Ranking]) -> tuple[Hit, ...]:
    """The hits that several searches bring in, the first of each first, every chunk once."""
    hits: dict[str, Hit] = {}
    for hit in sorted((hit for ranking in rankings for hit in ranking.used), key=lambda hit: hit.rank):
        hits.setdefault(hit.passage.chunk, hit)
    return tuple(hits.values())


@node("gather", "Gather evidence")
async def gather(state: LinkState, runtime: NodeRuntime[Any]) -> Update:
    """The passages of all sub-questions become one list, each passage once."""
    before = state["context"].passages if "context" in state else ()
    rows = [(item.passage, item.score) for item in before]
    rows += [(hit.passage, hit.score) for hits in in_order(state.get("hits", [])) for hit in hits]
    # Each was given to a sub-question, or stands for one that was.
    evidence = Context.of((passage, score, True, "") for passage, score in without_repeats(rows))
    if "context" in state and len(evidence.passages) == len(before):
        return {}
    return reported(runtime.context, context=evidence)


def evidence_of(state: RagState) -> list[Passage]:
    """Passages of the context, in its order: what citations count."""
    return [item.passage for item in state["context"].passages]
