"""Knowledge graphs on the real local server, over Bolt."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.corpora.demo import DEMO_CORPUS
from core.errors import InputError, LoupeError, StoreError
from core.knowledge.records import Direction, EdgeRecord, Hop, PathRecord
from core.knowledge.store import cypher, exporting, graph_store, importing, plain_values
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.exporting import triples as stored_triples
from core.knowledge.store.graph_catalogue import Graph, UnknownGraph
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.importing import demo_graph, import_file, read_triples
from core.knowledge.store.query_guard import RefusedQuery
from core.knowledge.triples import Entity, TripleSource, entity_id
from tests.graphs import Place, triple

PELLAMAR, METAQA, MOVIES, WIKIDATA, HYPERNODES = (demo.name for demo in DEMO_GRAPHS)


@pytest.fixture
def metaqa(place: Place) -> GraphStore:
    """The largest of the graphs that come with the app, imported when it is first needed."""
    demo_graph(place.graphs, METAQA)
    return place.graphs.open(METAQA)


def test_the_demo_graphs_are_all_there_and_not_imported_twice(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_: object) -> None:
        raise AssertionError

    names = [demo.name for demo in DEMO_GRAPHS]
    for name in names:
        demo_graph(place.graphs, name)
    monkeypatch.setattr(importing, "_write", nothing)
    monkeypatch.setattr(importing, "_import_script", nothing)
    found = {name: demo_graph(place.graphs, name) for name in names}
    assert (found[MOVIES].nodes, found[MOVIES].edges, found[MOVIES].native) == (171, 253, True)
    assert found[METAQA].edges == 6132
    assert found[WIKIDATA].edges == 149
    assert all(graph.ready for graph in found.values())


def test_the_graph_of_the_demo_corpus_follows_how_that_is_cut(place: Place) -> None:
    def cut(name: str) -> Callable[[str, str], tuple[str, ...]]:
        return lambda document, quote: (f"{document}-{name}",) if "Clara" in quote else ()

    def chunks(graph: Graph) -> set[str]:
        return {chunk for _, chunk, _ in place.graphs.store(graph).nodes() if chunk}

    first = demo_graph(place.graphs, PELLAMAR, finder=cut("a"))
    assert chunks(first)
    assert all(chunk.endswith("-a") for chunk in chunks(first))
    assert first.corpus == DEMO_CORPUS
    assert demo_graph(place.graphs, PELLAMAR, finder=cut("a")).id == first.id
    assert demo_graph(place.graphs, PELLAMAR).id == first.id  # nobody knows how it is cut
    second = demo_graph(place.graphs, PELLAMAR, finder=cut("b"))
    assert second.id != first.id
    assert all(chunk.endswith("-b") for chunk in chunks(second))
    place.graphs.catalogue.change(second.id, mark="")  # somebody's own of that name
    assert demo_graph(place.graphs, PELLAMAR, finder=cut("c")).id == second.id


@pytest.mark.parametrize(
    "name", [WIKIDATA, MOVIES, HYPERNODES, pytest.param(METAQA, marks=pytest.mark.thorough)]
)
def test_every_statement_runs(place: Place, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are not called by anything else here are run by themselves."""
    monkeypatch.setattr(graph_store, "_PAGE", 60)
    monkeypatch.setattr(exporting, "_PAGE", 60)
    demo_graph(place.graphs, name)
    store = place.graphs.open(name)
    some = store.statistics(5)
    assert some.nodes
    assert len(some.relations) <= 5
    node = some.connected[0][0]
    assert store.get(node.id) == node
    assert store.find(node.name)[0] == node
    near = store.neighbourhood(node.id, 3)
    assert len(near.neighbours) == 3
    assert near.hidden == some.connected[0][1] - 3
    relations = store.relations([node.id])
    best = relations[0]
    reached = _reached(store, node.id, best.rel, best.direction)
    assert len(reached) == best.count
    assert store.paths(node.id, next(iter(reached)), 1)[0].hops == 1
    assert "The relationships:" in store.schema_text()
    if not store.native:
        assert (
            sum(1 for _ in stored_triples(store))
            == store.query("MATCH (:Entity)-[r:REL]->(:Entity) RETURN count(r)").rows[0][0]
        )
    with place.graphs.server.driver().session(
        database=place.graphs.catalogue.graph(MOVIES).database
    ) as session:
        assert session.run(cypher.ANY_NODE).single()


