"""KG-RAG's state, and its two kinds of steps through a graph: choose nodes, or choose relations and follow them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field

from core.knowledge.explore.chain_scoring import SCORE_NAME, mask_name, scores
from core.knowledge.explore.chains import TRIPLES, Chain, chain_arrows, extend, shared
from core.knowledge.explore.chains import triples as triples_of
from core.knowledge.explore.explorer import Explorer
from core.knowledge.explore.mentions import Mention
from core.knowledge.explore.path_evidence import unique_triples
from core.knowledge.records import Hop, NodeRecord
from core.retrieval.tokens import word_set
from core.skills.base import MODEL
from core.skills.graph_wording import readable_name
from core.skills.select import SELECT, candidate_text, select
from core.strategies.base import NodeRuntime, RagState, RunContext, StrategyParams
from core.trace.artefacts import Candidate, Candidates, GraphPath, PathTriple, Plan, PlanStep
from core.trace.passages import Frozen

MOST_TRIPLES = 500
"""Triples that are remembered."""
ENDS = 300
"""Nodes whose names are remembered."""
JUDGED = TRIPLES
"""Triples that a verdict is made from."""
ANSWERED = 2 * TRIPLES
"""Triples that an answer is written from."""
OFFERED = 12
"""Candidates of a step."""
SOURCES = 20
"""Nodes that a relation is said to go on from."""
LEADS = 3
"""Nodes that a relation is said to lead to."""
COMPARED = 200
"""Nodes reached that are compared with the text of a step."""
NAMED = "Each is named word for word, and nothing else is asked for, so no model was asked."


class Trail(Frozen):
    """The path so far, from which verdict and answer are made."""

    starts: tuple[str, ...] = ()
    """Names of the nodes that were chosen to start from."""
    offered: int = 0
    """Candidates of the last step."""
    chose: tuple[str, ...] = ()
    """The candidates that were chosen, in words."""
    triples: tuple[PathTriple, ...] = ()
    """All that were followed, each once; those of the last step, and what led to them, first."""
    dropped: int = 0
    """Further ones that are not remembered."""
    ends: tuple[str, ...] = ()
    """Names of the nodes that the last step led to."""
    more: int = 0
    """Further ones that are not remembered."""

    def shown(self, limit: int = JUDGED) -> tuple[PathTriple, ...]:
        """Triples hop by hop, every hop with its share."""
        hops: dict[int, list[PathTriple]] = {}
        for triple in self.triples:
            hops.setdefault(triple.hop, []).append(triple)
        return tuple(triple for hop in shared([hops[key] for key in sorted(hops)], limit) for triple in hop)

    def hidden(self, limit: int = JUDGED) -> int:
        """Count the triples that `shown` leaves out."""
        return self.dropped + len(self.triples) - len(self.shown(limit))


def after_step(trail: Trail, step: Candidates, chains: Sequence[Chain], explorer: Explorer) -> Trail:
    """The trail after one more step, from which these chains go on; where none does, it keeps what it has. Blocks.

    Raises:
        ServiceError, StoreError: The graph server fails.
    """
    chose = tuple(candidate_text(candidate) for candidate in step.candidates if candidate.chosen)
    updated = trail.model_copy(update={"offered": len(step.candidates), "chose": chose})
    if not chains:
        return updated
    nodes = {node.id: node.name for chain in chains for node in chain.nodes}
    names = list(dict.fromkeys(readable_name(nodes[ident]) for ident in sorted(nodes)))
    update: dict[str, object] = {"ends": tuple(names[:ENDS]), "more": max(0, len(names) - ENDS)}
    if step.explore == "nodes":
        update["starts"] = tuple(dict.fromkeys((*trail.starts, *updated.chose)))
    else:
        new = (triple for chain in chains for triple in triples_of(explorer.store, chain, limit=None))
        every = unique_triples((*new, *trail.triples))
        update["triples"] = every[:MOST_TRIPLES]
        update["dropped"] = trail.dropped + max(0, len(every) - MOST_TRIPLES)
    return updated.model_copy(update=update)


class Params(StrategyParams):
    """How far and how broadly it explores, and when it must give up."""

    hops: int = Field(
        4,
        ge=1,
        le=4,
        title="Hops",
        description="The longest path from the start. A hypernode counts as one hop. Without a model at most 3.",
    )
    beam: int = Field(
        5,
        ge=1,
        le=10,
        title="Beam",
        description="How many nodes to start from, or relations to follow, a step may choose.",
    )
    tries: int = Field(
        3,
        ge=1,
        le=3,
        title="Failed tries",
        description="How many plans may fail. After the last one it answers from what that path holds.",
    )
    keep_path: bool = Field(
        False,
        title="Keep the path",
        description="A new plan keeps the steps that are done. Otherwise it starts again, as in the paper.",
    )
    hypernodes: bool = Field(
        True,
        title="Hypernodes",
        description="Triples that are themselves nodes are explored too: what is said of a fact, such as “since when”.",
    )


class State(RagState, total=False):
    """Adds the plan, the number of its steps that are done, the chains that go on, and what was found."""

    plan: Plan
    at: int
    chains: tuple[Chain, ...]
    top: Chain
    """The best chain; only where no model judges."""
    scored_by: str
    """The method of choosing that its score is of: those of two methods cannot be compared."""
    path: GraphPath
    trail: Trail
    """The finds of this plan; only where a model judges."""
    last: Trail
    """The finds of the last failed plan that found anything."""


Runtime = NodeRuntime[Params]


_JOINING = word_set("and or both the und oder sowie et ou les y e o i och og 및 와 과 그리고 と や 和 与")
"""Words between names that ask for nothing else."""

Step = tuple[Candidates, tuple[Chain, ...]]
"""The candidates of a step, and the chains that go on from it."""


async def _scored_nodes(
    context: RunContext[Params], text: str, mentions: Sequence[Mention], reached: Sequence[NodeRecord]
) -> list[tuple[NodeRecord, float, str]]:
    """Nodes for a text of a step, each once with its cosine and how it comes in: the surest first."""
    explorer = context.explorer
    scored = {mention.node.id: (mention.node, 1.0, "named word for word") for mention in mentions}
    near = await explorer.meanings.nearness(text, [node.name for node in reached])
    for cosine, node in sorted(zip(near, reached, strict=True), key=lambda pair: -pair[0]):
        scored.setdefault(node.id, (node, cosine, "reached before"))
    for node, cosine in await explorer.nearest(text, OFFERED, context.params.hypernodes):
        scored.setdefault(node.id, (node, cosine, node.kind))
    return list(scored.values())


async def explore_nodes(context: RunContext[Params], state: State, step: PlanStep) -> Step:
    """Nodes that the step names word for word, then those nearest in meaning, later also among the nodes reached."""
    params, chains = context.params, state["chains"]
    mentions = context.explorer.mentioned(step.text)
    reached = {node.id: node for chain in chains for node in chain.nodes}
    rows = await _scored_nodes(context, step.text, mentions, list(reached.values())[:COMPARED])
    candidates = [
        Candidate(id=str(number), label=node.name, similarity=round(score, 4), detail=how)
        for number, (node, score, how) in enumerate(rows[:OFFERED], 1)
    ]
    alone = context.skills.method(SELECT) != MODEL
    if not alone and _all_named(step.text, mentions) and len(mentions) <= params.beam:
        named = len({mention.node.id for mention in mentions})
        marked = tuple(
            item.model_copy(update={"chosen": place < named}) for place, item in enumerate(candidates)
        )
        note = NAMED
    else:
        most = 1 if alone else params.beam
        marked, note = await select(context.skills, state["question"], step, candidates, most)
    if alone and rows and rows[0][1] < 1.0:
        note = "The step names no entity of this graph word for word, so the nearest in meaning is taken."
    chosen = [row[0] for row, candidate in zip(rows, marked, strict=False) if candidate.chosen]
    ids = {node.id for node in chosen}
    going = [narrowed for chain in chains if (narrowed := _only(chain, ids))]
    if chosen and not going and not alone:  # nodes beside those of a step before, which were not followed yet
        going = [chain for chain in chains if not chain.hops]
    going += [Chain(start=node) for node in chosen if node.id not in reached]
    result = _result(context, state, step, marked, len(rows))
    return result.model_copy(update={"note": note}), tuple(going)[: params.beam]


def _result(
    context: RunContext[Params], state: State, step: PlanStep, marked: tuple[Candidate, ...], count: int
) -> Candidates:
    """The candidates of a step, without its note; `count`: the number of candidates before the worse were cut."""
    return Candidates(
        index=state["at"],
        attempt=state["plan"].attempt,
        explore=step.explore,
        text=step.text,
        score_name="cosine similarity",
        candidates=marked,
        left_out=max(0, count - OFFERED),
        skill=SELECT.key,
        method=context.skills.method(SELECT),
    )


def _all_named(text: str, mentions: Sequence[Mention]) -> bool:
    """True if a step is a list of names, each of them one node's alone: then there is nothing to choose."""
    names = [mention.text for mention in mentions]
    if not names or len(set(names)) < len(names):
        return False
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ", 1)
    return set(re.findall(r"\w+", text.casefold())) <= _JOINING


