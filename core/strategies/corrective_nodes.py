"""The nodes of Corrective RAG, and the way from one to the next; the graph itself is in `corrective`."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from core.errors import InputError
from core.jobs import at_once
from core.skills.answer import ANSWER, recall
from core.skills.answer import answer as answer_skill
from core.skills.copying import no_answer
from core.skills.evaluate_passage import Thresholds, evaluate_passage, recomposed
from core.skills.rewrite_question import brings, rewrite_question
from core.strategies.base import NodeRuntime, OneSearchParams, RagState, RunContext, Update
from core.strategies.nodes import EVAL_CUTOFF, new_hits, reported, search
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
    strips: int = Field(
        30,
        ge=1,
        le=200,
        title="Strips at most",
        description="How many strips of a search are kept, the best of all its passages; the paper's trained evaluator "
        "needs 3 to 6. For methods that give scores: a model that judges names those that are needed.",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_margin(cls, values: Any) -> Any:
        """Runs stored earlier kept the strips of each passage that lay within a margin of its best one."""
        if not isinstance(values, dict):
            return values
        return {name: value for name, value in values.items() if name != "margin"}


class State(RagState, total=False):
    """Adds what was found, judged, refined, and found elsewhere."""

    ranking: Ranking
    grades: Annotated[list[tuple[int, Grade]], operator.add]
    """Of each passage, with its index in its ranking, in round 2 if it was found elsewhere; and of the search."""
    strips: list[tuple[Strip, ...]]
    """Of each passage, in the order of the ranking."""
    strips_elsewhere: list[tuple[Strip, ...]]
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
    grades, strips = await _evaluated(runtime.context, state["question"], state["ranking"], 1)
    return {"grades": grades, "strips": strips}


async def grade_elsewhere(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The same of what was found elsewhere, and whether it holds what was searched for."""
    grades, strips = await _evaluated(runtime.context, state["question"], state["elsewhere"], 2)
    return {"grades": grades, "strips_elsewhere": strips}


async def _evaluated(
    context: RunContext[Params], question: str, ranking: Ranking, number: int
) -> tuple[list[tuple[int, Grade]], list[tuple[Strip, ...]]]:
    params = context.params
    thresholds = Thresholds(min(params.lower, params.upper), params.upper)
    searched = "" if ranking.query == question else ranking.query

    async def judged(index: int, passage: Passage) -> tuple[tuple[int, Grade], tuple[Strip, ...]]:
        made = await evaluate_passage(context.skills, question, passage, thresholds, searched)
        grade = made.grade.model_copy(update={"round": number})
        emit_artefact(context.tracer, grade)
        return (index, grade), made.strips

    found = await at_once(judged(index, hit.passage) for index, hit in enumerate(ranking.used))
    return [one for one, _ in found], [strips for _, strips in found]


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


def passage_grades(state: State, number: int = 1) -> list[tuple[int, Grade]]:
    """The grades of the passages of the first search, or of that elsewhere, each with its index in the ranking."""
    return [one for one in state["grades"] if one[1].what == "Holds" and one[1].round == number]


def refined(state: State, number: int, most: int) -> tuple[RefinedPassage, ...]:
    """The passages of a search in strips, of which those are kept that are needed.

    Strips with scores compete over all passages, whatever these are graded, and the best `most` are kept (Algorithm 1
    and section 4.4 of the paper). Else those are kept that the evaluator named; all of a passage of which it named
    none, or whose grade somebody changed; and none if the passage is graded no.
    """
    ranking, every = (
        (state["ranking"], state["strips"])
        if number == 1
        else (state["elsewhere"], state["strips_elsewhere"])
    )
    grades = passage_grades(state, number)
    scores = {
        (index, place): strip.score
        for index, one in grades
        if one.score is not None
        for place, strip in enumerate(every[index])
        if strip.score is not None
    }
    best = set(sorted(scores, key=lambda place: -scores[place])[:most])

    def is_kept(index: int, one: Grade, place: int, strip: Strip) -> bool:
        if one.score is not None:
            return (index, place) in best
        return one.verdict != "no" and (strip.kept or not any(other.kept for other in every[index]))

    return tuple(
        RefinedPassage(
            passage=ranking.used[index].passage,
            strips=tuple(
                strip.model_copy(update={"kept": is_kept(index, one, place, strip)})
                for place, strip in enumerate(every[index])
            ),
        )
        for index, one in grades
    )


