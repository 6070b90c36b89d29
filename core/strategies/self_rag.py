"""Self-RAG: the model grades what was found and what it wrote, and searches or writes again where that fails.

Asai et al., arXiv 2310.11511, prompted; the loop is that of the LangGraph Self-RAG example. Every loop is bounded by
the caps in the parameters.
"""

from __future__ import annotations

from core.jobs import at_once
from core.skills.answer import ANSWER, RECALL, recall
from core.skills.answer import answer as answer_skill
from core.skills.answer_again import ANSWER_AGAIN, answer_again
from core.skills.decide_retrieval import DECIDE_RETRIEVAL, decide_retrieval
from core.skills.grade_relevance import GRADE_RELEVANCE, grade_relevance
from core.skills.grade_support import GRADE_SUPPORT, grade_support
from core.skills.grade_use import GRADE_USE, grade_use
from core.skills.rewrite_question import REWRITE_QUESTION, brings, rewrite_question
from core.strategies.base import END, START, Graph, NodeRuntime, Stage, Strategy, Update
from core.strategies.nodes import (
    add,
    connect,
    given_first,
    new_hits,
    node,
    reported,
    reranking,
    search_for_new,
    unconnected,
)
from core.strategies.self_rag_state import (
    MEMORY,
    Draft,
    Params,
    State,
    cause,
    drafts,
    judged_passages,
    passage_grades,
    regenerations,
    rewrites,
    searched,
    unchanged,
)
from core.trace.artefacts import EVAL_CUTOFF, Answer, Context, Grade
from core.trace.events import emit_artefact
from core.trace.passages import Passage
from core.wording import counted

NOTHING_NEW = "This search brought in nothing new that is relevant, so no other answer is written from it."


