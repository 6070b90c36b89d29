from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InputError
from core.knowledge.catalogue import GraphCatalogue, UnknownGraph


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[GraphCatalogue]:
    catalogue = GraphCatalogue(f"sqlite:///{tmp_path / 'x.sqlite'}")
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
    catalogue.set_database(graph.id, "")
    assert catalogue.graph("Café").database == ""
    with pytest.raises(InputError, match="already a graph named “Café”"):
        catalogue.create("Café", "x")
    catalogue.forget(graph.id)
    with pytest.raises(UnknownGraph, match="There are none yet"):
        catalogue.graph("Café")


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\nb", "a\x00b", "\u202ea"])
def test_unfit_names(catalogue: GraphCatalogue, name: str) -> None:
    with pytest.raises(InputError, match="The name of a graph must"):
        catalogue.create(name, "x")
    assert catalogue.graphs() == []
