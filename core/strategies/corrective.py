"""Corrective RAG: judge what a search found, refine it where it holds the answer, and look elsewhere where it does not.

Yan et al., arXiv 2401.15884. Their evaluator is a T5 that was trained for it, and elsewhere is the web.
"""

from __future__ import annotations

from core.jobs import at_once
from core.skills.answer import ANSWER, RECALL, recall
from core.skills.answer import answer as answer_skill
from core.skills.copying import no_answer
from core.skills.evaluate_passage import EVALUATE_PASSAGE, Thresholds, evaluate_passage, recomposed
from core.skills.rewrite_question import REWRITE_QUESTION, brings, rewrite_question
from core.strategies.base import END, START, Graph, NodeRuntime, RunContext, Stage, Strategy, Update
from core.strategies.corrective_state import (
    Params,
    State,
    not_again,
    other_corpus,
    passage_grades,
    place,
    refined,
    verdict,
    way_out,
    ways,
)
from core.strategies.nodes import add, connect, new_hits, node, reported, reranking, search, unconnected
from core.trace.artefacts import EVAL_CUTOFF, Context, Grade, Ranking, Refinement, Strip
from core.trace.events import emit_artefact
from core.trace.passages import Hit, Passage
from core.wording import counted

CAUSES = {
    "ambiguous": "a search that found only a part of the answer.",
    "incorrect": "a search that found nothing of the answer.",
}
"""Verdict on a search -> why the question is reworded."""
NOTHING = "No passage that was found holds the answer, and there was nothing else where it was looked for."


@node("retrieve", "Retrieve")
async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """One search with the question as it was asked."""
    return {"ranking": await search(runtime.context, state["question"])}


