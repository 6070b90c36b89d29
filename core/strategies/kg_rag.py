"""KG-RAG, Chain of Explorations: plan, walk through a knowledge graph step by step, judge the way, answer from it.

Sanmartin 2024, arXiv 2405.12035, Algorithm 1. What a step does is in `core.strategies.kg_rag_nodes`.
"""

from __future__ import annotations

from core.skills.answer_path import ANSWER_PATH
from core.skills.judge_path import JUDGE_PATH
from core.skills.plan_exploration import MOST_STEPS, PLAN_EXPLORATION
from core.skills.select import SELECT
from core.strategies.base import Graph, Stage, Strategy
from core.strategies.exercises import Options, Outcome
from core.strategies.kg_rag_nodes import answer, explore, judge, plan
from core.strategies.kg_rag_state import Params, State
from core.strategies.nodes import Node, unconnected

USUAL_HOPS = 2
"""Steps that follow relations, in a usual plan; the one before them names where they start, and costs no call."""


def after(state: State, params: Params) -> str:
    """The node that follows a verdict."""
    path = state["path"]
    if path.verdict == "continue":
        return "explore"
    return "plan" if path.verdict == "refine" and path.failed < params.tries else "answer"


def build(params: Params) -> Graph:
    """plan → (explore → judge)* → (plan again, or answer)."""
    from langgraph.graph import END, START

    graph = unconnected(
        State,
        Node(
            "plan",
            "Plan the steps",
            plan,
            does="What to look for in the graph, step by step: entities, then relations.",
        ),
        Node(
            "explore",
            "Explore one step",
            explore,
            does="One step of the plan: it goes to entities, or follows relations from them.",
        ),
        Node(
            "judge",
            "Judge the path",
            judge,
            does="Does the path so far answer the question, should it go on, or was it wrong?",
        ),
        Node(
            "answer",
            "Answer from the path",
            answer,
            does="The question is answered from the facts on the path.",
        ),
    )
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "explore")
    graph.add_edge("explore", "judge")
    graph.add_conditional_edges("judge", lambda state: after(state, params), ["explore", "plan", "answer"])
    graph.add_edge("answer", END)
    return graph


def stages(params: Params) -> tuple[Stage, ...]:
    """A plan, a choice and a verdict per hop, and the answer; further steps and plans only where they are needed."""
    steps = (Stage(SELECT.key), Stage(JUDGE_PATH.key)) * USUAL_HOPS
    further = params.tries * MOST_STEPS - USUAL_HOPS
    more = (
        Stage(PLAN_EXPLORATION.key, count=0, most=params.tries - 1),
        Stage(SELECT.key, count=0, most=further),
        Stage(JUDGE_PATH.key, count=0, most=further),
    )
    return (Stage(PLAN_EXPLORATION.key), *steps, *more, Stage(ANSWER_PATH.key))


STRATEGY = Strategy(
    key="kg-rag",
    title="KG-RAG",
    idea="Plan a way through a knowledge graph, walk it node by node and relation by relation, and answer from the "
    "triples on it.",
    paper="Sanmartin 2024, arXiv 2405.12035",
    helps="When the answer is a chain of facts: every hop is an edge that can be looked up, not a passage to be found.",
    hurts="When a fact is not in the graph, or the plan is wrong. And every step waits for a choice and a verdict.",
    params=Params,
    stages=stages,
    build=build,
    colour="#7A5195",
    order=120,
    family="explore",
    retrieves=False,
    explores=True,
)


def exercise(_: Options) -> Outcome:
    """Where a chain ends that goes back over the relation it came by."""
    from core.knowledge.explore.chains import Chain, MemoryGraph, drawn, extended
    from core.knowledge.records import Hop, NodeRecord
    from core.knowledge.triples import triple

    facts = (("F1", "Ann"), ("F1", "Bob"), ("F2", "Ann"), ("F3", "Cid"))
    graph = MemoryGraph(triple(film, "directed_by", person) for film, person in facts)
    chain = Chain(start=NodeRecord(id="ann", name="Ann"))
    working = []
    for hop in (Hop(rel="directed_by", direction="in"), Hop(rel="directed_by")):
        chain = extended(graph, chain, hop) or chain
        working.append(f"{drawn(chain)}: {', '.join(node.name for node in chain.nodes)}")
    return Outcome("".join(node.name for node in chain.nodes), tuple(working))
