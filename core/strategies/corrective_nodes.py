"""The nodes of Corrective RAG, and the way from one to the next; the graph itself is in `corrective`."""

from __future__ import annotations

import operator
from typing import Annotated, Literal

from pydantic import Field

from core.errors import InputError
from core.jobs import at_once
from core.skills.answer import ANSWER, recall
from core.skills.answer import answer as answer_skill
from core.skills.copying import no_answer
from core.skills.evaluate_passage import Thresholds, evaluate_passage, recomposed
from core.skills.rewrite_question import rewrite_question
from core.strategies.base import NodeRuntime, OneSearchParams, RagState, Update
from core.strategies.nodes import EVAL_CUTOFF, reported, search
from core.trace.artefacts import (
    Answer,
    Context,
    ContextPassage,
    Grade,
    Ranking,
    RefinedPassage,
    Refinement,
    Rewrite,
    Strip,
)
from core.trace.passages import Hit, Passage
from core.trace.tracer import emit_artefact
from core.wording import counted

USUAL = Thresholds()


CAUSES = {
    "ambiguous": "a search that found only a part of the answer.",
    "incorrect": "a search that found nothing of the answer.",
}
"""Verdict on a search -> why the question is put differently."""
NOTHING = "No passage that was found holds the answer, and there was nothing else where it was looked for."


class Params(OneSearchParams):
    """When a search is trusted, and where to look when it is not."""

    elsewhere: Literal["retriever", "corpus", "memory"] = Field(
        "retriever",
        title="Look elsewhere",
        description="Where to look when the search is not correct, in the place of the paper's web search. Retriever: "
        "the same documents, searched in another way. Corpus: other documents. Memory: what the model knows by itself, "
        "without a source.",
    )
    corpus: str = Field(
        "",
        max_length=200,
        title="Other corpus",
        description="Name of the other documents.",
        json_schema_extra={"applies": {"elsewhere": ["corpus"]}, "names": "corpus"},
    )
    rewrite: bool = Field(
        True,
        title="Rewrite the question",
        description="Whether to look elsewhere with other words, as the paper does, which takes a round of its own.",
        json_schema_extra={"applies": {"elsewhere": ["retriever", "corpus"]}},
    )
    upper: float = Field(
        USUAL.upper,
        ge=0,
        le=1,
        title="Upper threshold",
        description="Score from which on a passage holds the answer. For methods that give scores: a model that judges "
        "gives verdicts.",
    )
    lower: float = Field(
        USUAL.lower,
        ge=0,
        le=1,
        title="Lower threshold",
        description="Score below which a passage holds nothing of the answer; between the two it may hold a part. "
        "Above the upper one it counts as that.",
    )
    margin: float = Field(
        USUAL.margin,
        ge=0,
        le=1,
        title="Strip margin",
        description="How far the score of a strip may lie below that of the best one in its passage. At 0 one strip of "
        "each passage is kept, at 1 all of them.",
    )


class State(RagState, total=False):
    """Adds what was found, judged, refined, and found elsewhere."""

    ranking: Ranking
    grades: Annotated[list[tuple[int, Grade]], operator.add]
    """Of each passage, with its index in the ranking; and of the search, which comes last."""
    strips: list[tuple[Strip, ...]]
    """Of each passage, in the order of the ranking."""
    refinement: Refinement
    rewrite: Rewrite
    elsewhere: Ranking
    """Without what was judged already."""
    memory: Answer


def other_corpus(params: Params) -> str:
    """Name of the other corpus that may be searched; empty: there is none.

    Raises:
        InputError: There is to be one, but none is named.
    """
    if params.elsewhere != "corpus":
        return ""
    if not params.corpus.strip():
        raise InputError("To look elsewhere in another corpus, choose it among the parameters.")
    return params.corpus.strip()


def verdict(state: State) -> str:
    """Of the search: correct, ambiguous or incorrect."""
    return next(grade.verdict for _, grade in reversed(state["grades"]) if grade.what == "Search")


def ways(state: State, params: Params) -> list[str]:
    """After Judge: refine what was found, look elsewhere, or both."""
    away = way_out(params)
    return {"correct": ["refine"], "ambiguous": ["refine", away], "incorrect": [away]}[verdict(state)]


def way_out(params: Params) -> str:
    """The first step to elsewhere."""
    return "rewrite" if params.rewrite and params.elsewhere != "memory" else "elsewhere"


async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """One search with the question as it was asked."""
    return {"ranking": await search(runtime.context, state["question"])}


