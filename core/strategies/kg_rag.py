"""KG-RAG, Chain of Explorations: plan, walk through a knowledge graph step by step, judge the way, answer from it.

Sanmartin 2024, arXiv 2405.12035, Algorithm 1. The two kinds of exploring steps are in `core.strategies.kg_rag_steps`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from core.knowledge.explore.chains import Chain, best, chain_arrows, narrow, triples
from core.knowledge.explore.explorer import Explorer
from core.knowledge.explore.path_evidence import evidence
from core.skills.answer_path import ANSWER_PATH, answer_path, gave_up
from core.skills.base import MODEL, else_otherwise
from core.skills.judge_path import JUDGE_PATH, NOT_ASKED, Judgement, Walked, judge_path
from core.skills.plan_exploration import MOST_STEPS, PLAN_EXPLORATION, plan_exploration
from core.skills.select import SELECT
from core.strategies.base import END, START, Graph, RunContext, Stage, Strategy, Update
from core.strategies.kg_rag_steps import (
    ANSWERED,
    JUDGED,
    Params,
    Runtime,
    State,
    Trail,
    after_step,
    explore_nodes,
    explore_relations,
)
from core.strategies.nodes import connect, node, reported, unconnected
from core.trace.artefacts import GraphPath, PathTriple, PlanStep
from core.trace.events import emit_artefact

FIXED_HOPS = 3
"""Hops without a model: further ones bring in more chains than embeddings can tell apart."""
NAMES = 30
"""Nodes that a path lists."""
PLAIN, QUALIFIERS = 28, 12
"""Relations that a plan is told of at least, of entities and of facts."""
FAILED_TRIPLES = 20
"""Triples of a plan given up that the next plan is told of."""
USUAL_HOPS = 2
"""Steps that follow relations, in a usual plan; the one before them names where they start, and costs no call."""


@node("plan", "Plan the steps")
async def plan(state: State, runtime: Runtime) -> Update:
    """What to look for in the graph, step by step: entities, then relations."""
    context, params = runtime.context, runtime.context.params
    path, failed, trail = state.get("path"), state.get("plan"), _trail(state)
    keep: tuple[PlanStep, ...] = ()
    if failed and params.keep_path and state["chains"] and state["at"] < MOST_STEPS:
        keep = failed.steps[: state["at"]]
    fixed = context.skills.method(PLAN_EXPLORATION) != MODEL
    result = await plan_exploration(
        context.skills,
        state["question"],
        context.explorer.relations if fixed else await asyncio.to_thread(_relations, context),
        hops=min(params.hops, FIXED_HOPS),
        failed=failed,
        reason=path.reason if path else "",
        keep=keep,
        triples=trail.shown(FAILED_TRIPLES),
    )
    if result.method != MODEL and params.hops > FIXED_HOPS:
        result = result.model_copy(
            update={"note": f"{result.note} Without a model at most {FIXED_HOPS} hops are explored.".strip()}
        )
    emit_artefact(context.tracer, result)
    update: Update = {"plan": result, "at": len(keep)}
    if keep:
        return update
    if trail.triples:
        update["last"] = trail
    return {**update, "chains": (), "top": None, "trail": Trail()}


@node("explore", "Explore one step")
async def explore(state: State, runtime: Runtime) -> Update:
    """One step of the plan: it goes to entities, or follows relations from them."""
    context, at = _walking(runtime.context, state), state["at"]
    step = state["plan"].steps[at]
    work = explore_nodes if step.explore == "nodes" else explore_relations
    # The candidates depend on the one who chooses, so that all of the step is done again.
    candidates, chains = await else_otherwise(
        context.skills, lambda skills: work(replace(context, skills=skills), state, step), SELECT
    )
    emit_artefact(context.tracer, candidates)
    top, scored_by = state.get("top"), state.get("scored_by", candidates.method)
    for chain in best(chains, 1):
        if top is None or not top.hops or chain.score > top.score or scored_by != candidates.method:
            top, scored_by = chain, candidates.method
    update: Update = {"chains": chains, "at": at + 1, "top": top, "scored_by": scored_by}
    if context.skills.method(JUDGE_PATH) == MODEL:
        update["trail"] = await asyncio.to_thread(
            after_step, _trail(state), candidates, chains, context.explorer
        )
    return update


@node("judge", "Judge the path")
async def judge(state: State, runtime: Runtime) -> Update:
    """Does the path so far answer the question, should it go on, or was it wrong?"""
    context, params = _walking(runtime.context, state), runtime.context.params
    path = await else_otherwise(
        context.skills, lambda skills: _judged(replace(context, skills=skills), state), JUDGE_PATH
    )
    computed = path.method != MODEL
    emit_artefact(context.tracer, path)
    update: Update = {"path": path}
    name, titles = context.explorer.graph.name, context.explorer.titles
    if computed:
        if path.verdict == "respond":
            update["context"] = evidence(path.triples, name, titles)
    elif path.verdict == "respond" or (path.verdict == "refine" and path.failed >= params.tries):
        # What the last way holds is told also where every plan was given up: it may say what is missing.
        trail = _trail(state) if _trail(state).triples else state.get("last") or Trail()
        if trail.triples:
            update |= {"context": evidence(trail.shown(ANSWERED), name, titles), "trail": trail}
    if "context" in update:
        emit_artefact(context.tracer, update["context"])
    return update


@node("answer", "Answer from the path")
async def answer(state: State, runtime: Runtime) -> Update:
    """The question is answered from the facts on the path."""
    context, path, facts = runtime.context, state["path"], state.get("context")
    if path.verdict == "refine" and facts is None:
        result = gave_up(path.failed)
    else:
        passages = facts.given_passages if facts else []
        trail = _trail(state)
        if trail.triples and path.method == MODEL:
            ends, more, hidden = trail.ends, trail.more, trail.hidden(ANSWERED)
        else:
            ends, more, hidden = path.nodes, path.hidden, 0
        result = await answer_path(context.skills, state["question"], passages, ends, more, hidden=hidden)
        if path.verdict == "refine":
            cap = f"Limit reached: {path.failed} plans were tried and given up; this is what the last way holds."
            result = result.model_copy(update={"note": f"{result.note} {cap}".strip()})
    return reported(context, answer=result)


def _walking(context: RunContext[Params], state: State) -> RunContext[Params]:
    """Where the built-in model had to plan, it walks as well: nobody's choice and verdict is kept for its plan, and a
    judge would ask for another plan again and again, which would be the same."""
    skills = context.skills
    if skills.fallback is None or state["plan"].method == skills.method(PLAN_EXPLORATION):
        return context
    return replace(context, skills=skills.fallback)


async def _judged(context: RunContext[Params], state: State) -> GraphPath:
    """The verdict, by the method in force."""
    computed = context.skills.method(JUDGE_PATH) != MODEL
    return await (_best_chain(context, state) if computed else _path_so_far(context, state))


async def _best_chain(context: RunContext[Params], state: State) -> GraphPath:
    """The verdict without a model: the plan is followed to its end, then the best chain of all is taken."""
    explorer, at = context.explorer, state["at"]
    left = _left(context.params, state)
    top = state.get("top")
    chains = (top,) if top else ()
    ends = list(top.nodes) if top and top.hops else []
    ways = chains
    if chains and not left:
        mentions = explorer.mentioned(state["question"])
        named = [m.node.id for m in mentions if m.exact and m.node.id != chains[0].start.id]
        way, answers = await asyncio.to_thread(narrow, explorer.store, chains[0], named)
        ways, ends = (way,), [node for node in answers if way.hops]
    shown = await asyncio.to_thread(_triples, explorer, ways)
    names = list(dict.fromkeys(node.name for node in sorted(ends, key=lambda node: node.id)))
    walked = Walked(plan=state["plan"], at=at, left=left)
    result = await judge_path(context.skills, state["question"], walked, reason=_chains_line(chains, left))
    return _path(context, state, result, shown, names[:NAMES], max(0, len(names) - NAMES))


async def _path_so_far(context: RunContext[Params], state: State) -> GraphPath:
    """The verdict of a model, asked only where there is something to decide."""
    plan, at, trail = state["plan"], state["at"], _trail(state)
    left, failed = _left(context.params, state), _failed(state)
    shown = trail.shown(JUDGED)
    names, more = trail.ends[:NAMES], max(0, len(trail.ends) - NAMES) + trail.more
    step = plan.steps[at - 1]
    if not state["chains"]:
        result = Judgement("refine", _dead_end(step, at, trail), NOT_ASKED)
        names, more = (), 0
    elif not trail.triples and not left:
        result = Judgement("refine", "The plan is used up, and it followed no relation.", NOT_ASKED)
    elif not trail.triples or (step.explore == "nodes" and left):
        result = Judgement("continue", "Nodes were chosen; now their relations.", NOT_ASKED)
    elif not left and failed + 1 >= context.params.tries:
        reason = "The plan has no step left, and there is no further try, so its path is answered from."
        result = Judgement("respond", reason, NOT_ASKED)
    else:
        walked = Walked(
            plan=plan,
            at=at,
            left=left,
            starts=trail.starts,
            chose=trail.chose,
            triples=shown,
            hidden=trail.hidden(JUDGED),
            nodes=names,
            more=more,
        )
        result = await judge_path(context.skills, state["question"], walked)
    path = _path(context, state, result, shown, names, more)
    if hidden := trail.hidden(JUDGED):
        path = path.model_copy(update={"note": f"{path.note} {hidden} more triples are not shown.".strip()})
    return path


def _path(
    context: RunContext[Params],
    state: State,
    result: Judgement,
    triples: tuple[PathTriple, ...],
    names: Sequence[str],
    hidden: int,
) -> GraphPath:
    return GraphPath(
        index=state["at"] - 1,
        attempt=state["plan"].attempt,
        triples=triples,
        nodes=tuple(names),
        hidden=hidden,
        verdict=result.verdict,
        reason=result.reason,
        failed=_failed(state) + (result.verdict == "refine"),
        skill=JUDGE_PATH.key,
        method=context.skills.method(JUDGE_PATH),
        note=result.note,
    )


def _trail(state: State) -> Trail:
    """The trail of this plan so far."""
    return state.get("trail") or Trail()


def _failed(state: State) -> int:
    """Plans given up so far."""
    return state["path"].failed if "path" in state else 0


def _left(params: Params, state: State) -> int:
    """Steps of the plan that can still be taken."""
    rest, chains = state["plan"].steps[state["at"] :], state["chains"]
    if not chains:
        return 0
    ends = all(step.explore == "relationships" for step in rest) and len(chains[0].hops) >= params.hops
    return 0 if ends else len(rest)


def _dead_end(step: PlanStep, at: int, trail: Trail) -> str:
    """Why it cannot go on after a step, as a sentence: for people, and for the next plan."""
    what = "nodes" if step.explore == "nodes" else "relations"
    step_line = f"Step {at} ({what}: “{step.text}”)"
    if not trail.offered:
        return f"{step_line} is a dead end: there are no {what} to choose from."
    if not trail.chose:
        return f"{step_line} is a dead end: none of the {what} that the graph offered fits."
    return f"{step_line} is a dead end: what was chosen leads nowhere."


def _relations(context: RunContext[Params]) -> list[str]:
    """The relations that a plan is told of; those that qualify a fact together with the relation of that fact."""
    explorer = context.explorer
    if not (explorer.statements and context.params.hypernodes):
        return explorer.relations
    qualifiers = explorer.store.qualifying_hops(QUALIFIERS)
    only = {fact.rel for fact in qualifiers}
    plain = [name for name in explorer.relations if name not in only]
    return [
        *plain[:PLAIN],
        *(f"{fact.statement} (said of it: {fact.rel})" for fact in qualifiers),
        *plain[PLAIN:],
    ]


def _triples(explorer: Explorer, chains: tuple[Chain, ...]) -> tuple[PathTriple, ...]:
    return tuple(
        dict.fromkeys(triple for chain in chains if chain.hops for triple in triples(explorer.store, chain))
    )


def _chains_line(chains: tuple[Chain, ...], left: int) -> str:
    """The find of a method that asks no model, in a sentence."""
    if not chains or not chains[0].hops:
        return "The start is found; now its relations." if left else "Nothing was found to go on from."
    words = f"Best chain so far: {chain_arrows(chains[0])}, score {chains[0].score:.2f}."
    return words if left else words.replace("so far", "of all lengths")


def after(state: State, params: Params) -> str:
    """The node that follows a verdict."""
    path = state["path"]
    if path.verdict == "continue":
        return "explore"
    return "plan" if path.verdict == "refine" and path.failed < params.tries else "answer"


def build(params: Params) -> Graph:
    """plan → (explore → judge)* → (plan again, or answer)."""
    graph = unconnected(State, plan, explore, judge, answer)
    connect(graph, START, "plan", "explore", "judge")
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
    idea="Plan a path through a knowledge graph, walk it relation by relation, and answer from the triples on it: a "
    "Chain of Explorations.",
    paper="Sanmartin 2024, arXiv 2405.12035",
    helps="When the answer is a chain of facts: every hop is an edge that can be looked up, not a passage to be found.",
    hurts="When a fact is not in the graph, or the plan is wrong. And every hop waits for a choice and a verdict.",
    params=Params,
    stages=stages,
    build=build,
    colour="#7A5195",
    order=120,
    picture="plan",
    family="explore",
    retrieves=False,
    explores=True,
)