def test_schema_of_a_graph_with_labels_of_its_own(place: Place) -> None:
    text = place.graphs.open(MOVIES).schema_text()
    for line in ("(:Person)-[:ACTED_IN]->(:Movie)", "(:Person)-[:FOLLOWS]->(:Person)", "released: INTEGER"):
        assert line in text


def _walk(start: str, path: list[str], edges: dict[tuple[str, str], set[str]]) -> set[str]:
    """Brute force: the ends of all paths along these relations, the start left out."""
    ends = {start}
    for step in path:
        ends = {other for end in ends for other in edges[end, step]}
    return ends - {start}


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.thorough) for part in (1, 2))])
def test_paths_of_one_to_three_hops_against_brute_force(metaqa: GraphStore, part: int) -> None:
    """Along the relations, and every node within reach by any."""
    file = DEMO_GRAPHS[1].file
    edges: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in read_triples(file.read_text(encoding="utf-8")):
        edges[one.subject.id, one.relation].add(one.object.id)
        edges[one.object.id, f"{one.relation} [inverse]"].add(one.subject.id)
    store = metaqa
    for line in file.with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()[part::3]:
        question = json.loads(line)
        start = entity_id(question["topic_entity"])
        found = {start}
        for step in question["path"]:
            rel, _, inverse = step.partition(" [")
            hop = Hop(rel=rel, direction="in" if inverse else "out")
            found = {link.node.id for link in store.follow(list(found), hop, 100_000)}
        assert found - {start} == _walk(start, question["path"], edges)
        assert {entity_id(answer) for answer in question["answers"]} == found - {start}


def test_shortest_paths_against_brute_force(metaqa: GraphStore) -> None:
    file = DEMO_GRAPHS[1].file
    near: dict[str, set[str]] = defaultdict(set)
    for one in read_triples(file.read_text(encoding="utf-8")):
        near[one.subject.id].add(one.object.id)
        near[one.object.id].add(one.subject.id)
    store = metaqa
    lines = file.with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[::10]:
        question = json.loads(line)
        start, goal = entity_id(question["topic_entity"]), entity_id(question["answers"][0])
        wanted = _distance(start, goal, near)
        paths = store.paths(start, goal, 3)
        assert paths[0].hops == wanted
        for path in paths:
            _check(path, start, goal, near)


def _reached(
    store: GraphStore, ident: str, rel: str, direction: Direction = "out"
) -> dict[str, list[EdgeRecord]]:
    """The nodes to which a relation of a node leads, by id, with its edges."""
    found: dict[str, list[EdgeRecord]] = defaultdict(list)
    for one in store.neighbourhood(ident, 10_000).neighbours:
        near, far = (one.edge.src, one.edge.dst) if direction == "out" else (one.edge.dst, one.edge.src)
        if (near, far, one.edge.rel) == (ident, one.node.id, rel):
            found[one.node.id].append(one.edge)
    return found


def _distance(start: str, goal: str, near: dict[str, set[str]]) -> int:
    reached, hops = {start}, 0
    while goal not in reached:
        reached |= {other for node in reached for other in near[node]}
        hops += 1
    return hops


def _check(path: PathRecord, start: str, goal: str, near: dict[str, set[str]]) -> None:
    ids = [node.id for node in path.nodes]
    assert (ids[0], ids[-1], len(ids)) == (start, goal, path.hops + 1)
    for place, edge in enumerate(path.edges):
        assert {edge.src, edge.dst} == {ids[place], ids[place + 1]}
        assert ids[place + 1] in near[ids[place]]