@node("grade", "Evaluate passages")
async def grade(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Each passage is judged by itself: does it hold the answer, a part of it, or nothing?"""
    grades, strips = await _evaluated(runtime.context, state["question"], state["ranking"], 1)
    return {"grades": grades, "strips": strips}


@node("grade_elsewhere", "Evaluate these too")
async def grade_elsewhere(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Each passage that was found elsewhere is judged as well."""
    grades, strips = await _evaluated(runtime.context, state["question"], state["elsewhere"], 2)
    return {"grades": grades, "strips_elsewhere": strips}


async def _evaluated(
    context: RunContext[Params], question: str, ranking: Ranking, number: int
) -> tuple[list[tuple[int, Grade]], list[tuple[Strip, ...]]]:
    params = context.params
    thresholds = Thresholds(min(params.lower, params.upper), params.upper)
    searched = "" if ranking.query == question else ranking.query

    async def judged(index: int, passage: Passage) -> tuple[tuple[int, Grade], tuple[Strip, ...]]:
        evaluated = await evaluate_passage(context.skills, question, passage, thresholds, searched)
        grade = evaluated.grade.model_copy(update={"round": number})
        emit_artefact(context.tracer, grade)
        return (index, grade), evaluated.strips

    results = await at_once(judged(index, hit.passage) for index, hit in enumerate(ranking.used))
    return [graded for graded, _ in results], [strips for _, strips in results]


@node("judge", "Judge the search")
async def judge(state: State, runtime: NodeRuntime[Params]) -> Update:
    """What the search is worth follows from the grades, and decides the way on.

    It is correct if any passage holds the answer, ambiguous if any holds part of it.
    """
    verdicts = [passage_grade.verdict for _, passage_grade in passage_grades(state)]
    whole, part, passages = verdicts.count("yes"), verdicts.count("partly"), counted(len(verdicts), "passage")
    if whole:
        outcome = "correct"
        reason = f"The evaluator finds the answer in {whole} of {passages}: what was found is refined."
    elif part:
        outcome = "ambiguous"
        reason = f"The evaluator finds a part of the answer in {part} of {passages}: refine, and look elsewhere too."
    else:
        outcome = "incorrect"
        reason = f"The evaluator finds nothing of the answer in {passages}: look elsewhere."
    judgement = Grade(what="Search", verdict=outcome, passes=outcome != "incorrect", reason=reason)
    emit_artefact(runtime.context.tracer, judgement)
    return {"grades": [(len(verdicts), judgement)]}


@node("refine", "Refine into strips")
async def refine(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The passages are cut into strips, and only strips that are needed are kept; what was found elsewhere as well."""
    before = state["refinement"].passages if "refinement" in state else ()
    new = refined(state, 2 if "elsewhere" in state else 1, runtime.context.params.strips)
    if not new:
        return {}
    had = {(item.passage.chunk, strip.text) for item in before for strip in item.strips if strip.kept}
    passages = {item.passage.chunk: item for item in before}
    for item in new:
        strips = tuple(
            strip.model_copy(update={"kept": strip.kept or (item.passage.chunk, strip.text) in had})
            for strip in item.strips
        )
        passages[item.passage.chunk] = item.model_copy(update={"strips": strips})
    return reported(runtime.context, refinement=Refinement(passages=tuple(passages.values())))


@node("rewrite", "Rewrite the question")
async def rewrite(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The question is reworded for a search elsewhere."""
    outcome = verdict(state)
    parts = [item for _, item in passage_grades(state) if item.verdict == "partly" and item.passage]
    named = {item.passage.chunk for item in parts if item.passage and not item.note}
    passages = refined(state, 1, runtime.context.params.strips) if outcome == "ambiguous" else ()
    texts = [
        " ".join(strip.text for strip in item.strips if strip.kept)
        for item in passages
        if item.passage.chunk in named
    ]
    rewritten = await rewrite_question(
        runtime.context.skills,
        state["question"],
        [state["ranking"].query],
        CAUSES[outcome],
        draft="\n".join(filter(None, texts)),
        findings=[brings(item.passage, item) for item in parts if item.passage],
        number=1,
    )
    return reported(runtime.context, rewrite=rewritten)


@node("elsewhere", "Look elsewhere")
async def elsewhere(state: State, runtime: NodeRuntime[Params]) -> Update:
    """What the documents did not give is looked for somewhere else."""
    context, question = runtime.context, state["question"]
    if context.params.elsewhere == "memory":
        draft = await recall(context.skills, question)
        return reported(context, memory=draft.model_copy(update={"final": False}))
    query = state["rewrite"].after if "rewrite" in state else question
    k = context.params.k
    ranking = await context.other_retriever.search(query, k, depth=max(2 * k, EVAL_CUTOFF))
    out = not_again(state)
    new = new_hits(ranking.places, out)
    hits = tuple(Hit(rank=rank, score=hit.score, passage=hit.passage) for rank, hit in enumerate(new, 1))
    left = len(ranking.places) - len(new)
    left_line = f"Left out: {counted(left, 'passage')} that had been judged." if left else ""
    note = " ".join(filter(None, (ranking.note, left_line)))
    return reported(context, elsewhere=ranking.model_copy(update={"hits": hits, "note": note}))


@node("evidence", "Put together")
async def evidence(state: State, runtime: NodeRuntime[Params]) -> Update:
    """What was kept and what was found elsewhere become one list."""
    context, first = runtime.context, state["ranking"]
    hits_elsewhere = state["elsewhere"].used if "elsewhere" in state else ()
    source = place(context.params, state["elsewhere"]) if "elsewhere" in state else ""
    own = set[str]() if verdict(state) == "incorrect" else {hit.passage.chunk for hit in first.used}
    scores = {hit.passage.chunk: hit.score for hit in first.hits if hit.passage.chunk in own}
    refined_passages = [
        (recomposed(item.passage, item.strips), scores.get(item.passage.chunk))
        for item in (state["refinement"].passages if "refinement" in state else ())
        if any(strip.kept for strip in item.strips)
    ]
    known = {passage.chunk for passage, _ in refined_passages}
    items = [
        (passage, score, True, "" if passage.chunk in own else source) for passage, score in refined_passages
    ]
    items += [(hit.passage, None, False, source) for hit in hits_elsewhere if hit.passage.chunk not in known]
    known |= {passage.chunk for passage, *_ in items}
    items += [(hit.passage, hit.score, False, "") for hit in first.places if hit.passage.chunk not in known]
    return reported(context, context=Context.of(items))


@node("answer", "Answer")
async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The question is answered from the evidence that was put together."""
    context = runtime.context
    passages = state["context"].given_passages
    memory = state.get("memory")
    if passages:
        result = await answer_skill(context.skills, state["question"], passages)
        if memory is None or memory.abstained or not result.abstained:
            return reported(context, answer=result)
    elif memory is None:
        nothing = no_answer(NOTHING, ANSWER.key, context.skills.method(ANSWER))
        return reported(context, answer=nothing)
    why = "The passages do not hold the answer." if passages else "The search was judged incorrect."
    note = f"{why} {memory.note}".strip()
    return reported(context, answer=memory.model_copy(update={"final": True, "note": note}))


def build(params: Params) -> Graph:
    """retrieve → grade → judge → refine, or look elsewhere and refine that, or both at once → evidence → answer."""
    graph = unconnected(
        State,
        retrieve,
        grade,
        judge,
        rewrite,
        refine,
        elsewhere,
        *([] if params.elsewhere == "memory" else [grade_elsewhere]),
        answer,
    )
    # It waits for both ways where both are gone, and the longer one has a step more.
    add(graph, evidence, defer=True)
    connect(graph, START, "retrieve", "grade", "judge")
    graph.add_conditional_edges("judge", lambda state: ways(state, params), ["refine", way_out(params)])
    graph.add_edge("rewrite", "elsewhere")
    graph.add_edge("refine", "evidence")
    if params.elsewhere == "memory":
        graph.add_edge("elsewhere", "evidence")
    else:
        connect(graph, "elsewhere", "grade_elsewhere", "refine")
    connect(graph, "evidence", "answer", END)
    return graph


def stages(params: Params) -> tuple[Stage, ...]:
    """Two rounds where the search is correct; at most two more where it is not, since what is found elsewhere is
    evaluated as well: what is refined takes none."""
    memory = params.elsewhere == "memory"
    return (
        *reranking(params),
        Stage(EVALUATE_PASSAGE.key, params.k),
        Stage(REWRITE_QUESTION.key, 0, most=int(params.rewrite and not memory)),
        *reranking(params, 0, most=int(not memory), depth=max(2 * params.k, EVAL_CUTOFF)),
        Stage(EVALUATE_PASSAGE.key, 0, most=0 if memory else params.k, together=True),
        Stage(RECALL.key, 0, most=int(memory)),
        Stage(ANSWER.key),
    )


STRATEGY = Strategy(
    key="corrective",
    title="Corrective RAG",
    idea="Judge what was found: cut it down to what the answer needs, look elsewhere, or do both.",
    paper="Yan et al. 2024, Corrective Retrieval Augmented Generation, arXiv 2401.15884",
    helps="When a search may fail: a near miss is noticed before an answer is written from it.",
    hurts="When the search was right and the evaluator is wrong: evidence is thrown away, whole or in part.",
    params=Params,
    stages=stages,
    build=build,
    colour="#D12E93",
    order=111,
    picture="grade",
    family="judge",
    appends=True,
    also_searches=other_corpus,
)
