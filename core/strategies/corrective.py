"""Corrective RAG: judge what a search found, refine it where it holds the answer, and look elsewhere where it does not.

Yan et al., arXiv 2401.15884. Their evaluator is a T5 that was trained for it, and elsewhere is the web.
"""

from __future__ import annotations

from core.skills.answer import ANSWER, RECALL
from core.skills.evaluate_passage import EVALUATE_PASSAGE
from core.skills.rewrite_question import REWRITE_QUESTION
from core.strategies import corrective_nodes as nodes
from core.strategies.base import Graph, Stage, Strategy
from core.strategies.corrective_nodes import Params, State
from core.strategies.exercises import Options, Outcome
from core.strategies.nodes import EVAL_CUTOFF, Node, add, unconnected
from core.strategies.reranked import reranking
from core.trace.artefacts import Grade

GRADE_ELSEWHERE = Node(
    "grade_elsewhere",
    "Evaluate these too",
    nodes.grade_elsewhere,
    does="Each passage that was found elsewhere is judged as well.",
)


def build(params: Params) -> Graph:
    """retrieve → grade → judge → refine, or look elsewhere and refine that, or both at once → evidence → answer."""
    from langgraph.graph import END, START

    graph = unconnected(
        State,
        Node("retrieve", "Retrieve", nodes.retrieve, does="One search with the question as it was asked."),
        Node(
            "grade",
            "Evaluate passages",
            nodes.grade,
            does="Each passage is judged by itself: does it hold the answer, a part of it, or nothing?",
        ),
        Node(
            "judge",
            "Judge the search",
            nodes.judge,
            does="What the search is worth follows from the grades, and decides the way on.",
        ),
        Node(
            "rewrite",
            "Rewrite the question",
            nodes.rewrite,
            does="The question is put into words for a search elsewhere.",
        ),
        Node(
            "refine",
            "Refine into strips",
            nodes.refine,
            does="The passages are cut into strips, and only strips that are needed are kept; what was found elsewhere "
            "as well.",
        ),
        Node(
            "elsewhere",
            "Look elsewhere",
            nodes.elsewhere,
            does="What the documents did not give is looked for somewhere else.",
        ),
        *([] if params.elsewhere == "memory" else [GRADE_ELSEWHERE]),
        Node(
            "answer",
            "Answer",
            nodes.answer,
            does="The question is answered from the evidence that was put together.",
        ),
    )
    # It waits for both ways where both are gone, and the longer one has a step more.
    put = Node(
        "evidence",
        "Put together",
        nodes.evidence,
        does="What was kept and what was found elsewhere become one list.",
    )
    add(graph, put, defer=True)
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "grade")
    graph.add_edge("grade", "judge")
    ways = ["refine", nodes.way_out(params)]
    graph.add_conditional_edges("judge", lambda state: nodes.ways(state, params), ways)
    graph.add_edge("rewrite", "elsewhere")
    graph.add_edge("refine", "evidence")
    if params.elsewhere == "memory":
        graph.add_edge("elsewhere", "evidence")
    else:
        graph.add_edge("elsewhere", "grade_elsewhere")
        graph.add_edge("grade_elsewhere", "refine")
    graph.add_edge("evidence", "answer")
    graph.add_edge("answer", END)
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
    helps="When a search may miss: a near miss is noticed before an answer is written from it.",
    hurts="When the search was right and the evaluator is not: evidence is thrown away, or its words are.",
    params=Params,
    stages=stages,
    build=build,
    colour="#D12E93",
    order=111,
    family="judge",
    appends=True,
    also_searches=nodes.other_corpus,
)


def exercise(options: Options) -> Outcome:
    """What is done after a search none of whose passages holds the answer, but one holds a part of it."""
    judged: State = {"grades": [(0, Grade(what="Search", verdict="ambiguous", passes=True))]}
    return Outcome(" ".join(nodes.ways(judged, Params(rewrite=False))))