@node("decide", "Search at all?")
async def decide(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Does this question need a search at all?"""
    grade = await decide_retrieval(runtime.context.skills, state["question"])
    emit_artefact(runtime.context.tracer, grade)
    return {"grades": [(0, grade)]}


@node("retrieve", "Retrieve")
async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A search with the question, or with its last rewriting."""
    ranking, _ = await search_for_new(runtime.context, searched(state), judged_passages(state))
    return reported(runtime.context, ranking=ranking) | {"searches": [ranking.query]}


@node("grade_chunks", "Grade IsRel")
async def grade_chunks(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Every new passage is graded: is it relevant to the question (IsRel)?"""
    context = runtime.context
    number, used = rewrites(state) + 1, state["ranking"].used
    fresh = new_hits(used, judged_passages(state))

    async def grade(index: int, passage: Passage) -> tuple[int, Grade]:
        judged = await grade_relevance(context.skills, state["question"], passage, searched(state))
        judged = judged.model_copy(update={"round": number})
        emit_artefact(context.tracer, judged)
        return index, judged

    new = [(index, hit.passage) for index, hit in enumerate(used) if hit in fresh]
    return {"grades": await at_once(grade(index, passage) for index, passage in new)}


@node("evidence", "Keep the relevant")
async def evidence(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Relevant passages are kept, the others are put aside.

    The relevant ones of all searches in the order found; then the other chunks of this search, not given.
    """
    relevant = {chunk for chunk, grade in passage_grades(state).items() if grade.verdict == "yes"}
    before = state["context"].passages if "context" in state else ()
    earlier = [(item.passage, item.score) for item in before if item.given]
    old = {passage.chunk for passage, _ in earlier}
    hits = [hit for hit in state["ranking"].places if hit.passage.chunk not in old]
    new = [(hit.passage, hit.score) for hit in hits if hit.passage.chunk in relevant]
    rest = [(hit.passage, hit.score) for hit in hits if hit.passage.chunk not in relevant]
    together = given_first([*earlier, *new, *rest], len(earlier) + len(new))
    if earlier and not new:
        together = together.model_copy(update={"note": NOTHING_NEW})
    return reported(runtime.context, context=together)


@node("generate", "Generate")
async def generate(state: State, runtime: NodeRuntime[Params]) -> Update:
    """A draft of the answer is written from the passages that were kept."""
    skills, question, before = runtime.context.skills, state["question"], drafts(state)
    if "context" not in state:
        number, context = MEMORY, Context(passages=())
        draft = await recall(skills, question)
    else:
        number, context = rewrites(state) + 1, state["context"]
        same = [draft for draft in before if draft.round == number]
        if same:
            weak = same[-1].support.reason if same[-1].support else ""
            draft = await answer_again(
                skills, question, context.given_passages, [draft.answer for draft in same], weak
            )
        else:
            draft = await answer_skill(skills, question, context.given_passages)
    draft = draft.model_copy(update={"final": False})
    emit_artefact(runtime.context.tracer, draft)
    return {"drafts": [(number, draft, context)]}


@node("grade_answer", "Grade IsSup & IsUse")
async def grade_answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The draft is graded: do the passages support it (IsSup), and is it of use (IsUse)?"""
    context, last = runtime.context, drafts(state)[-1]
    skills, useful_from = context.skills, context.params.useful_from
    calls = [grade_use(skills, state["question"], last.answer, useful_from=useful_from)]
    if last.round != MEMORY:
        calls.insert(0, grade_support(skills, state["question"], last.answer, last.context.given_passages))
    judged = [grade.model_copy(update={"round": max(last.round, 1)}) for grade in await at_once(calls)]
    for grade in judged:
        emit_artefact(context.tracer, grade)
    return {"grades": [(len(state["drafts"]) - 1, grade) for grade in judged]}


@node("rewrite", "Rewrite the question")
async def rewrite(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The question is reworded in the light of what went wrong."""
    number = rewrites(state) + 1
    written = drafts(state)
    judged = passage_grades(state)
    rewritten = await rewrite_question(
        runtime.context.skills,
        state["question"],
        state["searches"],
        cause(state),
        draft=written[-1].answer.text if written else "",
        findings=[brings(passage, judged.get(passage.chunk)) for passage in state["context"].given_passages],
        number=number,
    )
    return reported(runtime.context, rewrite=rewritten)


def need(state: State) -> str:
    """After Retrieve: search, or answer from memory."""
    return "retrieve" if state["grades"][-1][1].verdict == "yes" else "generate"


def relevance(state: State, params: Params) -> str:
    """After IsRel: write an answer if anything relevant is new, else search with other words."""
    if state["context"].given_passages and not unchanged(state):
        return "generate"
    return "rewrite" if rewrites(state) < params.max_rewrites else "answer"


def worth(state: State, params: Params) -> str:
    """After IsSup and IsUse: support is repaired before use, and each only as often as its cap allows.

    A draft that is good but for what it adds to its passages is written again once; whatever comes of that, the run
    has an answer. Where it lacks use as well, a new search may find what it adds.
    """
    written = drafts(state)
    last, again = written[-1], regenerations(state) < params.max_regenerations
    if "capped" in state:
        return "answer"
    if any(draft.good(params.useful_from) for draft in written):
        first = all(draft.round != last.round for draft in written[:-1])
        return "generate" if last.unsupported and first and again else "answer"
    if last.round == MEMORY:
        return "retrieve"
    if not last.supported:
        return "generate" if again else "answer"
    return "rewrite" if rewrites(state) < params.max_rewrites else "answer"


@node("answer", "Answer")
async def answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The best draft becomes the answer."""
    context, params = runtime.context, runtime.context.params
    every = drafts(state)
    written = [draft for draft in every if draft.round != MEMORY or draft.good(params.useful_from)]
    if not written and "capped" in state:
        written = every
    if not written:
        return reported(context, answer=abstention(state, params))
    # Of equals the last: it was written knowing what was wrong with the others.
    best = max(reversed(written), key=lambda draft: draft.worth)
    notes = [
        best.answer.note,
        _remark(best),
        "" if best.good(params.useful_from) else _cap(state, params, best),
    ]
    final = best.answer.model_copy(update={"final": True, "note": " ".join(filter(None, notes))})
    if best.round != MEMORY and best.context != state["context"]:
        emit_artefact(context.tracer, best.context)
    return reported(context, answer=final) | {"context": best.context}


def abstention(state: State, params: Params) -> Answer:
    """The answer when no search found anything relevant."""
    tries = rewrites(state)
    after = f", even after {counted(tries, 'rewrite')} of the question" if tries else ""
    return Answer(
        text=f"No relevant passage was found{after}, so there is no answer.",
        abstained=True,
        note=f"Limit reached: at most {counted(params.max_rewrites, 'rewrite')} allowed. Nothing was made up instead.",
    )


def _remark(draft: Draft) -> str:
    if draft.support and draft.support.verdict == "partially":
        return f"Only partially supported by the passages (IsSup). {draft.support.reason}".strip()
    return "Written from memory: nothing was searched." if draft.round == MEMORY else ""


def _cap(state: State, params: Params, best: Draft) -> str:
    """Say that the run was not content and which cap ended it."""
    support = best.support.verdict if best.support else "not graded"
    use = f"{best.use.verdict} of 5" if best.use else "not graded"
    is_best = f"This is the best draft so far of {len(state['drafts'])}: IsSup {support}, IsUse {use}."
    if "capped" in state:
        return f"{state['capped']} {is_best}"
    last = drafts(state)[-1]
    # The last search may have found nothing, and then no draft belongs to it.
    unsupported = last.round == rewrites(state) + 1 and not last.supported
    limit = (
        counted(params.max_regenerations, "regeneration")
        if unsupported
        else counted(params.max_rewrites, "rewrite")
    )
    return f"Limit reached: at most {limit} allowed. {is_best}"


def build(params: Params) -> Graph:
    """retrieve → IsRel → generate → IsSup and IsUse → answer, with the ways back."""
    graph = unconnected(State, retrieve, grade_chunks, evidence, generate, grade_answer, rewrite, answer)
    ways_on = ["generate", "rewrite", "answer"]
    if params.decide_retrieval:
        add(graph, decide)
        graph.add_edge(START, "decide")
        graph.add_conditional_edges("decide", need, ["retrieve", "generate"])
    else:
        graph.add_edge(START, "retrieve")
    connect(graph, "retrieve", "grade_chunks", "evidence")
    graph.add_conditional_edges("evidence", lambda state: relevance(state, params), ways_on)
    graph.add_edge("generate", "grade_answer")
    back = ["retrieve"] if params.decide_retrieval else []
    graph.add_conditional_edges("grade_answer", lambda state: worth(state, params), [*ways_on, *back])
    graph.add_edge("rewrite", "retrieve")
    graph.add_edge("answer", END)
    return graph


def stages(params: Params) -> tuple[Stage, ...]:
    """Three rounds where nothing has to be repaired; the most is what the caps allow."""
    searches = 1 + params.max_rewrites
    written = searches + params.max_regenerations
    memory = int(params.decide_retrieval)
    return (
        Stage(DECIDE_RETRIEVAL.key, memory),
        *reranking(params),
        Stage(GRADE_RELEVANCE.key, params.k, most=params.k * searches),
        Stage(ANSWER.key, most=searches),
        Stage(GRADE_SUPPORT.key, most=written),
        Stage(GRADE_USE.key, most=written + memory, beside=True),
        Stage(REWRITE_QUESTION.key, 0, most=params.max_rewrites),
        *reranking(params, 0, most=params.max_rewrites, depth=max(EVAL_CUTOFF, params.k * searches)),
        Stage(ANSWER_AGAIN.key, 0, most=params.max_regenerations),
        Stage(RECALL.key, 0, most=memory),
    )


STRATEGY = Strategy(
    key="self-rag",
    title="Self-RAG",
    idea="Grade every passage and every draft, and search or write again where a grade is bad. In this app an "
    "ordinary model gives the grades; the paper trains one for it.",
    paper="Asai et al. 2023, Self-RAG, arXiv 2310.11511; the LangGraph Self-RAG example",
    helps="When the first search misses, or the model adds what the passages do not say: it notices and tries again.",
    hurts="It is only as good as its graders, and each grade costs a call. The paper's model was trained to write its "
    "grades along with the text; in this app a model is prompted for them.",
    params=Params,
    stages=stages,
    build=build,
    colour="#B5651D",
    order=110,
    picture="grade",
    family="judge",
    at_cap=("grade_answer", lambda state: bool(state.get("drafts"))),
)
