"""Agentic RAG: the model decides where to look, with which question, and whether that was enough.

After chapter 5 of "Essential GraphRAG" (Bratanič and Hane, 2025). The tools are in `core.strategies.agentic_tools`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from core.errors import CallLimitReached, ModelError
from core.jobs import at_once
from core.skills.answer_gathered import ANSWER_GATHERED, answer_gathered, listed_answer
from core.skills.answer_sub import ANSWER_SUB
from core.skills.base import MODEL
from core.skills.choose_tool import CHOOSE_TOOL, Choice, choose_tool
from core.skills.critique import CRITIQUE
from core.skills.critique import critique as criticise
from core.skills.single_questions import (
    MOST_QUESTIONS,
    SPLIT_QUESTION,
    UPDATE_QUESTION,
    depends,
    split_question,
    update_question,
)
from core.skills.text2cypher import REPAIRS, TEXT2CYPHER
from core.strategies.agentic_calls import (
    call_of,
    failed_calls,
    filter_fields,
    gathered,
    outcome_of,
    pairs_of,
    surroundings,
)
from core.strategies.agentic_state import Params, ReadyQuestion, Request, Runtime, State
from core.strategies.agentic_tools import ANSWER_GIVEN, DOCUMENTS, INNER_STRATEGY, Toolbox
from core.strategies.base import END, START, Graph, Stage, Strategy, Update
from core.strategies.nodes import connect, node, reported, reranking, unconnected
from core.trace.artefacts import Critique, SubQuestions, ToolCall, citing
from core.trace.events import emit_artefact

FAILURES = (ModelError, CallLimitReached)
"""After these the run ends with what it has."""


@node("split", "Take the question apart")
async def split(state: State, runtime: Runtime) -> Update:
    """The question is taken apart: each part asks for one thing."""
    skills = runtime.context.skills
    try:
        result = await split_question(skills, state["question"])
    except FAILURES as error:
        result = SubQuestions(
            questions=(state["question"],), by_tools=True, note=f"The question was not taken apart. {error}"
        )
    return reported(runtime.context, sub_questions=result) | {"round": 1, "calls": ()}


@node("update", "Fill in earlier answers")
async def update(state: State, runtime: Runtime) -> Update:
    """Earlier answers are filled into the questions that can be asked now."""
    context, calls, round_ = runtime.context, state["calls"], state["round"]
    questions = _questions(state)
    pairs = pairs_of(calls)
    ready = ready_now(questions, {call.index for call in calls if call.round == round_})
    try:
        updated = await at_once(update_question(context.skills, questions[index], pairs) for index in ready)
    except FAILURES as error:
        return {"ready": (), "ended": str(error)}
    ready_questions = [
        ReadyQuestion(index=index, asked=questions[index], question=item.text, note=item.note)
        for index, item in zip(ready, updated, strict=True)
    ]
    return {"ready": tuple(ready_questions)}


@node("choose", "Choose tools")
async def choose(state: State, runtime: Runtime) -> Update:
    """For each question a tool is chosen, with what it is to be asked."""
    context = runtime.context
    pairs = [pair for pair in pairs_of(state["calls"]) if pair.answer]
    box = Toolbox(context, pairs, await filter_fields(context))
    described = box.described()
    asks = context.skills.method(CHOOSE_TOOL) == MODEL
    around = await surroundings(context) if asks else None
    failed = failed_calls(state["calls"])

    async def tools_for(ready: ReadyQuestion) -> list[Request]:
        used = _used(state, ready.question)
        if asks and (only := box.only(ready.question, used)):
            return _requests(ready, only)
        choice = await choose_tool(
            context.skills,
            ready.question,
            described,
            pairs,
            lambda question: box.nearest(question, used),
            around=around,
            tried=failed,
        )
        if not choice.requests and choice.method == MODEL:
            choice = box.fallback(ready.question, used, choice.why)
        return _requests(ready, choice)

    try:
        chosen = await at_once(tools_for(ready) for ready in state["ready"])
    except FAILURES as error:
        return {"requests": (), "ended": str(error)}
    return {"requests": tuple(request for part in chosen for request in part)}


@node("run", "Run the tools")
async def run(state: State, runtime: Runtime) -> Update:
    """All chosen tools are used, at the same time."""
    context, before = runtime.context, state["calls"]
    box = Toolbox(context, pairs_of(before), await filter_fields(context))
    requests = list(state["requests"])
    room = context.params.max_calls - len(before)
    ended = ""
    if len(requests) > room:
        ended = f"Limit reached: {context.params.max_calls} tool calls."
        requests = requests[: max(0, room)]
    calls: list[ToolCall] = []
    while requests:
        outcomes = await at_once(outcome_of(box, request) for request in requests)
        for request, outcome in zip(requests, outcomes, strict=True):
            number = len(before) + len(calls) + 1
            call = call_of(request, outcome, number, state["round"], context, box)
            emit_artefact(context.tracer, call)
            calls.append(call)
            if isinstance(outcome, FAILURES):
                ended = str(outcome)
        room = context.params.max_calls - len(before) - len(calls)
        requests = [] if ended else _further(state, box, requests, calls)[: max(0, room)]
    every = (*before, *calls)
    evidence = gathered(every)
    emit_artefact(context.tracer, evidence)
    return {"calls": every, "context": evidence} | ({"ended": ended} if ended else {})


@node("critique", "Criticise")
async def critique(state: State, runtime: Runtime) -> Update:
    """Is that enough for an answer? If not, it says what to ask next."""
    context, round_ = runtime.context, state["round"]
    calls = state["calls"]
    searches = context.corpus is not None and context.params.documents
    again = [  # could still go to the documents
        call.question
        for call in calls
        if call.round == round_ and call.outcome != "found" and searches
        if DOCUMENTS not in _used(state, call.question)
    ]
    try:
        asks = context.skills.method(CRITIQUE) == MODEL
        result = await criticise(
            context.skills,
            state["question"],
            pairs_of(calls),
            list(dict.fromkeys(again)),
            round=round_,
            around=await surroundings(context) if asks else None,
            tried=failed_calls(calls),
        )
    except FAILURES as error:
        result = Critique(round=round_, complete=False, ends=str(error))
    if not result.complete and not result.ends:
        if round_ >= context.params.max_rounds and result.questions:
            result = result.model_copy(update={"ends": f"Limit reached: {context.params.max_rounds} rounds."})
        elif not result.questions:
            result = result.model_copy(update={"ends": "There is nothing left to ask."})
    goes_on = not result.complete and not result.ends
    update = {"round": round_ + 1 if goes_on else round_, "ended": result.ends}
    return reported(context, critique=result) | update


@node("answer", "Answer")
async def answer(state: State, runtime: Runtime) -> Update:
    """The question is answered from everything that was gathered."""
    context, calls = runtime.context, state["calls"]
    evidence = state.get("context")
    update: Update = {}
    if evidence is None:
        evidence = gathered(calls)
        update = reported(context, context=evidence)
    passages = [item.passage for item in evidence.passages]
    try:
        result = await answer_gathered(context.skills, state["question"], passages, calls, pairs_of(calls))
    except FAILURES as error:
        result = listed_answer(calls, note=f"Listed, not written, since the model gave no answer. {error}")
    result = result.model_copy(update={"citations": citing(result.citations, passages)})
    if state.get("ended"):
        result = result.model_copy(update={"note": f"{result.note} {state['ended']}".strip()})
    return update | reported(context, answer=result)


def ready_now(questions: Sequence[str], done: Collection[int]) -> list[int]:
    """The places of a round's questions that can be asked: what points at earlier answers waits for all of them."""
    left = [index for index in range(len(questions)) if index not in done]
    return [index for index in left if not depends(questions[index]) or index == left[0]]


