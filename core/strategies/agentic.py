"""Agentic RAG: the model decides where to look, with which question, and whether that was enough.

After chapter 5 of "Essential GraphRAG" (Bratanič and Hane, 2025). What a step does is in
`core.strategies.agentic_nodes`, the tools are in `core.strategies.agentic_tools`.
"""

from __future__ import annotations

from core.skills.answer_gathered import ANSWER_GATHERED
from core.skills.answer_sub import ANSWER_SUB
from core.skills.choose_tool import CHOOSE_TOOL
from core.skills.critique import CRITIQUE
from core.skills.single_questions import MOST_QUESTIONS, SPLIT_QUESTION, UPDATE_QUESTION
from core.skills.text2cypher import REPAIRS, TEXT2CYPHER
from core.strategies.agentic_nodes import answer, choose, critique, ready_now, run, split, update
from core.strategies.agentic_state import Params, State
from core.strategies.base import Graph, Stage, Strategy
from core.strategies.exercises import Options, Outcome
from core.strategies.nodes import Node, unconnected
from core.strategies.reranked import reranking


def after_run(state: State) -> str:
    """To the questions that waited for these answers, or on to the critique."""
    if state.get("ended"):
        return "answer"
    round_ = state["round"]
    questions = state["sub_questions"].questions if round_ == 1 else state["critique"].questions
    done = {call.index for call in state["calls"] if call.round == round_}
    return "update" if len(done) < len(questions) else "critique"


def after_critique(state: State) -> str:
    """Another round, or the answer."""
    found = state["critique"]
    return "answer" if found.complete or found.ends else "update"


def build(params: Params) -> Graph:
    """split → (update → choose → run)* → critique → (again, or answer)."""
    from langgraph.graph import END, START

    graph = unconnected(
        State,
        Node(
            "split",
            "Take the question apart",
            split,
            does="The question is taken apart: each part asks for one thing.",
        ),
        Node(
            "update",
            "Fill in earlier answers",
            update,
            does="Earlier answers are filled into the questions that can be asked now.",
        ),
        Node(
            "choose",
            "Choose tools",
            choose,
            does="For each question a tool is chosen, with what it is to be asked.",
        ),
        Node("run", "Run the tools", run, does="All chosen tools are used, at the same time."),
        Node(
            "critique",
            "Criticise",
            critique,
            does="Is that enough for an answer? If not, it says what to ask next.",
        ),
        Node("answer", "Answer", answer, does="The question is answered from everything that was gathered."),
    )
    graph.add_edge(START, "split")
    graph.add_edge("split", "update")
    graph.add_conditional_edges(
        "update", lambda state: "answer" if state.get("ended") else "choose", ["choose", "answer"]
    )
    graph.add_conditional_edges(
        "choose", lambda state: "answer" if state.get("ended") else "run", ["run", "answer"]
    )
    graph.add_conditional_edges("run", after_run, ["update", "critique", "answer"])
    graph.add_conditional_edges("critique", after_critique, ["update", "answer"])
    graph.add_edge("answer", END)
    return graph


def stages(params: Params) -> tuple[Stage, ...]:
    """One question that one tool answers; more questions, rounds and repairs only where they are needed."""
    calls = params.max_calls
    choices = min(calls, MOST_QUESTIONS * params.max_rounds)
    return (
        Stage(SPLIT_QUESTION.key),
        Stage(UPDATE_QUESTION.key, count=0, most=choices),
        Stage(CHOOSE_TOOL.key, most=choices),
        Stage(TEXT2CYPHER.key, count=0, most=calls * (1 + REPAIRS) if params.text2cypher else 0),
        *reranking(params, 0, most=calls if params.documents else 0),
        Stage(ANSWER_SUB.key, count=0, most=calls if params.documents else 0),
        Stage(CRITIQUE.key, most=params.max_rounds),
        Stage(ANSWER_GATHERED.key),
    )


STRATEGY = Strategy(
    key="agentic",
    title="Agentic RAG",
    idea="The model takes the question apart, chooses a tool for each part (the graph or the documents), and asks "
    "again for what is still missing.",
    paper="Bratanič and Hane 2025, Essential GraphRAG, chapter 5",
    helps="When a question needs several sources: counts and lists from a graph, words from documents.",
    hurts="When the model chooses badly: every wrong tool costs a round, and a query that runs may still ask for "
    "something else.",
    params=Params,
    stages=stages,
    build=build,
    colour="#B03060",
    order=130,
    family="explore",
    explores=True,
)


def exercise(_: Options) -> Outcome:
    """Turns of questions of which one waits for another."""
    questions = ("Who directed Heat?", "When was #1 born?", "Who wrote Alien?")
    done: set[int] = set()
    working: list[str] = []
    while ready := ready_now(questions, done):
        working.append(f"Turn {len(working) + 1}: {' and '.join(questions[index] for index in ready)}")
        done |= set(ready)
    return Outcome(str(len(working)), tuple(working))
