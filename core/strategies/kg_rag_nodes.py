"""The steps of KG-RAG: its nodes, their state and their parameters."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from pydantic import Field

from core.knowledge.evidence import evidence
from core.knowledge.exploration import Chain, Hop, best, drawn, extended, narrowed, triples
from core.knowledge.explorer import Explorer
from core.knowledge.records import NodeRecord
from core.knowledge.scoring import SCORE_NAME, masked, scores
from core.skills.answer_path import answer_path, gave_up
from core.skills.base import MODEL
from core.skills.judge_path import JUDGE_PATH, judge_path
from core.skills.plan_exploration import MOST_STEPS, PLAN_EXPLORATION, plan_exploration
from core.skills.select import SELECT, select
from core.strategies.base import NodeRuntime, RagState, RunContext, StrategyParams, Update
from core.trace.artefacts import Candidate, Candidates, Path, PathTriple, Plan, PlanStep
from core.trace.tracer import made

OFFERED = 12
"""Candidates of a step."""
FIXED_HOPS = 3
"""Hops without a model: further ones bring in more chains than embeddings can tell apart."""
NAMES = 30
"""Nodes that a path lists."""
SOURCES = 20
"""Nodes that a relation is said to go on from."""
COMPARED = 200
"""Nodes reached that are compared with the text of a step."""


class Params(StrategyParams):
    """How far and how broadly it explores, and when it must give up."""

    hops: int = Field(
        4,
        ge=1,
        le=4,
        title="Hops",
        description="The longest way from the start. A hypernode counts as one hop. Without a model at most 3.",
    )
    beam: int = Field(
        5,
        ge=1,
        le=10,
        title="Beam",
        description="How many nodes to start from, or chains of relations, go on from a step.",
    )
    tries: int = Field(
        3,
        ge=1,
        le=3,
        title="Failed tries",
        description="After so many plans that had to be given up, it gives up.",
    )
    keep_path: bool = Field(
        False,
        title="Keep the path",
        description="A new plan keeps the steps that are done. Otherwise it starts again, as in the paper.",
    )
    hypernodes: bool = Field(
        True,
        title="Hypernodes",
        description="Triples that are nodes themselves are explored, too: what is said of a fact, such as since when.",
    )


class State(RagState, total=False):
    """Adds the plan, how far it is done, the ways that go on, and the best one so far."""

    plan: Plan
    at: int
    chains: tuple[Chain, ...]
    top: Chain
    path: Path


Runtime = NodeRuntime[Params]


async def plan(state: State, runtime: Runtime) -> Update:
    """The steps to be taken; after a failed try, other ones."""
    context, params = runtime.context, runtime.context.params
    path, failed = state.get("path"), state.get("plan")
    keep: tuple[PlanStep, ...] = ()
    if failed and params.keep_path and state["chains"] and state["at"] < MOST_STEPS:
        keep = failed.steps[: state["at"]]
    fixed = context.skills.method(PLAN_EXPLORATION) != MODEL
    result = await plan_exploration(
        context.skills,
        state["question"],
        context.explorer.relations,
        hops=min(params.hops, FIXED_HOPS),
        failed=failed,
        reason=path.reason if path else "",
        keep=keep,
    )
    if fixed and params.hops > FIXED_HOPS:
        result = result.model_copy(
            update={"note": f"{result.note} Without a model at most {FIXED_HOPS} hops are explored.".strip()}
        )
    made(context.tracer, result)
    update: Update = {"plan": result, "at": len(keep)}
    return update if keep else {**update, "chains": (), "top": None}


async def explore(state: State, runtime: Runtime) -> Update:
    """One step of the plan: choose nodes, or choose relations and follow them."""
    context, at = runtime.context, state["at"]
    step = state["plan"].steps[at]
    work = _explore_nodes if step.explore == "nodes" else _explore_relations
    found, chains = await work(context, state, step)
    shown = found.model_copy(update={"index": at, "attempt": state["plan"].attempt})
    made(context.tracer, shown)
    first = best(chains, 1)
    before = state.get("top")
    top = (
        first[0] if first and (before is None or not before.hops or first[0].score > before.score) else before
    )
    return {"chains": chains, "at": at + 1, "top": top}


async def judge(state: State, runtime: Runtime) -> Update:
    """Whether the way so far answers the question, goes on, or was wrong."""
    context, params = runtime.context, runtime.context.params
    explorer, chains, at = context.explorer, state["chains"], state["at"]
    judged = state["plan"]
    computed = context.skills.method(JUDGE_PATH) != MODEL
    left = len(judged.steps) - at if chains else 0
    rest = judged.steps[at:]
    if chains and all(s.explore == "relationships" for s in rest) and len(chains[0].hops) >= params.hops:
        left = 0
    if computed:
        top = state.get("top")
        chains = (top,) if top else ()
    ends = [node for chain in chains for node in chain.nodes if chain.hops]
    ways = chains
    if computed and chains and not left:
        mentions = explorer.mentioned(state["question"])
        named = [m.node.id for m in mentions if m.exact and m.node.id != chains[0].start.id]
        way, answers = await asyncio.to_thread(narrowed, explorer.store, chains[0], named)
        ways, ends = (way,), [node for node in answers if way.hops]
    shown = await asyncio.to_thread(_triples, explorer, ways)
    names = list(dict.fromkeys(node.name for node in sorted(ends, key=lambda node: node.id)))
    result = await judge_path(
        context.skills, state["question"], judged, shown, names[:NAMES], left=left, found=_found(chains, left)
    )
    failed = (state["path"].failed if "path" in state else 0) + (result.verdict == "refine")
    path = Path(
        index=at - 1, attempt=judged.attempt, triples=shown, nodes=tuple(names[:NAMES]),
        hidden=max(0, len(names) - NAMES), verdict=result.verdict, reason=result.reason, failed=failed,
        skill=JUDGE_PATH.key, method=context.skills.method(JUDGE_PATH), note=result.note,
    )  # fmt: skip
    made(context.tracer, path)
    update: Update = {"path": path}
    if path.verdict == "respond":
        update["context"] = evidence(shown, explorer.graph.name)
        made(context.tracer, update["context"])
    return update


async def answer(state: State, runtime: Runtime) -> Update:
    """Answer from the triples of the path, or say that there is no way."""
    context, path = runtime.context, state["path"]
    if path.verdict == "refine":
        result = gave_up(path.failed)
    else:
        passages = [item.passage for item in state["context"].passages if item.given]
        result = await answer_path(context.skills, state["question"], passages, path.nodes, path.hidden)
    made(context.tracer, result)
    return {"answer": result}


async def _explore_nodes(
    context: RunContext[Params], state: State, step: PlanStep
) -> tuple[Candidates, tuple[Chain, ...]]:
    """What the step names word for word, then what is nearest in meaning; later on, also among what was reached."""
    explorer, params, chains = context.explorer, context.params, state["chains"]
    found: dict[str, tuple[NodeRecord, float, str]] = {}
    for mention in explorer.mentioned(step.text):
        found.setdefault(mention.node.id, (mention.node, 1.0, "named word for word"))
    reached = {node.id: node for chain in chains for node in chain.nodes}
    some = list(reached.values())[:COMPARED]
    near = await explorer.meanings.nearness(step.text, [node.name for node in some])
    for cosine, node in sorted(zip(near, some, strict=True), key=lambda pair: -pair[0]):
        found.setdefault(node.id, (node, cosine, "reached before"))
    for node, cosine in await explorer.nearest(step.text, OFFERED, params.hypernodes):
        found.setdefault(node.id, (node, cosine, node.kind))
    rows = list(found.values())
    candidates = [
        Candidate(id=str(number), label=node.name, similarity=round(score, 4), detail=how)
        for number, (node, score, how) in enumerate(rows[:OFFERED], 1)
    ]
    alone = context.skills.method(SELECT) != MODEL
    marked, note = await select(
        context.skills, state["question"], step, candidates, 1 if alone else params.beam
    )
    if alone and rows and rows[0][1] < 1.0:
        note = "The step names no entity of this graph word for word, so the nearest in meaning is taken."
    chosen = [row[0] for row, candidate in zip(rows, marked, strict=False) if candidate.chosen]
    kept = [_only(chain, {node.id for node in chosen}) for chain in chains]
    going = [chain for chain in kept if chain]
    going += [Chain(start=node) for node in chosen if node.id not in reached]
    result = Candidates(
        index=0, explore="nodes", text=step.text, score_name="cosine similarity", candidates=marked,
        left_out=max(0, len(rows) - OFFERED), skill=SELECT.key, method=context.skills.method(SELECT), note=note,
    )  # fmt: skip
    return result, tuple(going)[: params.beam]


def _only(chain: Chain, idents: set[str]) -> Chain | None:
    """The chain with these of its nodes; None where none is left."""
    level = tuple(node for node in chain.nodes if node.id in idents)
    if not level:
        return None
    return chain.model_copy(update={"levels": (*chain.levels[:-1], level)}) if chain.hops else chain


class _Way(NamedTuple):
    """A chain, one more hop, and how many nodes that leads to."""

    chain: Chain
    hop: Hop
    size: int
    score: float = 0.0


async def _explore_relations(
    context: RunContext[Params], state: State, step: PlanStep
) -> tuple[Candidates, tuple[Chain, ...]]:
    """The relations of the nodes reached, ranked, chosen and followed."""
    explorer, params = context.explorer, context.params
    chains = [chain for chain in state["chains"] if len(chain.hops) < params.hops]
    options = await asyncio.gather(*(asyncio.to_thread(_hops, explorer, chain, params) for chain in chains))
    ways = [_Way(chain, *option) for chain, found in zip(chains, options, strict=True) for option in found]
    alone = context.skills.method(SELECT) != MODEL
    ranked = await _ranked(explorer, state["question"], step, ways, whole=alone)
    followed: dict[int, Chain] = {}
    if alone:  # the best that lead anywhere
        ranked, followed = await _leading(explorer, ranked, params.beam)
    offered = ranked[:OFFERED]
    candidates = [
        Candidate(
            id=str(number),
            label=drawn(way.chain.model_copy(update={"hops": (*way.chain.hops, way.hop)})),
            similarity=round(way.score, 4),
            detail="1 node" if way.size == 1 else f"{way.size} nodes",
            start=way.chain.start.name,
            relation=way.hop.name,
            inverse=way.hop.direction == "in",
            sources=tuple(node.name for node in way.chain.nodes[:SOURCES]),
        )
        for number, way in enumerate(offered, 1)
    ]
    marked, note = await select(context.skills, state["question"], step, candidates, params.beam)
    chosen = [place for place, candidate in enumerate(marked) if candidate.chosen]
    for place in chosen:
        if place not in followed:
            way = offered[place]
            led = await asyncio.to_thread(extended, explorer.store, way.chain, way.hop, way.score)
            if led:
                followed[place] = led
    going = tuple(followed[place] for place in chosen if place in followed)
    hidden = sum(chain.hidden for chain in going)
    notes = [note, f"{hidden} nodes were left out: too many." if hidden else ""]
    result = Candidates(
        index=0, explore="relationships", text=step.text,
        score_name=SCORE_NAME if alone else "cosine similarity", candidates=marked,
        left_out=max(0, len(ranked) - OFFERED), cypher=_cypher(explorer, offered, chosen),
        skill=SELECT.key, method=context.skills.method(SELECT), note=" ".join(filter(None, notes)),
    )  # fmt: skip
    return result, going


def _hops(explorer: Explorer, chain: Chain, params: Params) -> list[tuple[Hop, int]]:
    ids = [node.id for node in chain.nodes]
    return explorer.store.hops(ids, params.hypernodes and explorer.statements)


async def _ranked(
    explorer: Explorer, question: str, step: PlanStep, ways: list[_Way], *, whole: bool
) -> list[_Way]:
    """Ways on, best first: `whole` chains by how they fit the question, or relations by nearness to the step."""
    if not whole:
        near = await explorer.meanings.nearness(step.text, [way.hop.name for way in ways])
        found = [way._replace(score=score) for way, score in zip(ways, near, strict=True)]
        return sorted(found, key=lambda way: -way.score)
    written = {mention.node.id: mention.text for mention in explorer.mentioned(question)}
    found = []
    for start in dict.fromkeys(way.chain.start for way in ways):
        mine = [way for way in ways if way.chain.start == start]
        asked = masked(question, written.get(start.id, start.name))
        fit = await scores(
            explorer.meanings, asked, [(*way.chain.hops, way.hop) for way in mine], explorer.kinds
        )
        found += [way._replace(score=score) for way, score in zip(mine, fit, strict=True)]
    return sorted(found, key=lambda way: -way.score)


async def _leading(explorer: Explorer, ranked: list[_Way], beam: int) -> tuple[list[_Way], dict[int, Chain]]:
    """The ways without those that lead only back, as far as the beam needs it, and where they lead."""
    kept: list[_Way] = []
    followed: dict[int, Chain] = {}
    rest = list(ranked)
    while rest and len(kept) < beam:
        some, rest = rest[: beam - len(kept)], rest[beam - len(kept) :]
        led = await asyncio.gather(
            *(asyncio.to_thread(extended, explorer.store, way.chain, way.hop, way.score) for way in some)
        )
        for way, chain in zip(some, led, strict=True):
            if chain:
                followed[len(kept)] = chain
                kept.append(way)
    return kept + rest, followed


def _triples(explorer: Explorer, chains: tuple[Chain, ...]) -> tuple[PathTriple, ...]:
    return tuple(
        dict.fromkeys(triple for chain in chains if chain.hops for triple in triples(explorer.store, chain))
    )


def _cypher(explorer: Explorer, offered: list[_Way], chosen: list[int]) -> str:
    """The query of the first relation that was followed, with what was put into it."""
    if not chosen:
        return ""
    way = offered[chosen[0]]
    text, values = explorer.store.following([node.id for node in way.chain.nodes][:5], way.hop)
    more = max(0, len(way.chain.nodes) - 5)
    given = "\n".join(f"// ${name} = {value!r}" for name, value in values.items())
    return f"{text}\n{given}" + (f"\n// and {more} more ids" if more else "")


def _found(chains: tuple[Chain, ...], left: int) -> str:
    """What a method that asks no model has found, in a sentence."""
    if not chains or not chains[0].hops:
        return "The start is found; now its relations." if left else "Nothing was found to go on from."
    words = f"Best chain so far: {drawn(chains[0])}, score {chains[0].score:.2f}."
    return words if left else words.replace("so far", "of all lengths")
