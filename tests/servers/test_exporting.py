"""Graphs written to files and read back, in the real graph database."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from core.cli.main import main
from core.errors import InputError
from core.jobs import run_blocking
from core.knowledge.build.merging import merge, unmerge
from core.knowledge.store import exporting
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.exporting import SUFFIXES, Format, lines, save, triples
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.importing import demo_graph, import_file
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.settings import get_settings
from tests.graphs import Place, contents, triple
from tests.servers.test_graph_store import HOSTILE

_, METAQA, MOVIES, WIKIDATA, HYPERNODES = (demo.name for demo in DEMO_GRAPHS)
NS = "{http://graphml.graphdrawing.org/xmlns}"


def back(place: Place, name: str, form: Format, folder: Path) -> Any:
    """The contents of a graph after an export and an import."""
    file = folder / f"x{SUFFIXES[form]}"
    save(lines(place.graphs.open(name), form), file)
    assert [path.name for path in folder.iterdir()] == [file.name]
    copy = f"{name[:60]} again as {form}"
    import_file(place.graphs, file, copy)
    try:
        return contents(place.graphs, copy)
    finally:
        place.graphs.delete(copy)


@pytest.mark.parametrize("form", ["triples", "jsonl"])
@pytest.mark.parametrize("name", [WIKIDATA, HYPERNODES])
def test_graphs_that_come_with_the_app_are_read_back_the_same(
    place: Place, name: str, form: Format, tmp_path: Path
) -> None:
    assert back(place, name, form, tmp_path) == contents(place.graphs, name)


@pytest.mark.parametrize("form", ["triples", "jsonl"])
def test_random_graphs_are_read_back_the_same(place: Place, form: Format, tmp_path: Path) -> None:
    """Hypernodes nested up to four deep, kinds, several sources, names that are markup, code or JSON."""
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    names = [
        *HOSTILE,
        '{"type": "statement"}',
        "Statement",
        "(A)-[r]->(B)",
        "subject",
        "a\u2028b",
        "N1",
        "n1",
    ]

    def node(depth: int = 4) -> Entity | Statement:
        if depth and chance.random() < 0.3:
            ends = [node(depth - 1) for _ in range(2)]
            return Statement(subject=ends[0], relation=chance.choice(names[:-1]), object=ends[1])
        return Entity(name=chance.choice(names), kind=chance.choice(["", "", "person", "</data>"]))

    store = place.fresh(f"random {form}")
    for _ in range(4):  # relations that differ in case only would be those of one hypernode
        store.write(
            Triple(
                subject=node(), relation=chance.choice(names[:-1]), object=node(),
                source=TripleSource(chunk=f"c{number % 4}", document=f"d{number}", quote=f'"{number}" <&> \t\n x'),
            )
            for number in (chance.randrange(9) for _ in range(30))
        )  # fmt: skip
    graph = place.graphs.finish(place.graphs.catalogue.graph(f"random {form}"))
    before = contents(place.graphs, graph.name)
    assert back(place, graph.name, form, tmp_path) == before
    ids = sorted(row["id"] for row in store.entities())
    merges = []
    for _ in range(3):
        keep, gone = chance.sample(sorted(store.present(ids)), 2)
        merges.append(run_blocking(merge(place.graphs, graph, keep, gone)))
    for done in reversed(merges):
        run_blocking(unmerge(place.graphs, graph, done.id))
    assert contents(place.graphs, graph.name) == before


def test_hypernodes_have_the_names_of_merged_entities_at_every_depth(place: Place) -> None:
    store = place.fresh("renamed")
    made = Statement(subject=Entity(name="L. Cohen"), relation="made", object=Entity(name="Q"))
    until = Statement(subject=made, relation="until", object=Entity(name="L. Cohen"))
    store.write(
        [triple("Larry Cohen", "likes", "Q"), Triple(subject=until, relation="by", object=Entity(name="X"))]
    )
    graph = place.graphs.finish(place.graphs.catalogue.graph("renamed"))
    before = contents(place.graphs, "renamed")
    done = run_blocking(merge(place.graphs, graph, "Larry Cohen", "L. Cohen"))
    names = [
        row[0]
        for row in store.query("MATCH (h {kind: 'Statement'}) RETURN h.name ORDER BY size(h.name)").rows
    ]
    assert names == [
        "(Larry Cohen)-[made]->(Q)",
        "((Larry Cohen)-[made]->(Q))-[until]->(Larry Cohen)",
    ]
    run_blocking(unmerge(place.graphs, graph, done.id))
    assert contents(place.graphs, "renamed") == before


def drawn(store: GraphStore) -> tuple[list[dict[str, str]], list[tuple[str, str, dict[str, str]]]]:
    """Nodes and edges of a GraphML file, by a parser that knows nothing of the app."""
    root = ET.fromstring("".join(lines(store, "graphml")))
    keys = {key.attrib["id"]: key.attrib["attr.name"] for key in root.iter(f"{NS}key")}

    def data(element: ET.Element) -> dict[str, str]:
        return {keys[item.attrib["key"]]: item.text or "" for item in element.iter(f"{NS}data")}

    nodes = {node.attrib["id"]: data(node) for node in root.iter(f"{NS}node")}
    edges = [
        (nodes[edge.attrib["source"]]["id"], nodes[edge.attrib["target"]]["id"], data(edge))
        for edge in root.iter(f"{NS}edge")
    ]
    return list(nodes.values()), edges


@pytest.mark.parametrize("name", [pytest.param(METAQA, marks=pytest.mark.thorough), MOVIES, HYPERNODES])
def test_graphml_holds_every_node_and_edge(place: Place, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    demo_graph(place.graphs, name)
    monkeypatch.setattr(exporting, "_PAGE", 500 if name == METAQA else 50)
    store = place.graphs.open(name)
    nodes, edges = drawn(store)
    graph = place.graphs.catalogue.graph(name)
    assert (len(nodes), len(edges)) == (graph.nodes, graph.edges)
    assert {node["id"]: node["label"] for node in nodes} == {
        node.id: node.name for node, _, _ in store.nodes()
    }


def test_graphml_escapes_what_names_and_quotes_hold(place: Place) -> None:
    store = place.fresh("escaped")
    store.write([triple(name, name, "x", TripleSource(quote=name)) for name in HOSTILE])
    _, edges = drawn(store)
    stored = {(one.relation, one.source.quote) for one in triples(store)}
    assert {(data["label"], data["quote"]) for _, _, data in edges} == stored
    store.change([("CREATE (:Entity {id: 'odd', name: 'a\\u0001b\\uffff</data>', kind: ''})", {})])
    assert "a�b�</data>" in {node["label"] for node in drawn(store)[0]}


def test_the_command(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> None:
    monkeypatch.setenv("RAG_LOUPE_HOME", str(place.home))
    get_settings.cache_clear()
    try:
        file = tmp_path / "graph.tsv"
        file.write_text("what was there before", encoding="utf-8")
        assert main(["graph", "export", "--graph", HYPERNODES, str(file)]) == 0
        assert main(["graph", "export", "--graph", HYPERNODES]) == 0
        said, printed = capfdbinary.readouterr().out.split(b"\n", 1)
        assert said == f"graph.tsv: {len(printed.splitlines())} lines".encode()
        assert printed == file.read_bytes()
        for words, sentence in (
            ([MOVIES], b"has a schema of its own, so it is not made of triples. Export it as GraphML."),
            (["nope", "--format", "graphml"], "no graph named “nope”".encode()),
            (
                [MOVIES, "--format", "graphml", str(tmp_path / "no" / "file")],
                "“file” cannot be written".encode(),
            ),
        ):
            assert main(["graph", "export", "--graph", *words]) == 1
            failed = capfdbinary.readouterr()
            assert (failed.out, failed.err.count(b"\n")) == (b"", 1)
            assert sentence in failed.err
    finally:
        get_settings.cache_clear()
    assert [path.name for path in tmp_path.iterdir()] == ["graph.tsv"]


def test_a_file_that_was_not_finished_is_not_left_there(tmp_path: Path) -> None:
    def failing() -> Any:
        yield "one line\n"
        raise InputError("gone")

    file = tmp_path / "kept.tsv"
    file.write_text("before", encoding="utf-8")
    with pytest.raises(InputError, match="gone"):
        save(failing(), file)
    assert (file.read_text(encoding="utf-8"), len(list(tmp_path.iterdir()))) == ("before", 1)
