"""Building a graph from a corpus: the real graph database, the scripted endpoint, processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from core.errors import InputError, LoupeError
from core.jobs import run_blocking
from core.knowledge.build.graph_building import GIVE_UP, WORKERS, BuildReport
from core.knowledge.build.merging import merge, unmerge
from core.knowledge.store.build_ledger import ChunkNote
from core.knowledge.store.exporting import triples
from core.knowledge.store.graph_catalogue import UnknownGraph
from core.knowledge.store.graphs import Graphs
from core.models.embeddings import open_embedder
from core.models.endpoint import name_for_endpoint
from core.runs.request import COMMAND_LINE
from core.runs.sources.builds import BuildJob
from core.runs.workbench import Workbench
from core.services.arcadedb import LOCAL_GRAPHS
from tests.bench import leave, open_bench
from tests.commands import ROOT, core_here, core_interrupted, environment_of, scripted_endpoint, until
from tests.fleet import sent
from tests.graphs import contents
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tests.servers.holding import after
from tests.servers.test_kills import Home

SHIPS = 24


def text(number: int) -> str:
    return f"The ship Ariel-{number} carried salt to Port Orlau in {1800 + number}."


def reply(number: int) -> str:
    """Two triples that the text states, and one that it does not."""
    plain = {"subject": f"Ariel-{number}", "relation": "carried salt to", "object": "Port Orlau"}
    quote = f"Ariel-{number} carried salt to Port Orlau"
    wrong = {"subject": "Ariel", "relation": "sank", "object": "sea", "quote": "It sank in the sea."}
    when = {"subject": plain, "relation": "in", "object": str(1800 + number), "quote": text(number)}
    return json.dumps({"triples": [plain | {"quote": quote}, when, wrong]})


RULES = tuple(Rule(match=rf"The ship Ariel-{number} ", reply=reply(number)) for number in range(SHIPS))


@pytest.fixture(scope="module")
def bench(homes: Homes, scripted_server: ScriptedServer) -> Iterator[Workbench]:
    """A workbench with the corpus of ships."""
    bench = open_bench(homes.new(), scripted_server)
    vars(bench.corpora.backends)["embedder"] = open_embedder(bench.settings)
    files = [(f"ship-{number}.txt", text(number).encode()) for number in range(SHIPS)]
    assert bench.corpora.index(files, "Ships").result().chunks == SHIPS
    yield bench
    bench.backends.supervisor.release()


@pytest.fixture
def graphs(bench: Workbench, scripted: ScriptedServer) -> Iterator[Graphs]:
    scripted.script(*RULES)
    graphs = Graphs(bench.settings, bench.backends.supervisor)
    yield graphs
    for graph in graphs.catalogue.graphs():
        graphs.delete(graph.name)
    graphs.close()


@pytest.fixture(scope="module")
def calm(bench: Workbench, scripted_server: ScriptedServer) -> tuple[BuildReport, Any]:
    """What comes of a build that nothing disturbs: its report, and everything in the graph."""
    scripted_server.reset()
    scripted_server.script(*RULES)
    graphs = Graphs(bench.settings, bench.backends.supervisor)
    report = BuildJob(bench.corpora, graphs, "Ships", "Calm").result()
    assert (report.chunks, report.before, report.open, report.failed) == (SHIPS, 0, 0, ())
    assert (report.triples, report.dropped) == (2 * SHIPS, {"the quote is not in the chunk": SHIPS})
    assert sorted(sent(scripted_server)) == list(range(SHIPS))
    assert not report.demonstration
    found = contents(graphs, "Calm")
    graphs.delete("Calm")
    graphs.close()
    return report, found


def found(graphs: Graphs, name: str) -> list[ChunkNote]:
    """What is noted of a graph; nothing where there is none yet."""
    try:
        return list(graphs.ledger.notes(graphs.catalogue.graph(name).id).values())
    except UnknownGraph:
        return []


def ships(notes: Iterable[ChunkNote]) -> set[int]:
    """Which ships were noted."""
    return {int(note.title.split("-")[1].split(".")[0]) for note in notes}


def let_go(home: Path) -> None:
    """As if the time were over for which a killed build holds its graph."""
    with closing(sqlite3.connect(home / "rag-loupe.sqlite")) as connection, connection:
        connection.execute("UPDATE graph_writers SET until = 0")


BUILD = """
import sys, threading
from core.cli.main import main
from core.knowledge.store.graph_store import GraphStore
write, written = GraphStore.write, []
def stuck(self, triples):
    if len(written) == 6:
        threading.Event().wait()
    written.append(write(self, triples))
