"""Graphs have owners, and the names of those that come with the app are taken; no graph server is asked for that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import InputError
from core.jobs import run_blocking
from core.knowledge.build.graph_building import graph_for
from core.knowledge.build.merging import merge, unmerge
from core.knowledge.store.demo_graphs import demo_names
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import check_target, import_file
from core.runs.sources.builds import BuildJob
from core.runs.sources.duplicate_jobs import MergeJob
from core.runs.workbench import Workbench
from core.users import TEACHER, NotAllowed, User
from tests.app.pages import NOWHERE
from tests.bench import open_bench

ME, OTHER = User("a" * 32), User("b" * 32)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path, None, **{name.lower(): value for name, value in NOWHERE.items()})


@pytest.fixture
def graphs(bench: Workbench) -> Graphs:
    """With a graph of mine, and one that is nobody's."""
    catalogue = bench.graphs.graphs.catalogue
    catalogue.create("Mine", "triples.tsv", "Notes", owner=ME.owner)
    catalogue.create("From before", "triples.tsv", "Notes")
    return bench.graphs.graphs


@pytest.fixture
def triples(tmp_path: Path) -> Path:
    file = tmp_path / "triples.tsv"
    file.write_text("Ada\tknew\tBabbage\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("name", demo_names())
@pytest.mark.parametrize(
    "written", [str, str.upper, lambda name: f"  {name}\t", lambda name: name.replace(" ", "\u00a0 ")]
)
def test_the_names_of_what_comes_with_the_app_are_taken(
    bench: Workbench, graphs: Graphs, triples: Path, name: str, written: Callable[[str], str]
) -> None:
    taken = written(name)
    for by in (ME, TEACHER):
        with pytest.raises(InputError, match="a graph that comes with the app"):
            import_file(graphs, triples, taken, by=by)
        with pytest.raises(InputError, match="a graph that comes with the app"):
            graph_for(graphs, taken, "Notes", by)
        with pytest.raises(InputError, match="a graph that comes with the app"):
            BuildJob(bench.corpora, graphs, "Notes", taken, by=by)
        with pytest.raises(InputError, match="a graph that comes with the app"):
            bench.builds.start("Notes", taken, by)
    assert len(graphs.catalogue.graphs()) == 2


def test_a_graph_that_had_such_a_name_before_is_its_owner_s(graphs: Graphs) -> None:
    name = demo_names()[0].upper()
    graphs.catalogue.create(name, "triples.tsv", owner=ME.owner)
    there = check_target(graphs, name, ME)
    assert there is not None
    assert there.name == name


@pytest.mark.parametrize("name", ["Mine", " Mine ", "From before"])
def test_only_the_owner_and_the_teacher_change_a_graph(
    bench: Workbench, graphs: Graphs, triples: Path, name: str
) -> None:
    graph = graphs.catalogue.graph(name)
    changes: list[Callable[[], object]] = [
        lambda: import_file(graphs, triples, name, by=OTHER),
        lambda: graph_for(graphs, name, "Notes", OTHER),
        lambda: bench.builds.start("Notes", name, OTHER),
        lambda: run_blocking(merge(graphs, graph, "a", "b", by=OTHER)),
        lambda: run_blocking(unmerge(graphs, graph, "m1", OTHER)),
        lambda: MergeJob(graphs, graph.name, [], OTHER).result(),
        lambda: bench.graphs.delete(name, OTHER),
    ]
    for change in changes:
        with pytest.raises(NotAllowed, match="is not yours"):
            change()
    assert [one.name for one in graphs.catalogue.graphs()] == ["From before", "Mine"]
    assert check_target(graphs, name, TEACHER) == graph
    MergeJob(graphs, graph.name, [], TEACHER).result()
    if name != "From before":
        assert check_target(graphs, name, ME) == graph


def test_what_is_new_is_of_whoever_makes_it(graphs: Graphs) -> None:
    assert check_target(graphs, "New", OTHER) is None
    assert {graph.name: graph.owner for graph in graphs.catalogue.graphs()} == {
        "Mine": ME.owner,
        "From before": "",
    }