def _only(chain: Chain, idents: set[str]) -> Chain | None:
    """The chain with these of its nodes; None where none is left."""
    level = tuple(node for node in chain.nodes if node.id in idents)
    if not level:
        return None
    return chain.model_copy(update={"levels": (*chain.levels[:-1], level)}) if chain.hops else chain


class _Extension(NamedTuple):
    """One more hop for chains that have led to the same nodes, and the number of nodes that it leads to."""

    chains: tuple[Chain, ...]
    hop: Hop
    size: int
    score: float = 0.0

    @property
    def chain(self) -> Chain:
        """The first of them."""
        return self.chains[0]

    @property
    def label(self) -> str:
        """The chain in words, with all the nodes that it starts from."""
        chain = self.chain
        starts = dict.fromkeys(other.start.name for other in self.chains if other.hops == chain.hops)
        start = chain.start.model_copy(update={"name": " · ".join(starts)})
        return chain_arrows(chain.model_copy(update={"start": start, "hops": (*chain.hops, self.hop)}))


async def explore_relations(context: RunContext[Params], state: State, step: PlanStep) -> Step:
    """The relations of the nodes reached, ranked, chosen and followed."""
    explorer, params = context.explorer, context.params
    alone = context.skills.method(SELECT) != MODEL
    chains = [chain for chain in state["chains"] if len(chain.hops) < params.hops]
    groups = [(chain,) for chain in chains] if alone else _met(chains)
    hypernodes = params.hypernodes and explorer.statements
    options = await asyncio.gather(
        *(
            asyncio.to_thread(explorer.store.hops, [node.id for node in group[0].nodes], hypernodes)
            for group in groups
        )
    )
    ways = [
        _Extension(group, *option) for group, offers in zip(groups, options, strict=True) for option in offers
    ]
    ranked = await _ranked(explorer, state["question"], step, ways, whole=alone)
    # The best that lead anywhere; a model is shown where each of them leads.
    ranked, followed = await _leading(explorer, ranked, params.beam if alone else OFFERED)
    offered = ranked[:OFFERED]
    candidates = [
        _candidate(str(number), way, () if alone else followed.get(number - 1, ()))
        for number, way in enumerate(offered, 1)
    ]
    marked, note = await select(context.skills, state["question"], step, candidates, params.beam)
    chosen = [place for place, candidate in enumerate(marked) if candidate.chosen]
    for place in chosen:
        if place not in followed:
            followed[place] = await _followed(explorer, offered[place])
    going = tuple(chain for place in chosen for chain in followed[place])
    hidden = sum(chain.hidden for chain in going)
    notes = [note, f"{hidden} nodes were left out: too many." if hidden else ""]
    more = {"cypher": _cypher(explorer, offered, chosen), "note": " ".join(filter(None, notes))}
    if alone:
        more["score_name"] = SCORE_NAME
    return _result(context, state, step, marked, len(ranked)).model_copy(update=more), going