GraphStore.write = stuck
main(sys.argv[1:])
"""
"""The command, which does not get beyond its sixth chunk: what comes then is noted only."""


def test_a_killed_build_goes_on_and_pays_for_no_chunk_twice(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer, calm: tuple[BuildReport, Any]
) -> None:
    """The kill finds one chunk with the model and the others noted, but not written."""
    home, undisturbed = bench.settings.rag_loupe_home, calm[0]
    scripted.rules.insert(0, Rule(when=lambda _: len(scripted.requests) == 5, fault="hang"))
    words = ["graph", "build", "--corpus", "Ships", "--graph", "Killed", "--json"]
    with subprocess.Popen(
        [sys.executable, "-c", BUILD, *words],
        cwd=ROOT,
        env=environment_of(home) | scripted_endpoint(scripted),
    ) as process:
        noted = 6 + WORKERS - 1
        until(lambda: len(scripted.requests) == noted + 1 and len(found(graphs, "Killed")) == noted)
        process.kill()
    let_go(home)
    notes = found(graphs, "Killed")
    assert sum(note.pending is not None for note in notes) == WORKERS - 1
    assert not graphs.catalogue.graph("Killed").ready
    assert set(sent(scripted, answered=True)) == ships(notes)

    scripted.requests.clear()
    scripted.script(*RULES)
    done = core_here(home, *words, **scripted_endpoint(scripted))
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert sorted([*ships(notes), *sent(scripted)]) == list(range(SHIPS))
    assert (report["before"], report["chunks"], report["failed"]) == (noted, SHIPS - noted, [])
    assert (report["nodes"], report["edges"]) == (undisturbed.nodes, undisturbed.edges)
    assert contents(graphs, "Killed") == calm[1]
    assert graphs.catalogue.graph("Killed").ready

    scripted.requests.clear()
    assert BuildJob(bench.corpora, graphs, "Ships", "Killed").result().chunks == 0
    assert scripted.requests == []


APP = """
import sys
from core.runs.sources.builds import BuildJob
from core.runs.workbench import get_workbench
bench = get_workbench()
bench.corpora.index([(f"ship-{n}.txt", text.encode()) for n, text in enumerate(sys.argv[1:])], "Ships").result()
print(BuildJob(bench.corpora, bench.graphs.graphs, "Ships", "Alone").result().model_dump_json())
"""
"""What the app does in its own process when somebody adds documents and builds a graph of them."""


class Killed(NamedTuple):
    """An app that was killed while it built a graph."""

    home: Path
    left: list[psutil.Process]
    """Of it and its servers, afterwards."""
    paid: set[int]
    """The ships that the endpoint told of."""


@pytest.fixture(scope="module")
def killed(scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """It is the only user of the vector database and of the graph database, which end with it."""
    scripted_server.reset()
    scripted_server.script(after(10, fault="hang"), *RULES)
    folder = tmp_path_factory.mktemp("killed")
    words = [sys.executable, "-c", APP, *map(text, range(SHIPS))]
    with subprocess.Popen(
        words, cwd=ROOT, env=environment_of(folder) | scripted_endpoint(scripted_server)
    ) as process:
        until(lambda: len(scripted_server.requests) == 10 + WORKERS)
        started = Home(folder, folder).processes()
        assert len(started) >= 3, "itself, and both databases"
        process.kill()
    _, alive = psutil.wait_procs(started, timeout=60)
    let_go(folder)
    return Killed(folder, alive, set(sent(scripted_server, answered=True)))


@pytest.fixture(scope="module")
def later(killed: Killed, scripted_server: ScriptedServer) -> Iterator[Workbench]:
    """The app in its home later on, with servers of its own."""
    bench = open_bench(killed.home, scripted_server)
    yield bench
    leave(bench)


def test_a_killed_app_loses_nothing_and_leaves_no_process(
    killed: Killed, later: Workbench, scripted: ScriptedServer
) -> None:
    assert not killed.left
    scripted.script(*RULES)
    graphs = later.graphs.graphs
    assert ships(found(graphs, "Alone")) == killed.paid
    assert len(killed.paid) == 10
    report = BuildJob(later.corpora, graphs, "Ships", "Alone").result()
    assert (report.before, report.chunks, report.failed) == (10, SHIPS - 10, ())
    assert sorted([*killed.paid, *sent(scripted)]) == list(range(SHIPS))
    # A ship, its hypernode and its year each, and the port; the triple, what is said of it and its two ends.
    assert (report.nodes, report.edges) == (3 * SHIPS + 1, 4 * SHIPS)


def test_a_build_goes_on_when_the_graph_server_was_killed(
    later: Workbench, scripted: ScriptedServer, calm: tuple[BuildReport, Any]
) -> None:
    graphs = later.graphs.graphs
    server = later.backends.supervisor.ensure(LOCAL_GRAPHS).pid
    reported = [0]

    def kill() -> None:
        reported[0] = job.progress.triples
        os.kill(server, signal.SIGKILL)

    scripted.script(after(10, kill, match="never"), *RULES)
    job = BuildJob(later.corpora, graphs, "Ships", "Served")
    until(lambda: job.done)
    error = job.error()
    assert error is None or isinstance(error, LoupeError), "a sentence, or the server came back in time"
    assert reported[0] >= 2 * (10 - WORKERS)
    notes = found(graphs, "Served")
    assert sum(1 for _ in triples(graphs.open("Served"))) >= reported[0]
    scripted.requests.clear()
    report = BuildJob(later.corpora, graphs, "Ships", "Served").result()
    assert (report.before, report.chunks, report.failed) == (len(notes), SHIPS - len(notes), ())
    assert not ships(notes) & set(sent(scripted))
    assert (report.nodes, report.edges) == (calm[0].nodes, calm[0].edges)
    assert contents(graphs, "Served") == calm[1]


def test_a_chunk_with_a_nonsensical_reply_is_listed_and_retried(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    nonsense = Rule(when=lambda body: "Ariel-7 " in str(body), reply="Once upon a time", times=2)
    scripted.rules.insert(0, nonsense)
    job = BuildJob(bench.corpora, graphs, "Ships", "Retried")
    report = job.result()
    (failed,) = report.failed
    assert failed.title == "ship-7.txt"
    assert "twice gave a reply without the form asked for" in failed.reason
    assert (report.chunks, report.triples, job.progress.failed) == (SHIPS - 1, 2 * (SHIPS - 1), 1)
    assert job.progress.share == 1

    scripted.requests.clear()
    assert len(BuildJob(bench.corpora, graphs, "Ships", "Retried").result().failed) == 1
    assert scripted.requests == [], "not without being asked to"
    again = BuildJob(bench.corpora, graphs, "Ships", "Retried", retry_failed=True).result()
    assert (again.chunks, again.before, again.failed) == (1, SHIPS - 1, ())
    assert sent(scripted) == [7]
    assert {one["body"]["user"] for one in scripted.requests} == {name_for_endpoint(COMMAND_LINE)}


def test_stop_keeps_what_is_done(bench: Workbench, graphs: Graphs, scripted: ScriptedServer) -> None:
    scripted.script(after(12, delay=600), *RULES)
    job = BuildJob(bench.corpora, graphs, "Ships", "Stopped")
    until(lambda: job.progress.chunks >= 6)
    assert "of 24 chunks" in job.message
    job.stop()
    with pytest.raises(CancelledError):
        job.result()
    assert job.error() is None
    graph = graphs.catalogue.graph("Stopped")
    notes = found(graphs, "Stopped")
    done = len(notes)
    assert 6 <= job.progress.chunks <= done < SHIPS
    assert (graph.ready, graph.nodes > 0) == (False, True)
    written = sum(note.pending is None for note in notes)
    assert sum(1 for _ in triples(graphs.open("Stopped"))) == 2 * written
    scripted.script(*RULES)
    rest = BuildJob(bench.corpora, graphs, "Ships", "Stopped", limit=5).result()
    assert (rest.before, rest.chunks, rest.open) == (done, 5, SHIPS - done - 5)


def test_interrupting_the_command_keeps_what_is_done(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    scripted.script(after(12, delay=600), *RULES)
    words = ("graph", "build", "--corpus", "Ships", "--graph", "Interrupted", "--json")
    home, endpoint = bench.settings.rag_loupe_home, scripted_endpoint(scripted)
    done = core_interrupted(home, lambda: len(scripted.requests) >= 10, *words, **endpoint)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "python -m core: stopped.\n")
    notes = found(graphs, "Interrupted")
    assert 6 <= len(notes) <= 12
    assert graphs.catalogue.graph("Interrupted").nodes > 0
    scripted.script(*RULES)
    report = BuildJob(bench.corpora, graphs, "Ships", "Interrupted").result()  # at once: nobody holds it
    assert (report.before, report.chunks) == (len(notes), SHIPS - len(notes))


def test_merged_entities_stay_merged_when_building_goes_on(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    BuildJob(bench.corpora, graphs, "Ships", "Whole").result()
    BuildJob(bench.corpora, graphs, "Ships", "Merged", limit=12).result()
    graph, store = graphs.catalogue.graph("Merged"), graphs.open("Merged")
    ship = next(row["id"] for row in store.entities() if row["id"].startswith("ariel"))
    done = run_blocking(merge(graphs, graph, ship, "Port Orlau"))
    BuildJob(bench.corpora, graphs, "Ships", "Merged").result()
    assert set(store.present(["port orlau", ship])) == {ship}
    (noted,) = graphs.aliases.merges(graph.id)
    assert len(noted.moved) == 2 * SHIPS, "its edges, and those of the hypernodes"
    run_blocking(unmerge(graphs, graph, done.id))
    assert contents(graphs, "Merged") == contents(graphs, "Whole")


def test_a_build_goes_on_after_its_corpus_got_another_name(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    BuildJob(bench.corpora, graphs, "Ships", "Renamed", limit=2).result()
    bench.corpora.rename("Ships", "Vessels")
    try:
        report = BuildJob(bench.corpora, graphs, "Vessels", "Renamed", limit=2).result()
    finally:
        bench.corpora.rename("Vessels", "Ships")
    assert (report.corpus, report.before, report.chunks) == ("Vessels", 2, 2)
    assert graphs.catalogue.graph("Renamed").corpus == "Ships"


def test_an_endpoint_that_is_gone_ends_the_build(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(status=401, reply="Incorrect API key"))
    job = BuildJob(bench.corpora, graphs, "Ships", "Refused")
    until(lambda: job.done)
    assert "goes on from here" in str(job.error())
    assert len(scripted.requests) <= GIVE_UP + 3
    words = ("graph", "build", "--corpus", "Ships", "--graph", "Refused")
    done = core_here(bench.settings.rag_loupe_home, *words, **scripted_endpoint(scripted))
    assert (done.returncode, done.stdout) == (1, "")
    assert "python -m core:" in done.stderr


def test_an_edited_prompt_is_what_the_model_gets(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    prompts = {"extract.model": "Only ships, please.\n{text}"}
    BuildJob(bench.corpora, graphs, "Ships", "Edited", limit=1, prompts=prompts).result()
    asked = scripted.requests[0]["body"]["messages"][0]["content"]
    assert asked.startswith("Only ships, please.\nThe ship Ariel-")
    with pytest.raises(InputError, match="lacks {text}"):
        BuildJob(bench.corpora, graphs, "Ships", "Edited", prompts={"extract.model": "Nothing."})
    with pytest.raises(InputError, match="no corpus named"):
        BuildJob(bench.corpora, graphs, "Nowhere", "Edited").result()


def test_the_built_in_model_gives_a_demonstration(homes: Homes) -> None:
    bench = open_bench(homes.new(), model_timeout_seconds=60.0)
    graphs = Graphs(bench.settings, bench.backends.supervisor)
    story = "Ada Lovelace was born in London. Charles Babbage designed the Analytical Engine in 1837."
    try:
        bench.corpora.index([("ada.txt", story.encode())], "Ada").result()
        report = BuildJob(bench.corpora, graphs, "Ada", "Ada").result()
        assert report.demonstration
        assert (report.chunks, report.failed) == (1, ())
        assert report.triples == report.edges >= 1
        (note,) = graphs.ledger.notes(graphs.catalogue.graph("Ada").id).values()
        assert (note.method, note.model) == ("taught", "smollm2-135m")
        for one in triples(graphs.open("Ada")):
            assert one.source.quote in story
            assert one.subject.name in one.source.quote
            assert one.object.name in one.source.quote
    finally:
        graphs.close()
        bench.backends.supervisor.release()