def _further(
    state: State,
    box: Toolbox,
    requested: Sequence[Request],
    calls: Sequence[ToolCall],
) -> list[Request]:
    """The calls in the place of those that brought nothing: of those that could not be made, and, where a model chose,
    of the graph's that found nothing, since nobody can know beforehand whether the graph has a name."""
    further: list[Request] = []
    for index in dict.fromkeys(request.asked.index for request in requested):
        mine = [call for call in calls if call.index == index]
        if any(call.outcome == "found" for call in mine):
            continue
        first = next(request for request in requested if request.asked.index == index)
        last = first.asked
        used = _used(state, last.question) | {call.tool for call in mine}
        recent = mine[-sum(request.asked.index == index for request in requested) :]
        if all(call.outcome == "not run" for call in recent):
            choice = box.fallback(last.question, used, "That call could not be made.")
            choice = replace(choice, method=first.method)
            further += [request for request in _requests(last, choice) if request.tool]
        elif (
            first.method == MODEL
            and DOCUMENTS in box.tools
            and not used & {DOCUMENTS, INNER_STRATEGY, ANSWER_GIVEN}
        ):
            arguments = {"question": last.question}
            why = "The graph brought nothing. So the documents are searched."
            further.append(Request(asked=last, tool=DOCUMENTS, arguments=arguments, why=why, method=MODEL))
    return further


def _questions(state: State) -> tuple[str, ...]:
    """The questions of this round: what the user edits counts."""
    return state["sub_questions"].questions if state["round"] == 1 else state["critique"].questions


def _used(state: State, question: str) -> frozenset[str]:
    """The tools that a question went to before."""
    return frozenset(call.tool for call in state["calls"] if call.question == question)


def _requests(ready: ReadyQuestion, choice: Choice) -> list[Request]:
    """The tool calls of a choice, each once; without one, a request of no tool, which says why."""
    if not choice.requests:
        return [Request(asked=ready, tool="", why=choice.why, method=choice.method)]
    return [
        Request(asked=ready, tool=call.tool, arguments=call.arguments, why=choice.why, method=choice.method)
        for place, call in enumerate(choice.requests)
        if call not in choice.requests[:place]
    ]


def after_run(state: State) -> str:
    """To the questions that waited for these answers, or on to the critique."""
    if state.get("ended"):
        return "answer"
    round_ = state["round"]
    done = {call.index for call in state["calls"] if call.round == round_}
    return "update" if len(done) < len(_questions(state)) else "critique"


def after_critique(state: State) -> str:
    """Another round, or the answer."""
    verdict = state["critique"]
    return "answer" if verdict.complete or verdict.ends else "update"


def build(params: Params) -> Graph:
    """split → (update → choose → run)* → critique → (again, or answer)."""
    graph = unconnected(State, split, update, choose, run, critique, answer)
    connect(graph, START, "split", "update")
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
    hurts="When the model chooses badly: a wrong tool costs calls, or goes unnoticed, since a query that runs may "
    "ask for something else.",
    params=Params,
    stages=stages,
    build=build,
    colour="#B03060",
    order=130,
    picture="tool_call",
    family="explore",
    explores=True,
)