async def grade(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Whether each passage holds the answer, and which of its strips are needed, all at once."""
    context, params = runtime.context, runtime.context.params

    thresholds = Thresholds(min(params.lower, params.upper), params.upper, params.margin)

    async def judged(index: int, passage: Passage) -> tuple[tuple[int, Grade], tuple[Strip, ...]]:
        made = await evaluate_passage(context.skills, state["question"], passage, thresholds)
        emit_artefact(context.tracer, made.grade)
        return (index, made.grade), made.strips

    found = await at_once(judged(index, hit.passage) for index, hit in enumerate(state["ranking"].used))
    return {"grades": [one for one, _ in found], "strips": [strips for _, strips in found]}


async def judge(state: State, runtime: NodeRuntime[Params]) -> Update:
    """What the search is worth: correct if any passage holds the answer, ambiguous if any holds part of it."""
    given = [one.verdict for _, one in passage_grades(state)]
    whole, part, passages = given.count("yes"), given.count("partly"), counted(len(given), "passage")
    if whole:
        found = "correct"
        reason = f"The evaluator finds the answer in {whole} of {passages}: what was found is refined."
    elif part:
        found = "ambiguous"
        reason = f"The evaluator finds a part of the answer in {part} of {passages}: refine, and look elsewhere too."
    else:
        found = "incorrect"
        reason = f"The evaluator finds nothing of the answer in {passages}: look elsewhere."
    made = Grade(what="Search", verdict=found, passes=found != "incorrect", reason=reason)
    emit_artefact(runtime.context.tracer, made)
    return {"grades": [(len(given), made)]}


def passage_grades(state: State) -> list[tuple[int, Grade]]:
    """The grades of the passages, each with the passage's index in the ranking."""
    return [one for one in state["grades"] if one[1].what == "Holds"]


async def refine(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Decompose the passages that hold something into strips, and keep those that are needed.

    Of a passage whose strips were not judged, or whose grade somebody changed, all are kept.
    """
    refined = []
    for index, one in passage_grades(state):
        strips = state["strips"][index]
        whole = not any(strip.kept for strip in strips)
        kept = tuple(
            strip.model_copy(update={"kept": one.verdict != "no" and (whole or strip.kept)})
            for strip in strips
        )
        refined.append(RefinedPassage(passage=state["ranking"].used[index].passage, strips=kept))
    return reported(runtime.context, refinement=Refinement(passages=tuple(refined)))


async def rewrite(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Words for a search elsewhere: the model knows what was found so far."""
    found = [
        (state["ranking"].used[index].passage, strips)
        for (index, one), strips in zip(passage_grades(state), state["strips"], strict=True)
        if one.verdict == "partly" and any(strip.kept for strip in strips)
    ]
    # What a judge says of a part tells what is missing; a cosine does not.
    missing = dict.fromkeys(
        one.reason
        for _, one in passage_grades(state)
        if one.verdict == "partly" and one.score is None and one.reason and not one.note
    )
    draft = "\n".join(" ".join(strip.text for strip in strips if strip.kept) for _, strips in found)
    made = await rewrite_question(
        runtime.context.skills,
        state["question"],
        [state["ranking"].query],
        " ".join([CAUSES[verdict(state)], *missing]),
        draft=draft,
        found=[passage.title for passage, _ in found],
        number=1,
    )
    return reported(runtime.context, rewrite=made)


async def elsewhere(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Search where it was not searched yet, or ask the model what it knows."""
    context, question = runtime.context, state["question"]
    if context.params.elsewhere == "memory":
        draft = await recall(context.skills, question)
        return reported(context, memory=draft.model_copy(update={"final": False}))
    query = state["rewrite"].after if "rewrite" in state else question
    k = context.params.k
    found = await context.other_retriever.search(query, k, depth=max(2 * k, EVAL_CUTOFF))
    out = not_again(state)
    new = [hit for hit in found.hits if hit.passage.chunk not in out]
    hits = tuple(Hit(rank=rank, score=hit.score, passage=hit.passage) for rank, hit in enumerate(new, 1))
    left = len(found.hits) - len(new)
    said = f"Left out: {counted(left, 'passage')} that had been judged." if left else ""
    note = " ".join(filter(None, (found.note, said)))
    return reported(context, elsewhere=found.model_copy(update={"hits": hits, "note": note}))


def not_again(state: State) -> set[str]:
    """Chunks that need not be found elsewhere: those that are given in any case, and those that a judge refused.

    A low score refuses nothing for good: what another search finds may not resemble the question.
    """
    refines = verdict(state) == "ambiguous"
    return {
        one.passage.chunk
        for _, one in passage_grades(state)
        if one.passage and (refines if one.passes else one.score is None)
    }


def place(params: Params, ranking: Ranking) -> str:
    """Where passages of a search elsewhere are from, in words."""
    return f"a search in “{params.corpus}”" if params.elsewhere == "corpus" else f"{ranking.retriever} search"


async def evidence(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Put together what was refined and what was found elsewhere; what was refused follows, and is not given."""
    context, items = runtime.context, list[tuple[Passage, float | None, bool, str]]()
    scores = {hit.passage.chunk: hit.score for hit in state["ranking"].hits}
    refined = state["refinement"].passages if "refinement" in state else ()
    for one in refined:
        if any(strip.kept for strip in one.strips):
            passage = recomposed(one.passage, one.strips)
            items.append((passage, scores.get(passage.chunk), True, ""))
    if "elsewhere" in state:
        used = state["elsewhere"].used
        source = place(context.params, state["elsewhere"])
        had = {passage.chunk for passage, *_ in items}
        items += [(hit.passage, None, True, source) for hit in used if hit.passage.chunk not in had]
    known = {passage.chunk for passage, *_ in items}
    rest = (hit for hit in state["ranking"].hits if hit.passage.chunk not in known)
    items += [(hit.passage, hit.score, False, "") for hit in rest]
    made = Context(
        passages=tuple(
            ContextPassage(rank=rank, passage=passage, score=score, given=given, source=source)
            for rank, (passage, score, given, source) in enumerate(items, 1)
        )
    )
    return reported(context, context=made)


async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Answer from the evidence; from memory where there is none, or where it does not hold the answer."""
    context = runtime.context
    passages = [item.passage for item in state["context"].passages if item.given]
    memory = state.get("memory")
    if passages:
        made = await answer_skill(context.skills, state["question"], passages)
        if memory is None or memory.abstained or not made.abstained:
            return reported(context, answer=made)
    elif memory is None:
        nothing = no_answer(NOTHING, ANSWER.key, context.skills.method(ANSWER))
        return reported(context, answer=nothing)
    why = "The passages do not hold the answer." if passages else "The search was judged incorrect."
    note = f"{why} {memory.note}".strip()
    return reported(context, answer=memory.model_copy(update={"final": True, "note": note}))
