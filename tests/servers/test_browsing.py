"""What is around nodes of a graph: against counting by hand, in the real graph database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from core.errors import InputError
from core.knowledge.explore import browsing
from core.knowledge.explore.browsing import Surroundings, filters, surroundings
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.importing import demo_graph
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from tests.graphs import Place, triple

_, METAQA, MOVIES, WIKIDATA, HYPERNODES = (demo.name for demo in DEMO_GRAPHS)


class Whole:
    """A whole graph in memory."""

    def __init__(self, store: GraphStore) -> None:
        ident = "coalesce({0}.name, {0}.title)" if store.native else "{0}.id"
        found = store.query(
            f"MATCH (a)-[r]->(b) RETURN {ident.format('a')}, coalesce(r.rel, type(r)), {ident.format('b')}",
            20_000,
        )
        assert not found.truncated
        self.edges = Counter((s, rel, t) for s, rel, t in found.rows)
        self.near: dict[str, set[str]] = defaultdict(set)
        self.degree: Counter[str] = Counter()
        for (s, _, t), count in self.edges.items():
            self.near[s].add(t)
            self.near[t].add(s)
            self.degree[s] += count
            self.degree[t] += count * (s != t)


def check(found: Surroundings, whole: Whole, centres: list[str]) -> set[str]:
    """That everything said of the surroundings is so; the ids of their nodes."""
    ids = {seen.node.id for seen in found.nodes}
    assert len(ids) == len(found.nodes)
    assert [seen.node.id for seen in found.nodes][: len(centres)] == centres
    assert {seen.node.id: seen.degree for seen in found.nodes} == {i: whole.degree[i] for i in ids}
    between = {edge for edge in whole.edges if edge[0] in ids and edge[2] in ids}
    assert {(edge.src, edge.rel, edge.dst) for edge in found.edges} == between
    assert len({edge.key for edge in found.edges}) == len(found.edges)
    neighbours = {other for centre in centres for other in whole.near[centre]} - set(centres)
    assert ids <= neighbours | set(centres)
    assert found.hidden == len(neighbours - ids)
    return ids


@pytest.mark.parametrize(
    "name", [pytest.param(METAQA, marks=pytest.mark.thorough), MOVIES, WIKIDATA, HYPERNODES]
)
@pytest.mark.parametrize("limit", [300, 20])
def test_one_and_several_centres_of_every_graph(place: Place, name: str, limit: int) -> None:
    demo_graph(place.graphs, name)
    store = place.graphs.open(name)
    whole = Whole(store)
    best = [ident for ident, _ in whole.degree.most_common(4)]
    for centres in (best[:1], best[3:0:-1]):
        found = surroundings(store, centres, limit=limit)
        ids = check(found, whole, centres)
        assert len(ids) <= limit
        assert found == surroundings(store, centres, limit=limit)


def test_the_nodes_kept_are_the_best_connected_of_each_centre_in_turn(place: Place) -> None:
    store = place.graphs.open(MOVIES)
    whole = Whole(store)
    centres = [ident for ident, _ in whole.degree.most_common(2)]
    found = surroundings(store, centres, limit=10)
    kept = [seen.node.id for seen in found.nodes[2:]]
    wanted: list[str] = []
    while len(wanted) < 8:
        for centre in centres:
            left = whole.near[centre] - set(centres) - set(wanted)
            wanted.append(min(left, key=lambda ident: (-whole.degree[ident], ident)))
    assert kept == wanted


def test_filters(place: Place) -> None:
    store = place.fresh("filters")
    made = Statement(subject=Entity(name="A"), relation="made", object=Entity(name="B"))
    store.write(
        [
            triple("A", "knows", "B", TripleSource(chunk="c1", document="d1")),
            triple("A", "knows", "B", TripleSource(chunk="c2", document="d2")),
            triple("A", "likes", "C", TripleSource(chunk="c2", document="d2")),
            Triple(
                subject=Entity(name="A", kind="person"), relation="knows",
                object=Entity(name="D", kind="person"),
            ),
            Triple(subject=made, relation="in", object=Entity(name="1999"), source=TripleSource(document="d3")),
        ]
    )  # fmt: skip

    def seen(
        relations: Sequence[str] = (), kinds: Sequence[str] = (), documents: Sequence[str] = ()
    ) -> tuple[set[str], list[str]]:
        found = surroundings(store, ["a"], relations=relations, kinds=kinds, documents=documents)
        assert found.hidden == 0
        return {one.node.name for one in found.nodes}, sorted(edge.rel for edge in found.edges)

    hypernode = "(A)-[made]->(B)"
    assert seen() == (
        {"A", "B", "C", "D", hypernode},
        ["OBJECT", "SUBJECT", "knows", "knows", "knows", "likes", "made"],
    )
    assert seen(relations=("knows",)) == ({"A", "B", "D"}, ["knows", "knows", "knows"])
    assert seen(documents=("d2",)) == ({"A", "B", "C"}, ["knows", "likes"])
    assert seen(documents=("d3",)) == ({"A", "B", hypernode}, ["OBJECT", "SUBJECT", "made"])
    assert seen(kinds=("person",)) == ({"A", "D"}, ["knows"])
    assert seen(kinds=("person", "Statement"), relations=("SUBJECT",)) == ({"A", hypernode}, ["SUBJECT"])
    assert seen(relations=("') MATCH (n) DETACH DELETE n //",)) == ({"A"}, [])
    offered = filters(store)
    assert (offered.relations[0].name, offered.relations[0].count) == ("knows", 3)
    assert {one.name: one.count for one in offered.kinds} == {"": 3, "person": 2, "Statement": 1}
    assert {one.name: one.count for one in offered.documents} == {"d1": 1, "d2": 2, "d3": 2}


def test_filters_of_a_graph_with_a_schema_of_its_own(place: Place) -> None:
    store = place.graphs.open(MOVIES)
    offered = filters(store)
    assert [(one.name, one.count) for one in offered.kinds] == [("Person", 133), ("Movie", 38)]
    assert offered.documents == ()
    found = surroundings(store, ["Keanu Reeves"], relations=["ACTED_IN"], kinds=["Movie"])
    assert {seen.node.kind for seen in found.nodes[1:]} == {"Movie"}
    assert {edge.type for edge in found.edges} == {"ACTED_IN"}


def test_what_is_not_there(place: Place) -> None:
    store = place.graphs.open(HYPERNODES)
    found = surroundings(store, ["nobody", "family guy", "family guy", "';"])
    assert found.nodes[0].node.id == "family guy"
    assert found == surroundings(store, ["family guy"])
    with pytest.raises(InputError, match="no node “nobody” in this graph"):
        surroundings(store, ["nobody"])
    with pytest.raises(InputError, match="no node in this graph"):
        surroundings(store, [])
    with pytest.raises(InputError, match="At least one"):
        surroundings(store, ["family guy"], limit=0)
    alone = surroundings(store, ["family guy"], limit=1)
    assert (len(alone.nodes), alone.edges) == (1, ())
    assert alone.hidden > 0


def test_too_many_edges_are_cut_and_that_is_said(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    store = place.fresh("many edges")
    store.write([triple("A", "r", "B", TripleSource(chunk=f"c{n}")) for n in range(5)])
    store.write([triple("B", "r", "A"), triple("A", "r", "A")])
    monkeypatch.setattr(browsing, "MAX_EDGES", 6)
    found = surroundings(store, ["a"])
    assert (len(found.edges), found.edges_cut) == (6, True)
    monkeypatch.setattr(browsing, "MAX_EDGES", 7)
    found = surroundings(store, ["a"])
    assert (len(found.edges), found.edges_cut, found.nodes[0].degree) == (7, False, 7)
