"""Merging entities of a graph and undoing it, in the real graph database."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.corpora.chunk_store import open_vectors
from core.errors import InputError
from core.jobs import run_blocking
from core.knowledge.build.merging import apply_merges, merge, unmerge
from core.knowledge.build.resolution import duplicates
from core.knowledge.store.exporting import triples
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import import_file
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.models.embeddings import open_embedder
from core.runs.sources.sources import Sources
from core.runs.workbench import Workbench
from tests.commands import core_here
from tests.graphs import Place, contents, triple


def said(chunk: str, quote: str = "") -> TripleSource:
    return TripleSource(chunk=chunk, document="d", quote=quote or f"words of {chunk}")


MADE = Statement(subject=Entity(name="L. Cohen"), relation="made", object=Entity(name="Q"))
TRIPLES = [
    triple("Larry Cohen", "made", "Q", said("c1")),
    triple("Larry Cohen", "made", "The Stuff", said("c1")),
    triple("L. Cohen", "made", "The Stuff", said("c1", "another quote of the same chunk")),
    triple("L. Cohen", "made", "The Stuff", said("c2")),
    triple("L. Cohen", "made", "Q", said("c2")),
    triple("New York", "home of", "L. Cohen", said("c3")),
    triple("L. Cohen", "also called", "Larry Cohen", said("c3")),
    triple("L. Cohen", "admires", "L. Cohen", said("c3")),
    Triple(subject=MADE, relation="in", object=Entity(name="1982"), source=said("c4")),
    triple("Cohen, Larry", "made", "Q", said("c5")),
]


@pytest.fixture
def graphs(place: Place) -> Iterator[Graphs]:
    before = {graph.name for graph in place.graphs.catalogue.graphs()}
    yield place.graphs
    for graph in place.graphs.catalogue.graphs():
        if graph.name not in before:
            place.graphs.delete(graph.name)


@pytest.fixture
def graph(graphs: Graphs) -> Graph:
    graph = graphs.create("Cohen", "by hand")
    graphs.store(graph).write(TRIPLES)
    return graphs.finish(graph)


def made(graphs: Graphs, name: str) -> list[tuple[Any, ...]]:
    return sorted(
        (one.subject.name, one.relation, one.object.name, one.source.chunk, one.source.quote)
        for one in triples(graphs.open(name))
    )


def test_a_merge_moves_every_edge_with_its_source_and_is_undone_exactly(graphs: Graphs, graph: Graph) -> None:
    before, exported = contents(graphs, "Cohen"), list(triples(graphs.open("Cohen")))
    done = run_blocking(merge(graphs, graph, "Larry Cohen", "L. Cohen"))
    assert made(graphs, "Cohen") == sorted(
        [
            ("Larry Cohen", "made", "Q", "c1", "words of c1"),
            ("Larry Cohen", "made", "The Stuff", "c1", "words of c1"),
            ("Larry Cohen", "made", "The Stuff", "c2", "words of c2"),
            ("Larry Cohen", "made", "Q", "c2", "words of c2"),
            ("Larry Cohen", "made", "Q", "c4", "words of c4"),
            ("New York", "home of", "Larry Cohen", "c3", "words of c3"),
            ("(Larry Cohen)-[made]->(Q)", "in", "1982", "c4", "words of c4"),
            ("Cohen, Larry", "made", "Q", "c5", "words of c5"),
        ]
    )
    found = graphs.open("Cohen").query("MATCH (h)-[:SUBJECT]->(e) RETURN e.name")
    assert found.rows == [["Larry Cohen"]]
    assert [(one.id, one.gone.name, one.keep.name) for one in graphs.aliases.merges(graph.id)] == [
        (done.id, "L. Cohen", "Larry Cohen")
    ]
    assert graphs.catalogue.graph("Cohen").nodes == graph.nodes - 1
    run_blocking(unmerge(graphs, graph, done.id))
    assert contents(graphs, "Cohen") == before
    assert list(triples(graphs.open("Cohen"))) == exported
    assert graphs.aliases.merges(graph.id) == []
    with pytest.raises(InputError, match="no merge"):
        run_blocking(unmerge(graphs, graph, done.id))


def test_merges_of_merges_are_undone_in_turn(graphs: Graphs, graph: Graph) -> None:
    before = contents(graphs, "Cohen")
    first = run_blocking(merge(graphs, graph, "Larry Cohen", "L. Cohen"))
    second = run_blocking(merge(graphs, graph, "Cohen, Larry", "Larry Cohen"))
    apart = run_blocking(merge(graphs, graph, "New York", "1982"))
    with pytest.raises(InputError, match=f"Undo first .*{apart.id}|Undo first .*{second.id}"):
        run_blocking(unmerge(graphs, graph, first.id))
    for one in (apart, second, first):
        run_blocking(unmerge(graphs, graph, one.id))
    assert contents(graphs, "Cohen") == before


def test_a_merged_entity_that_comes_up_again_is_merged_again(graphs: Graphs, graph: Graph) -> None:
    store = graphs.store(graph)
    later = [triple("L. Cohen", "made", "It's Alive", said("c9"))]
    store.write(later)
    whole = contents(graphs, "Cohen")
    graphs.delete("Cohen")
    graph = graphs.create("Cohen", "by hand")
    store = graphs.store(graph)
    store.write(TRIPLES)
    first = run_blocking(merge(graphs, graph, "Larry Cohen", "L. Cohen"))
    second = run_blocking(merge(graphs, graph, "Cohen, Larry", "Larry Cohen"))
    store.write(later)
    for _ in range(2):
        apply_merges(store, graphs.aliases, graph.id)
        assert [(one[0], one[2]) for one in made(graphs, "Cohen") if one[3] == "c9"] == [
            ("Cohen, Larry", "It's Alive")
        ]
    assert set(store.present(["larry cohen", "l. cohen"])) == set()
    run_blocking(unmerge(graphs, graph, second.id))
    run_blocking(unmerge(graphs, graph, first.id))
    assert contents(graphs, "Cohen") == whole


def test_what_cannot_be_merged(graphs: Graphs, graph: Graph) -> None:
    for keep, other, message in (
        ("Larry Cohen", "larry  cohen", "the same entity"),
        ("Larry Cohen", "Nobody", "no entity “Nobody”"),
        ("Larry Cohen", MADE.id, "hypernode"),
    ):
        with pytest.raises(InputError, match=message):
            run_blocking(merge(graphs, graph, keep, other))
    assert graphs.aliases.merges(graph.id) == []


def test_a_lost_name_is_still_found_word_for_word(graphs: Graphs, graph: Graph, place: Place) -> None:
    sources = Sources(place.settings)
    backends = sources.backends
    library, url = sources.graphs, run_blocking(backends.vectors_url())
    asked = "What did L. Cohen admire?"

    def named() -> list[str]:
        return [mention.node.name for mention in library.ready("Cohen", url).mentioned(asked)]

    merged = run_blocking(merge(graphs, graph, "Larry Cohen", "L. Cohen"))
    assert named() == ["Larry Cohen"]
    run_blocking(unmerge(graphs, graph, merged.id))
    assert named() == ["L. Cohen"]
    backends.supervisor.release()


def test_duplicates_are_proposed(graphs: Graphs, graph: Graph, place: Place) -> None:
    embedder = open_embedder(place.settings)
    found = asyncio.run(duplicates(graphs.open("Cohen"), embedder))
    pairs = {frozenset((p.keep.name, p.duplicate.name)) for p in found.proposals}
    assert frozenset(("Larry Cohen", "L. Cohen")) in pairs
    assert not any("1982" in pair or "Q" in pair for pair in pairs)
    assert found.entities == found.compared == 7


def test_on_the_command_line(graphs: Graphs, graph: Graph, place: Place) -> None:
    home = place.home
    before = contents(graphs, "Cohen")
    listed = core_here(home, "graph", "duplicates", "--graph", "Cohen", "--spelling-only", "--json")
    (pair,) = json.loads(listed.stdout)["proposals"]
    keep, gone = pair["keep"]["id"], pair["duplicate"]["id"]
    done = json.loads(core_here(home, "graph", "merge", keep, gone, "--graph", "Cohen", "--json").stdout)
    assert done["id"] in core_here(home, "graph", "merges", "--graph", "Cohen").stdout
    undone = core_here(home, "graph", "unmerge", done["id"], "--graph", "Cohen")
    assert (undone.returncode, undone.stderr) == (0, "")
    assert contents(graphs, "Cohen") == before
    again = core_here(home, "graph", "unmerge", done["id"], "--graph", "Cohen")
    assert (again.returncode, again.stdout) == (1, "")


def test_random_merges_undone_backwards_leave_no_trace(graphs: Graphs) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    names = [f"E{number}" for number in range(12)]

    def node() -> Entity | Statement:
        if chance.random() < 0.25:
            ends = (Entity(name=chance.choice(names)) for _ in range(2))
            return Statement(subject=next(ends), relation="r", object=next(ends))
        return Entity(name=chance.choice(names))

    graph = graphs.create("Random", "by chance")
    store = graphs.store(graph)
    store.write(
        Triple(
            subject=node(), relation=chance.choice("rst"), object=node(), source=said(chance.choice("abc"))
        )
        for _ in range(60)
    )
    states = [contents(graphs, "Random")]
    merges: list[Any] = []
    while len(merges) < 8:
        keep, gone = chance.sample(sorted(row["id"] for row in store.entities()), 2)
        merges.append(run_blocking(merge(graphs, graph, keep, gone)))
        states.append(contents(graphs, "Random"))
    for done in reversed(merges):
        states.pop()
        run_blocking(unmerge(graphs, graph, done.id))
        assert contents(graphs, "Random") == states[-1]


def test_the_index_follows_every_change_and_goes_with_its_graph(bench: Workbench, tmp_path: Path) -> None:
    file = tmp_path / "few.tsv"
    file.write_text("Larry Cohen\tmade\tThe Stuff\nL. Cohen\tmade\tQ\n", encoding="utf-8")
    graphs = bench.graphs.graphs
    graph = import_file(graphs, file, "Few")
    client = open_vectors(run_blocking(bench.backends.vectors_url()))

    def indexed() -> set[str]:
        bench.graphs.prepare("Few").result()
        (found,) = (c for c in client.list_collections() if c.name.startswith(graph.id))
        return {key.partition(":")[2] for key in found.get(include=[])["ids"]}

    before = indexed()
    assert before == {"larry cohen", "l. cohen", "the stuff", "q", "made"}
    done = run_blocking(merge(graphs, graph, "Larry Cohen", "L. Cohen"))
    # As many nodes and edges as before, so that counting shows no difference.
    graphs.store(graph).write([triple("Larry Cohen", "likes", "Music")])
    graphs.finish(graph)
    assert indexed() == (before | {"likes", "music"}) - {"l. cohen"}
    run_blocking(unmerge(graphs, graph, done.id))
    assert indexed() == before | {"likes", "music"}
    bench.graphs.delete("Few")
    assert not any(c.name.startswith(graph.id) for c in client.list_collections())
