"""Entities of graphs that were built from a corpus join its passages: real graph database, Chroma and embeddings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.corpora.demo import DEMO_CORPUS
from core.jobs import run_blocking
from core.knowledge.store.graph_server import GraphServer
from core.knowledge.store.importing import import_file
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.models.chat_models import RecordedModel
from core.retrieval.linked import LINKS
from core.retrieval.links import Links
from core.runs.budget import given_passages
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies.linked_passages import USUAL
from core.trace.artefacts import Ranking, Walk
from tests.bench import leave, open_bench
from tests.graphs import triple
from tests.homes import Homes
from tests.scripted import ScriptedServer

TEXTS = {
    "fog": "# Notes of a pilot\n\nOld Fog wrote letters in his tower.",
    "chart": "# Chart 7\n\nCaptain Vane drew this in 1904.",
    "wool": "# Wool\n\nSheep have it.",
    **{f"letters-{number}": f"# Letters {number}\n\nLetters about wood, {number}." for number in range(12)},
}
QUESTION = "What did the man draw who wrote letters in his tower?"
CORPUS = "Harbour"


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.new(), scripted_server)
    bench.corpora.index([(f"{name}.md", text.encode()) for name, text in TEXTS.items()], CORPUS).result()
    yield bench
    leave(bench)


def links(bench: Workbench, corpus: str = CORPUS) -> Links:
    return LINKS.of(run_blocking(bench.corpora.retriever(corpus, "linked")).searchable)


def build(bench: Workbench, folder: Path, triples: list[Triple], name: str = "Vane") -> None:
    """A graph as if it had been built from the corpus."""
    file = folder / "triples.jsonl"
    file.write_text("\n".join(one.model_dump_json() for one in triples), encoding="utf-8")
    import_file(bench.graphs.graphs, file, name, corpus=CORPUS, by=None)


def chunk(bench: Workbench, title: str) -> str:
    return next(one.chunk for one in links(bench).passages if one.title == title)


def vane(bench: Workbench) -> list[Triple]:
    """A hypernode and a plain triple about one man, from two passages, and one of a passage that is not there."""
    wrote = Statement(subject=Entity(name="Henrik Vane"), relation="wrote", object=Entity(name="letters"))
    fog, chart = chunk(bench, "Notes of a pilot"), chunk(bench, "Chart 7")
    said = TripleSource(chunk=fog, quote="Old Fog wrote letters")
    return [
        Triple(subject=wrote, relation="in", object=Entity(name="his tower"), source=said),
        triple("henrik vane", "drew", "chart 7", TripleSource(chunk=chart, quote="Captain Vane drew this")),
        triple("Henrik Vane", "was", "pilot", TripleSource(chunk="gone-0", quote="A pilot.")),
    ]  # fmt: skip


def test_a_graph_that_is_built_leads_on_and_one_that_is_deleted_does_not(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    assert links(bench).count == 0
    build(bench, tmp_path, vane(bench))
    found = links(bench)
    assert (found.entities.names, found.count) == (["Henrik Vane"], 2)
    retriever = run_blocking(bench.corpora.retriever(CORPUS, "linked"))
    hit = run_blocking(retriever.search(QUESTION, 4))
    titles = [one.passage.title for one in hit.hits]
    assert (hit.note, titles[0]) == ("", "Notes of a pilot")
    assert "Chart 7" in titles[:3]  # far below the twelve letters, by its text alone
    # The strategy says by which entity, and in which words.
    request = RunRequest(QUESTION, "linked-passages", corpus=CORPUS, retriever="hybrid", params={"seeds": 1})
    run = record(bench.launcher.start(request).result(60))
    assert run.state == "finished", run.error
    (walk,) = run.find(Walk)
    (link,) = walk.links
    assert link.sentence in ("Old Fog wrote letters in his tower.", "Captain Vane drew this in 1904.")
    assert (link.name, link.entity) == ("Henrik Vane", True)
    assert json.loads(link.model_dump_json())["entity"] is True
    # Another process on the same home need not reach the graph server for it.
    other = open_bench(bench.settings.rag_loupe_home, scripted)
    with monkeypatch.context() as patched:
        patched.setattr(GraphServer, "driver", lambda self: pytest.fail("the graph server was asked"))
        LINKS._slots.clear()
        assert links(other).entities.names == ["Henrik Vane"]
    leave(other)
    # A change of the graph is seen; so is its end.
    more = [
        triple("wood", "is in", "letters", TripleSource(chunk=chunk(bench, f"Letters {one}"), quote="wood"))
        for one in (1, 2)
    ]
    build(bench, tmp_path, more)
    assert sorted(links(bench).entities.names) == ["Henrik Vane", "letters", "wood"]
    bench.corpora.rename(CORPUS, "Haven")
    assert links(bench, "Haven").count == found.count + 5
    bench.corpora.rename("Haven", CORPUS)
    bench.graphs.delete("Vane")
    assert links(bench).count == 0


def test_a_walk_is_played_as_it_was_recorded_whatever_graphs_there_are_now(
    bench: Workbench, tmp_path: Path, scripted: ScriptedServer
) -> None:
    def ask(name: str, *, keeps: bool) -> tuple[list[str], Walk]:
        kept = bench.recordings.to_keep(name, "scripted", "somebody")
        chat = RecordedModel(kept, "endpoint" if keeps else "fail", keeps=keeps)
        request = RunRequest(QUESTION, "linked-passages", corpus=CORPUS, retriever="hybrid", chat=chat)
        run = record(bench.launcher.start(request).result(60))
        assert run.state == "finished", run.error
        return [passage.chunk for passage in given_passages(run)], run.find(Walk)[0]

    without, walk = ask("Without a graph", keeps=True)
    assert walk.note
    build(bench, tmp_path, vane(bench), "Vane again")
    with_graph, walk = ask("With a graph", keeps=True)
    assert walk.links
    assert with_graph != without
    played, walk = ask("Without a graph", keeps=False)
    assert (played, bool(walk.note)) == (without, True)
    bench.graphs.delete("Vane again")
    played, walk = ask("With a graph", keeps=False)
    assert (played, walk.note) == (with_graph, "")


def test_graphs_of_several_models_are_one(bench: Workbench, tmp_path: Path) -> None:
    one, other, _ = vane(bench)
    build(bench, tmp_path, [one], "First")
    build(bench, tmp_path, [other], "Second")
    assert links(bench).entities.names in (["Henrik Vane"], ["henrik vane"])
    for name in ("First", "Second"):
        bench.graphs.delete(name)


def test_the_demo_is_joined_by_the_graph_that_comes_with_it(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    """Without the graph being imported."""
    bench.corpora.demo(DEMO_CORPUS).result()
    found = links(bench, DEMO_CORPUS)
    assert {"Henrik Vane (painter)", "Oskar Tesk"} <= set(found.entities.names)
    assert not any(graph.name == DEMO_CORPUS for graph in bench.graphs.graphs.catalogue.graphs())
    searched = run_blocking(bench.corpora.retriever(DEMO_CORPUS, "linked")).searchable
    assert searched.graphs is not None
    told = searched.graphs.quotes(searched.corpus, found.passages)
    by_chunk = {passage.chunk: passage.text for passage in found.passages}
    for words in told.values():
        for one, quote in words.items():
            assert "".join(quote.split())[:20] in "".join(by_chunk[one].split())
    request = RunRequest("Who was the painter?", "plain", corpus=DEMO_CORPUS, retriever="linked")
    run = record(bench.launcher.start(request).result(60))
    assert run.find(Ranking)[0].retriever == "linked"
    assert USUAL.seeds <= len(run.find(Ranking)[0].hits)
