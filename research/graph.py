"""How fast a graph is looked around in, beside networkx with the same graph in memory, in the same run.

    python -m research.graph [--nodes 10000] [--edges 50000] [--samples 200]

The graph is random with a fixed seed and, like real ones, has hubs: the most connected node has about every fortieth
edge. Neighbourhoods (`core.knowledge.explore.browsing.surroundings`, at most 300 nodes, with the edges among them) are
timed for nodes taken at random and for the 1 % most connected; paths are those of at most 3 hops, at most 20, between
nodes taken at random. Milliseconds of one call after the other over Bolt on loopback; what
networkx answers has to agree.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import networkx as nx

from core.knowledge.explore.browsing import surroundings
from core.knowledge.store import cypher
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.graphs import Graphs
from core.knowledge.triples import Entity, Triple, TripleSource
from core.services.supervisor import Supervisor
from core.settings import Settings

SEED = 7
LIMIT = 300
HOPS = 3
PATHS = 20
WARM = 20
"""Calls before the clock runs: Java gets faster with use."""


def random_triples(nodes: int, edges: int) -> Iterator[Triple]:
    """A graph with hubs, 12 relations of unequal frequency and 200 documents."""
    chance = random.Random(SEED)
    for number in range(edges):
        a, b = int(nodes * chance.random() ** 2.5), int(nodes * chance.random() ** 1.2)
        relation = f"relation {int(12 * chance.random() ** 2)}"
        source = TripleSource(chunk=f"c{number}", document=f"d{number % 200}", quote=f"{a} is joined to {b}.")
        ends = Entity(name=f"Node {a}"), Entity(name=f"Node {b}")
        yield Triple(subject=ends[0], relation=relation, object=ends[1], source=source)


@contextmanager
def stored(triples: Sequence[Triple]) -> Iterator[GraphStore]:
    """The graph on a server of its own; prints how long its import took."""
    with tempfile.TemporaryDirectory() as folder:
        supervisor = Supervisor(Path(folder))
        graphs = Graphs(Settings(_env_file=None, rag_loupe_home=Path(folder), neo4j_uri=""), supervisor)
        try:
            store = graphs.store(graphs.create("benchmark", "random"))
            start = time.perf_counter()
            store.write(triples)
            seconds = time.perf_counter() - start
            print(
                f"import: {len(triples)} triples in {seconds:.1f} s, {len(triples) / seconds:,.0f} per second"
            )
            yield store
        finally:
            graphs.close()
            supervisor.release()


def in_memory(triples: Sequence[Triple]) -> nx.MultiDiGraph[str]:
    """The same graph in networkx."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for one in triples:
        graph.add_edge(one.subject.id, one.object.id, rel=one.relation, **one.source.model_dump())
    return graph


def neighbourhood(graph: nx.MultiDiGraph[str], ident: str) -> tuple[int, int]:
    """What `surroundings` finds, as numbers of nodes and edges."""
    near = sorted(set(nx.all_neighbors(graph, ident)) - {ident}, key=lambda n: (-graph.degree(n), n))
    shown = graph.subgraph([ident, *near[: LIMIT - 1]])
    return len(shown), len(list(shown.edges(data=True)))


def shortest(graph: nx.Graph[str], ends: tuple[str, str]) -> int | None:
    """Hops of the shortest of the first paths; None: there is none. networkx goes by length only if told so."""
    for hops in range(1, HOPS + 1):
        found = nx.all_simple_paths(graph, *ends, cutoff=hops)
        paths = [path for path, _ in zip(found, range(PATHS), strict=False)]
        if paths:
            return min(map(len, paths)) - 1
    return None


def timed(work: Callable[[Any], Any], over: Sequence[Any]) -> tuple[list[float], list[Any]]:
    """Milliseconds and result of each call."""
    took, results = [], []
    for one in over:
        start = time.perf_counter()
        results.append(work(one))
        took.append((time.perf_counter() - start) * 1000)
    return took, results


def row(name: str, ours: list[float], theirs: list[float]) -> None:
    """One line of the table."""
    cells = [f"{name:<34}"]
    for took in (ours, theirs):
        ranks = statistics.quantiles(took, n=20, method="inclusive")
        cells.append(f"{ranks[9]:8.2f}{ranks[18]:9.2f}")
    print("   ".join([*cells, f"{statistics.median(ours) / max(statistics.median(theirs), 1e-6):9.1f}"]))


def main() -> None:
    """Import, ask, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--edges", type=int, default=50_000)
    parser.add_argument("--samples", type=int, default=200)
    arguments = parser.parse_args()
    triples = list(random_triples(arguments.nodes, arguments.edges))
    graph = in_memory(triples)
    flat = nx.Graph(graph)
    chance = random.Random(SEED)
    names = sorted(graph)
    by_degree = sorted(names, key=lambda n: (-graph.degree(n), n))
    any_node = chance.choices(names, k=arguments.samples)
    hubs = chance.choices(by_degree[: max(1, len(names) // 100)], k=arguments.samples)
    ends = [
        (a, b) for a, b in zip(chance.choices(names, k=arguments.samples), any_node, strict=True) if a != b
    ]
    with stored(triples) as store:

        def around(ident: str) -> tuple[int, int]:
            found = surroundings(store, [ident], limit=LIMIT)
            assert not found.edges_cut
            return len(found.nodes), len(found.edges)

        def paths(pair: tuple[str, str]) -> int | None:
            found = store.paths(*pair, HOPS, PATHS)
            return found[0].hops if found else None

        def relations(_: int) -> dict[str, int]:
            return {one["rel"]: one["count"] for one in store.read(cypher.COUNT_RELATIONS, limit=100)}

        def counted(_: int) -> dict[str, int]:
            return dict(Counter(rel for _, _, rel in graph.edges(data="rel")))

        work: list[tuple[str, Any, Any, Sequence[Any]]] = [
            ("neighbourhood, any node", around, lambda n: neighbourhood(graph, n), any_node),
            ("neighbourhood, 1 % most connected", around, lambda n: neighbourhood(graph, n), hubs),
            (f"paths of at most {HOPS} hops", paths, lambda pair: shortest(flat, pair), ends),
            ("counts by relation", relations, counted, range(max(20, arguments.samples // 10))),
        ]
        print(f"{'milliseconds':<34}{'p50':>11}{'p95':>9}   {'networkx p50':>8}{'p95':>5}   {'ratio':>9}")
        for name, ours, theirs, over in work:
            timed(ours, over[:WARM])
            took, found = timed(ours, over)
            took_there, found_there = timed(theirs, over)
            assert found == found_there, name
            row(name, took, took_there)


if __name__ == "__main__":
    main()
