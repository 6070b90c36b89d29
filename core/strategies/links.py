"""What the strategies that answer sub-questions share: their state, one link of the chain, and the loop."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from core.retrieval.repeats import in_places
from core.skills.answer_sub import answer_sub
from core.skills.by_rule import sub_answer_by_rule
from core.skills.references import fill_references, referenced
from core.skills.resolve import Resolved, points_back, resolve
from core.skills.sub_questions import split
from core.skills.synthesise import pair_of
from core.strategies.base import Graph, NodeRuntime, RagState, Rerank, RunContext, StrategyParams, Update
from core.strategies.nodes import Branch, Node, given_first, in_order, reported, search, unconnected
from core.trace.artefacts import Context, Pair, SubAnswer, SubQuestions
from core.trace.passages import Hit, Passage
from core.trace.tracer import emit_artefact


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


class ResolvingParams(LinkParams):
    """Parameters of strategies whose sub-questions may refer to earlier answers."""

    resolve_references: bool = Field(
        True,
        title="Fill in references",
        description="Rewrite a sub-question from the earlier answers before searching: “When was he born?” finds "
        "nothing until “he” has a name. A mark such as “#1” is filled in by code; what code cannot fill takes one more "
        "call. The built-in model leaves such words as they stand, unless you choose a rule for it.",
    )


class SplittingParams(LinkParams):
    """Parameters of strategies whose model splits the question into parts."""

    n: int = Field(
        4, ge=1, le=6, title="Sub-questions", description="How many sub-questions the model may write."
    )


class LinkState(RagState, total=False):
    """Adds the sub-questions and their answers, each with its place."""

    sub_questions: SubQuestions
    sub_answers: Annotated[list[tuple[int, SubAnswer]], operator.add]


class Link(LinkState, Branch):
    """What a step of the loop is given: the state, and which sub-question it works on."""


async def split_question(state: LinkState, runtime: NodeRuntime[SplittingParams]) -> Update:
    """Split the question."""
    context = runtime.context
    parts = await split(context.skills, state["question"], n=context.params.n)
    return reported(context, sub_questions=parts)


SPLIT_NODE = Node(
    "sub_questions",
    "Split the question",
    split_question,
    does="The question is split into smaller ones that can be answered one by one.",
)


async def answer_link(
    context: RunContext[Any],
    index: int,
    question: str,
    resolved: Resolved,
    pairs: list[Pair],
    *,
    asked: str = "",
    also: Sequence[Passage] = (),
    show: bool = False,
) -> tuple[SubAnswer, tuple[Hit, ...]]:
    """Search for one sub-question and answer it; the answer, and the hits it was made from.

    Args:
        context: The context of the run.
        index: Place of the sub-question, from 0.
        question: The sub-question as it was listed.
        resolved: What is searched with.
        pairs: Earlier questions and answers that it may use.
        asked: What is answered; empty: what is searched with.
        also: Passages that it is given besides what is found.
        show: Whether it streams to where the run's answer appears.
    """
    ranking = await search(context, resolved.text)
    found = in_places((passage, None) for passage in (*(hit.passage for hit in ranking.used), *also))
    passages = tuple(passage for passage, _ in found)
    asks = asked or resolved.text
    result = sub_answer_by_rule(context.skills, asks, passages) or await answer_sub(
        context.skills, asks, passages, pairs, show=show
    )
    sub_answer = SubAnswer(
        index=index,
        question=question,
        searched=resolved.text,
        given=tuple(pairs),
        passages=passages,
        text=result.text,
        citations=result.citations,
        short=result.short,
        suggested=result.suggested,
        abstained=result.abstained,
        skill=result.skill,
        method=result.method,
        note=" ".join(filter(None, (resolved.note, result.note))),
    )
    emit_artefact(context.tracer, sub_answer)
    return sub_answer, ranking.used


async def answer_next(link: Link, runtime: NodeRuntime[ResolvingParams]) -> Update:
    """Answer one sub-question, knowing all earlier answers; its evidence joins what was found before."""
    context, index, question = runtime.context, link["index"], link["label"]
    answers: list[SubAnswer] = in_order(link["sub_answers"])
    pairs, marked = [pair_of(answer) for answer in answers], _for_marks(answers)
    is_answer = question == link["question"]  # least-to-most ends with the question itself
    # A “#1” in the question itself is no mark.
    ready = Resolved(question, "", "") if is_answer else fill_references(question, marked)
    resolved = ready
    points = (
        is_answer
        or points_back(ready.text)
        or any(not marked[place].answer for place in referenced(question, marked))
    )
    if context.params.resolve_references and points:
        resolved = await resolve(context.skills, ready.text, pairs)
        resolved = replace(resolved, note=" ".join(filter(None, (ready.note, resolved.note))))
    sub_answer, hits = await answer_link(
        context,
        index,
        question,
        resolved,
        pairs,
        asked=ready.text,
        also=_cited(answers) if is_answer else (),
        show=is_answer,
    )
    found = link["context"].passages if "context" in link else ()
    before = [(item.passage, item.score) for item in found]
    evidence = gathered([*before, *((hit.passage, hit.score) for hit in hits)])
    emit_artefact(context.tracer, evidence)
    return {"sub_answers": [(index, sub_answer)], "context": evidence}


def _cited(answers: Iterable[SubAnswer]) -> list[Passage]:
    """The passages that earlier answers cite, so that the last answer can cite them too."""
    cited = {citation.chunk for answer in answers for citation in answer.citations}
    return [passage for answer in answers for passage in answer.passages if passage.chunk in cited]


def _for_marks(answers: Iterable[SubAnswer]) -> list[Pair]:
    """What was searched and found for each, in short where it can be; without an answer where none was found."""
    return [
        Pair(
            question=answer.searched,
            answer="" if answer.abstained else pair_of(answer).answer,
            short=answer.short,
        )
        for answer in answers
    ]


def gathered(found: Iterable[tuple[Passage, float | None]]) -> Context:
    """All evidence in the order it was found, every passage once; each was given to a sub-question, or stands for one
    that was."""
    first = in_places(found)
    return given_first(first, len(first))


def evidence_of(state: RagState) -> list[Passage]:
    """Passages of the context, in its order: what citations count."""
    return [item.passage for item in state["context"].passages]


def one_by_one(first: Node, last: Node) -> Graph:
    """first → answer_sub, again and again until every sub-question has its answer → last."""
    from langgraph.graph import END, START
    from langgraph.types import Send

    def forth(state: LinkState) -> Any:  # langgraph evaluates these types, and its own are imported here only
        done = {index for index, _ in state.get("sub_answers", [])}
        questions = state["sub_questions"].questions
        for index, question in enumerate(questions):
            if index not in done:
                return [Send("answer_sub", {**state, "index": index, "label": question})]
        return last.name

    graph = unconnected(
        LinkState,
        first,
        Node(
            "answer_sub",
            "Answer, one by one",
            answer_next,
            does="The next sub-question is searched and answered, with the answers before it filled in.",
        ),
        last,
    )
    graph.add_edge(START, first.name)
    graph.add_conditional_edges(first.name, forth, ["answer_sub"])
    graph.add_conditional_edges("answer_sub", forth, ["answer_sub", last.name])
    graph.add_edge(last.name, END)
    return graph