def _met(chains: Sequence[Chain]) -> list[tuple[Chain, ...]]:
    """The chains in groups that have led to the same nodes: from there, the same hops are possible."""
    groups: dict[frozenset[str], list[Chain]] = {}
    for chain in chains:
        groups.setdefault(frozenset(node.id for node in chain.nodes), []).append(chain)
    return [tuple(group) for group in groups.values()]


def _candidate(number: str, way: _Extension, led: Sequence[Chain]) -> Candidate:
    """A way on as it is offered under a number, with the chains that it leads to, where they are known."""
    ends = list(dict.fromkeys(node.name for chain in led for node in chain.nodes))
    size = len({node.id for chain in led for node in chain.nodes}) + sum(c.hidden for c in led) or way.size
    return Candidate(
        id=number,
        label=way.label,
        similarity=round(way.score, 4),
        detail="1 node" if size == 1 else f"{size} nodes",
        start=way.chain.start.name,
        relation=way.hop.name,
        inverse=way.hop.direction == "in",
        sources=tuple(node.name for node in way.chain.nodes[:SOURCES]),
        leads=tuple(ends[:LEADS]),
    )


async def _ranked(
    explorer: Explorer, question: str, step: PlanStep, ways: list[_Extension], *, whole: bool
) -> list[_Extension]:
    """Ways on, best first: `whole` chains by how they fit the question, or relations by nearness to the step."""
    if not whole:
        near = await explorer.meanings.nearness(step.text, [way.hop.name for way in ways])
        scored = [way._replace(score=score) for way, score in zip(ways, near, strict=True)]
        return sorted(scored, key=lambda way: -way.score)
    mentioned = {mention.node.id: mention.text for mention in explorer.mentioned(question)}
    scored = []
    for start in dict.fromkeys(way.chain.start for way in ways):
        mine = [way for way in ways if way.chain.start == start]
        masked_question = mask_name(question, mentioned.get(start.id, start.name))
        fit = await scores(
            explorer.meanings, masked_question, [(*way.chain.hops, way.hop) for way in mine], explorer.kinds
        )
        scored += [way._replace(score=score) for way, score in zip(mine, fit, strict=True)]
    return sorted(scored, key=lambda way: -way.score)