def test_hypernodes(place: Place) -> None:
    store = place.graphs.open(HYPERNODES)
    created = "(Seth MacFarlane)-[created]->(Family Guy)"
    node = store.find(created)[0]
    assert (node.name, node.kind) == (created, "Statement")
    assert [*_reached(store, node.id, "in")] == ["1999"]
    assert [*_reached(store, node.id, "SUBJECT")] == ["seth macfarlane"]
    assert "family guy" in _reached(store, "seth macfarlane", "created")
    husbands = _reached(store, "elizabeth taylor", "married").keys()
    assert husbands & _reached(store, "chichester, west sussex", "died in", "in").keys() == {
        "michael wilding"
    }
    because = [edge for edge in stored_triples(store) if edge.relation == "because of"]
    assert because[0].subject.name == "((Elizabeth Taylor)-[married]->(Michael Wilding))-[until]->(1957)"


def test_two_imports_at_once_make_each_node_once(place: Place) -> None:
    store = place.fresh("twice at once")
    found = [triple("Wren", "knows", f"bird {number}") for number in range(40)]
    with ThreadPoolExecutor(4) as imports:
        assert list(imports.map(store.write, [found[part:] + found[:part] for part in range(4)])) == [40] * 4
    assert len(store.entities()) == 41


def test_two_chunks_that_state_the_same_are_both_kept(place: Place) -> None:
    store = place.fresh("sources")
    said = [
        triple("A", "knows", "B", TripleSource(chunk=f"c{n}", document="d", quote=f"q{n}")) for n in (1, 2)
    ]
    for _ in range(3):
        store.write(said)
    edges = _reached(store, "a", "knows")["b"]
    assert [(edge.chunk, edge.quote) for edge in sorted(edges, key=lambda e: e.chunk)] == [
        ("c1", "q1"),
        ("c2", "q2"),
    ]
    store.write([triple("a", "knows", "b").model_copy(update={"subject": Entity(name="a", kind="person")})])
    found = store.get("a")
    assert found is not None
    assert (found.name, found.kind) == ("A", "person")


HOSTILE = [
    "'}) MATCH (n) DETACH DELETE n //",
    '"); DROP DATABASE x; //',
    "`) DELETE n",
    "\\u0027 \\",
    "$id",
    "<script>alert(1)</script>",
    "{n.name}",
    "/* */ ; -- ",
    "Robert'); DROP TABLE graphs;--",
    "日本語 😀 العربية",
    "a\tb" * 3,
    "null",
    "x" * 300,
]


def test_hostile_names_are_data(place: Place) -> None:
    store = place.fresh("hostile '; DROP")
    triples = [
        triple(name, name, f"{name[:290]} 2", TripleSource(chunk=name, quote=name)) for name in HOSTILE
    ]
    store.write(triples)
    assert store.statistics().nodes == 2 * len(HOSTILE)
    for one in triples:
        found = store.get(one.subject.id)
        assert found is not None
        assert found.name == one.subject.name
        link = store.follow([one.subject.id], Hop(rel=one.relation))[0]
        assert (link.node.name, link.edge.quote) == (one.object.name, one.source.quote)
        assert store.find(one.subject.name)[0].name == one.subject.name
    assert {t.subject.name for t in stored_triples(store)} == {t.subject.name for t in triples}
    assert all(t.relation[:20] in store.schema_text() or '"' in t.relation for t in triples[:3])


def test_results_of_a_query(place: Place) -> None:
    store = place.graphs.open(MOVIES)
    result = store.query(
        "MATCH p = (a:Person {name: 'Keanu Reeves'})-[r:ACTED_IN]->(m) RETURN p, m.title AS t, r"
    )
    assert result.columns == ["p", "t", "r"]
    assert "The Matrix" in [row[1] for row in result.rows]
    assert len(result.nodes) == len(result.rows) + 1
    assert len(result.edges) == len(result.rows) == len(result.paths)
    assert not result.truncated
    assert json.dumps(result.rows)
    many = store.query("MATCH (a), (b) RETURN a.name", row_limit=10)
    assert (len(many.rows), many.truncated) == (10, True)
    assert store.query("MATCH (n:Movie) RETURN count(n)").rows == [[38]]


