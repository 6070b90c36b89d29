"""KG-RAG with handles: the relation is chosen at each step of the model's plan, beside the one that it chose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from core.cards.kinds.exploration import ways
from core.knowledge.explore.chains import Chain, extend
from core.knowledge.explore.chains import triples as facts_of
from core.knowledge.records import Hop, NodeRecord
from core.knowledge.triples import entity_id
from core.models.embedding_vectors import cosine_matrix
from core.strategies.kg_rag import STRATEGY
from core.strategies.kg_rag_steps import OFFERED
from core.trace.artefacts import Candidates, GraphPath, Plan
from tools.explorables.memory_graph import MemoryGraph
from tools.explorables.recorded import gallery_run, head
from tools.explorables.world import triples, world

RUN = "recorded-kg-rag"
HOW = (
    "Choose another relation in a column. The way goes on from where it leads, and the next column offers what the "
    "graph has there. Choose the same relation again to take it back. An arrow to the left: the relation is followed "
    "backwards. The number, a cosine, says how near a relation's name is to the step: about 0 is unrelated, 1 the same."
)
DIGITS = 4


@cache
def _graph() -> MemoryGraph:
    return MemoryGraph(triples())


def make() -> dict[str, Any]:
    """All relations within the plan's steps of the start, with where they lead and who says so."""
    run, graph = gallery_run(RUN), _graph()
    [plan], drawn = run.find(Plan), ways(run)
    walked = run.find(GraphPath)[-1]
    if drawn is None:
        raise ValueError(f"{RUN} has planned nothing")
    first, *rest = run.find(Candidates)
    start = next(one.label for one in first.candidates if one.chosen)
    steps = [step.text for step in plan.steps if step.explore == "relationships"]
    links = list(_links(NodeRecord(id=entity_id(start), name=start), len(steps)))
    hops = sorted({hop for _, hop, _ in links}, key=lambda hop: (hop.statement, hop.rel, hop.direction))
    nodes = {node.id: node.name for source, _, target in links for node in (source, target)}
    order = sorted(nodes)
    named = world().titles
    model = world().embedder.embeddings
    names = [hop.name for hop in hops]
    near = cosine_matrix(model.embed_queries(steps), model.embed_queries(names))
    chosen = [(one.relation, one.inverse) for step in rest for one in step.candidates if one.chosen]
    return head(run, HOW) | {
        "colour": STRATEGY.colour,
        "start": order.index(entity_id(start)),
        "steps": steps,
        "planned": plan.steps[0].text,
        "offered": OFFERED,
        "nodes": [nodes[one] for one in order],
        "hops": [hop.model_dump() | {"name": hop.name} for hop in hops],
        "near": [[round(float(one), DIGITS) for one in row] for row in near],
        "links": [
            [
                order.index(source.id),
                hops.index(hop),
                order.index(target.id),
                *_fact(graph, source, hop, target, named),
            ]
            for source, hop, target in links
        ],
        "model": [
            next(at for at, hop in enumerate(hops) if (hop.name, hop.direction == "in") == one)
            for one in chosen
        ],
        "answers": list(walked.nodes),
        "verdict": walked.reason,
    }


def _links(start: NodeRecord, steps: int) -> Iterator[tuple[NodeRecord, Hop, NodeRecord]]:
    """Every link from the nodes that are at most so many hops away."""
    graph, seen, level = _graph(), {start.id}, [start]
    for _ in range(steps):
        after: dict[str, NodeRecord] = {}
        for node in level:
            for hop, _ in graph.hops([node.id]):
                for target in dict.fromkeys(link.node for link in graph.follow([node.id], hop)):
                    after.setdefault(target.id, target)
                    yield node, hop, target
        level = [node for ident, node in after.items() if ident not in seen]
        seen.update(after)


def _fact(
    graph: MemoryGraph, source: NodeRecord, hop: Hop, target: NodeRecord, named: Mapping[str, str]
) -> list[str]:
    """The triple of a link, the words that state it, and their document."""
    [one, *_] = facts_of(graph, Chain(start=source, hops=(hop,), levels=((target,),)))
    return [f"{one.subject} — {one.relation} → {one.object}", one.quote, named.get(one.document, "")]


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the relations that each step `offered`, by their places in the data, with their ends; and `reached` nodes.

    Args:
        data: As `make` gives it.
        values: `path`: the relations that were chosen, one after the other.
    """
    graph, nodes = _graph(), data["nodes"]
    hops = [
        Hop(rel=one["rel"], direction=one["direction"], statement=one["statement"]) for one in data["hops"]
    ]
    start = nodes[data["start"]]
    chain = Chain(start=NodeRecord(id=entity_id(start), name=start))
    offered, reached = [], []
    for step in range(len(data["steps"])):
        near = data["near"][step]
        options = sorted(
            (hop for hop, _ in graph.hops([node.id for node in chain.nodes])),
            key=lambda hop: -near[hops.index(hop)],
        )
        led = [(hops.index(hop), extend(graph, chain, hop)) for hop in options]
        leading = [(hop, [node.name for node in one.nodes]) for hop, one in led if one]
        offered.append([[hop, ends] for hop, ends in leading[:OFFERED]])
        if step >= len(values["path"]):
            break
        after = extend(graph, chain, hops[values["path"][step]])
        if after is None:
            raise ValueError("a relation that leads nowhere cannot be chosen")
        chain = after
        reached.append([node.name for node in chain.nodes])
    return {"offered": offered, "reached": reached}