async def _leading(
    explorer: Explorer, ranked: list[_Extension], count: int
) -> tuple[list[_Extension], dict[int, tuple[Chain, ...]]]:
    """The extensions that do not only lead back, checked until `count` are found, and the chains that they give."""
    leading: list[_Extension] = []
    followed: dict[int, tuple[Chain, ...]] = {}
    rest = list(ranked)
    while rest and len(leading) < count:
        some, rest = rest[: count - len(leading)], rest[count - len(leading) :]
        for way, led in zip(
            some, await asyncio.gather(*(_followed(explorer, way) for way in some)), strict=True
        ):
            if led:
                followed[len(leading)] = led
                leading.append(way)
    return leading + rest, followed


async def _followed(explorer: Explorer, way: _Extension) -> tuple[Chain, ...]:
    """The chains with one more hop; a chain is left out that the hop only leads back."""
    led = await asyncio.gather(
        *(asyncio.to_thread(extend, explorer.store, chain, way.hop, way.score) for chain in way.chains)
    )
    return tuple(chain for chain in led if chain)


def _cypher(explorer: Explorer, offered: list[_Extension], chosen: list[int]) -> str:
    """The query of the first relation that was followed, with what was put into it."""
    if not chosen:
        return ""
    way = offered[chosen[0]]
    text, values = explorer.store.following([node.id for node in way.chain.nodes][:5], way.hop)
    more = max(0, len(way.chain.nodes) - 5)
    parameters = "\n".join(f"// ${name} = {value!r}" for name, value in values.items())
    return f"{text}\n{parameters}" + (f"\n// and {more} more ids" if more else "")