def test_a_write_never_reaches_the_server(place: Place) -> None:
    store = place.graphs.open(MOVIES)
    for query in ("MATCH (n) DETACH DELETE n", "CREATE (:X)", "MATCH (n) SET n.x = 1 RETURN n"):
        with pytest.raises(RefusedQuery):
            store.query(query)
    assert store.statistics().nodes == 171


def test_mistakes_are_said(place: Place) -> None:
    store = place.graphs.open(MOVIES)
    with pytest.raises(InputError, match="does not accept the query: .*foo"):
        store.query("RETURN foo")
    with pytest.raises(InputError, match="does not accept the query: Syntax error"):
        store.query("MATCH (n RETURN n")
    with pytest.raises(UnknownGraph, match="There is no graph named “nope”. Existing: “"):
        place.graphs.open("nope")
    with pytest.raises(StoreError, match="not in the graph database any more"):
        GraphStore(place.graphs.server, "gone123").find("x")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("RETURN reduce(l = [1], i IN range(1, 900) | [l])", "nested too deeply"),
        ("RETURN reduce(l = [1], i IN range(1, 5000) | [l])", "broke off"),
        ("RETURN duration({years: 9999999999999})", "cannot be read, such as a date"),
        ("RETURN reduce(s = 'a', i IN range(1, 12) | s + s) =~ '(a|aa)+$'", "regular expression"),
    ],
)
def test_a_result_that_cannot_be_carried_is_the_fault_of_the_query(
    place: Place, query: str, said: str
) -> None:
    store = place.graphs.open(MOVIES)
    with pytest.raises(InputError, match=said):
        store.query(query)
    assert store.query("MATCH (n:Movie) RETURN count(n)").rows == [[38]]


def test_a_result_has_a_limit_on_its_size_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_values, "RESULT_CHARS", 2_500)
    found = place.graphs.open(MOVIES).query(
        "UNWIND range(1, 10) AS i RETURN reduce(s = 'x', k IN range(1, 10) | s + s)"
    )
    assert (len(found.rows), found.truncated) == (3, True)


def test_imports_cut_short_are_finished_by_the_next(place: Place) -> None:
    """Killed before there was a database, or after some of it was written."""
    triples, script = DEMO_GRAPHS[3].file, DEMO_GRAPHS[2].file
    catalogue = place.graphs.catalogue
    catalogue.create("cut 1", "test")
    assert import_file(place.graphs, triples, "cut 1").edges == 149
    catalogue.create("cut 2", "test", native=True)
    assert import_file(place.graphs, script, "cut 2").nodes == 171
    graph = place.graphs.create("cut 3", "test", native=True)
    place.graphs.store(graph).change([("CREATE (:Half)", {})])
    assert import_file(place.graphs, script, "cut 3").nodes == 171
    place.graphs.catalogue.begin(catalogue.graph("cut 1").id)
    assert import_file(place.graphs, triples, "cut 1").edges == 149
    with pytest.raises(InputError, match="has a schema of its own"):
        import_file(place.graphs, triples, "cut 2")
    for name in ("cut 1", "cut 2", "cut 3"):
        place.graphs.delete(name)


def test_a_script_that_fails_leaves_nothing_behind(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "bad.cypher"
    script.write_text("CREATE (:A {x: 1});\nCREATE (:B {x: nonsense});", encoding="utf-8")
    with pytest.raises(LoupeError):
        import_file(place.graphs, script, "bad")
    with pytest.raises(UnknownGraph):
        place.graphs.catalogue.graph("bad")
    script.write_text("CREATE (:A {x: 1});\nMATCH (a:A) CREATE (a)-[:R]->(:B {x: 2});", encoding="utf-8")
    graph = import_file(place.graphs, script, "bad")
    assert (graph.nodes, graph.edges) == (2, 1)
    with pytest.raises(InputError, match="already a graph named “bad”"):
        import_file(place.graphs, script, "bad")
    place.graphs.delete("bad")
    with pytest.raises(UnknownGraph):
        place.graphs.open("bad")