async def refine(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Decompose the passages of the last search into strips; those found elsewhere join those that are there."""
    before = state["refinement"].passages if "refinement" in state else ()
    new = refined(state, 2 if "elsewhere" in state else 1, runtime.context.params.strips)
    if not new:
        return {}
    had = {(one.passage.chunk, strip.text) for one in before for strip in one.strips if strip.kept}
    passages = {one.passage.chunk: one for one in before}
    for one in new:
        strips = tuple(
            strip.model_copy(update={"kept": strip.kept or (one.passage.chunk, strip.text) in had})
            for strip in one.strips
        )
        passages[one.passage.chunk] = one.model_copy(update={"strips": strips})
    return reported(runtime.context, refinement=Refinement(passages=tuple(passages.values())))


async def rewrite(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Words for a search elsewhere: the model knows what was found so far, and what each passage lacks."""
    found = verdict(state)
    parts = [one for _, one in passage_grades(state) if one.verdict == "partly" and one.passage]
    named = {one.passage.chunk for one in parts if one.passage and not one.note}
    kept = refined(state, 1, runtime.context.params.strips) if found == "ambiguous" else ()
    texts = [
        " ".join(strip.text for strip in one.strips if strip.kept)
        for one in kept
        if one.passage.chunk in named
    ]
    made = await rewrite_question(
        runtime.context.skills,
        state["question"],
        [state["ranking"].query],
        CAUSES[found],
        draft="\n".join(filter(None, texts)),
        found=[brings(one.passage, one) for one in parts if one.passage],
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
    new = new_hits(found.places, out)
    hits = tuple(Hit(rank=rank, score=hit.score, passage=hit.passage) for rank, hit in enumerate(new, 1))
    left = len(found.places) - len(new)
    said = f"Left out: {counted(left, 'passage')} that had been judged." if left else ""
    note = " ".join(filter(None, (found.note, said)))
    return reported(context, elsewhere=found.model_copy(update={"hits": hits, "note": note}))


def not_again(state: State) -> list[Passage]:
    """Passages that need not be found elsewhere: those that are given in any case, and those that a judge refused.

    A low score refuses nothing for good: what another search finds may not resemble the question.
    """
    refines = verdict(state) == "ambiguous"
    return [
        one.passage
        for _, one in passage_grades(state)
        if one.passage and (refines if one.passes else one.score is None)
    ]


def place(params: Params, ranking: Ranking) -> str:
    """Where passages of a search elsewhere are from, in words."""
    return f"a search in “{params.corpus}”" if params.elsewhere == "corpus" else f"{ranking.retriever} search"


async def evidence(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Put together what was refined and what was found elsewhere; what was refused follows, and is not given."""
    context, first = runtime.context, state["ranking"]
    other = state["elsewhere"].used if "elsewhere" in state else ()
    source = place(context.params, state["elsewhere"]) if "elsewhere" in state else ""
    own = set[str]() if verdict(state) == "incorrect" else {hit.passage.chunk for hit in first.used}
    scores = {hit.passage.chunk: hit.score for hit in first.hits if hit.passage.chunk in own}
    found = [
        (recomposed(one.passage, one.strips), scores.get(one.passage.chunk))
        for one in (state["refinement"].passages if "refinement" in state else ())
        if any(strip.kept for strip in one.strips)
    ]
    known = {passage.chunk for passage, _ in found}
    items = [(passage, score, True, "" if passage.chunk in own else source) for passage, score in found]
    items += [(hit.passage, None, False, source) for hit in other if hit.passage.chunk not in known]
    known |= {passage.chunk for passage, *_ in items}
    items += [(hit.passage, hit.score, False, "") for hit in first.places if hit.passage.chunk not in known]
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
