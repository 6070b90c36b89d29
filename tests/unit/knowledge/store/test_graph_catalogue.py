from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from core.database import open_engine
from core.errors import InputError
from core.knowledge.store.graph_catalogue import GraphCatalogue, UnknownGraph


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'x.sqlite'}"


@pytest.fixture
def catalogue(database: str) -> Iterator[GraphCatalogue]:
    catalogue = GraphCatalogue(database)
    yield catalogue
    catalogue.close()


def test_a_graph_from_its_beginning_to_its_end(catalogue: GraphCatalogue) -> None:
    graph = catalogue.create("  Cafe\u0301 ", "notes.tsv", corpus="Notes")
    assert (graph.name, graph.corpus, graph.ready, graph.native) == ("Café", "Notes", False, False)
    assert graph.database == graph.id
    assert graph.created.tzinfo is not None
    catalogue.finish(graph.id, 3, 2)
    found = catalogue.graph("Café ")
    assert (found.nodes, found.edges, found.ready) == (3, 2, True)
    catalogue.begin(graph.id)
    assert not catalogue.graph("Café").ready
    catalogue.change(graph.id, database="")
    assert catalogue.graph("Café").database == ""
    with pytest.raises(InputError, match="already a graph named “Café”"):
        catalogue.create("Café", "x")
    catalogue.forget(graph.id)
    with pytest.raises(UnknownGraph, match="There are none yet"):
        catalogue.graph("Café")
    with pytest.raises(UnknownGraph, match="Existing: “Movies”"):
        catalogue.graph("Café", ["Movies"])


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\nb", "a\x00b", "\u202ea"])
def test_unfit_names(catalogue: GraphCatalogue, name: str) -> None:
    with pytest.raises(InputError, match="The name of a graph must"):
        catalogue.create(name, "x")
    assert catalogue.graphs() == []


def test_every_change_raises_the_version(catalogue: GraphCatalogue) -> None:
    graph = catalogue.create("G", "x")
    versions = [graph.version]
    for ready in (False, True):
        catalogue.begin(graph.id, ready)
        versions.append(catalogue.graph("G").version)
        catalogue.finish(graph.id, 3, 2)
        versions.append(catalogue.graph("G").version)
    assert versions == sorted(set(versions))


def test_a_catalogue_of_before_there_were_versions_is_opened(database: str) -> None:
    engine = open_engine(database)
    GraphCatalogue(database).create("Old", "x")
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE graphs DROP COLUMN version"))
    engine.dispose()
    catalogue = GraphCatalogue(database)
    graph = catalogue.graph("Old")
    assert graph.version == 0
    catalogue.finish(graph.id, 1, 0)
    assert catalogue.graph("Old").version == 1


def test_graphs_follow_their_corpus_to_its_new_name(catalogue: GraphCatalogue) -> None:
    for name, corpus in (("A", "Notes"), ("B", "Notes"), ("C", "Other"), ("D", "")):
        catalogue.create(name, "x", corpus)
    catalogue.rename_corpus("Notes", "New")
    assert [graph.corpus for graph in catalogue.graphs()] == ["New", "New", "Other", ""]
