"""Reasoning with search: a chain of reasoning that searches where it lacks a fact, and reads in what was found.

Li et al., arXiv 2501.05366 (Search-o1). Their model is a reasoning model that halts at marks it writes; here each piece
of the chain is a reply of its own.
"""

from __future__ import annotations

from core.skills.read import READ
from core.skills.read_into_chain import READ_INTO_CHAIN
from core.skills.reason import REASON
from core.strategies import search_o1_nodes as nodes
from core.strategies.base import Graph, Stage, Strategy
from core.strategies.exercises import Options, Outcome
from core.strategies.nodes import Node, in_order, unconnected
from core.strategies.reranked import reranking
from core.strategies.search_o1_chain import asked, new_searches
from core.strategies.search_o1_nodes import Params, State
from core.trace.artefacts import Thought

USUAL_SEARCHES = 2
"""One after the other: those of a question with two hops."""


def build(params: Params) -> Graph:
    """think → (search → read → think)* → answer."""
    from langgraph.graph import END, START

    def after(state: State) -> str:
        if nodes.pending(state, params):
            return "search"
        last: Thought = in_order(state["thoughts"])[-1]
        return "answer" if last.ends else "think"

    graph = unconnected(
        State,
        Node(
            "think",
            "Think on",
            nodes.think,
            does="The model thinks on, until it asks for a search or ends with the answer.",
        ),
        # In this order the arrows back to the thoughts and on to the end do not cross in the diagram.
        Node("search", "Search", nodes.search, does="What the last thought asked for is searched."),
        Node("answer", "Answer", nodes.answer, does="The answer is what the chain of thoughts ends with."),
        *(
            [
                Node(
                    "read",
                    "Read into the chain",
                    nodes.read,
                    does="The passages are read, and only what they hold for the question goes into the chain.",
                )
            ]
            if params.read
            else []
        ),
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
    found: list[Stage] = []
    for step in range(params.max_searches):
        usual = int(step < USUAL_SEARCHES)
        reading = usual if params.read else 0
        found += [
            Stage(REASON.key, usual, most=1),
            *reranking(params, usual, most=1),
            Stage(READ_INTO_CHAIN.key, reading, most=int(params.read)),
        ]
    return (*found, Stage(REASON.key, 1, most=2), Stage(READ.key, 0, most=1))


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
    family="think",
    asks_first=True,
    appends=True,
)


def exercise(options: Options) -> Outcome:
    """How many searches are made of what two thoughts ask for, where four are allowed."""
    asking = (("A", "B", "C"), ("b", "D", "E"))
    thoughts = [
        Thought(index=index, text="", written="", queries=queries) for index, queries in enumerate(asking)
    ]
    return Outcome(str(sum(len(new_searches(searches)) for searches in asked(thoughts, 4))))
