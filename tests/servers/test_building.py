"""Building a graph from a corpus: the real graph database, the scripted endpoint, processes that are killed."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.errors import InputError, LoupeError
from core.jobs import run_blocking
from core.knowledge.building import GIVE_UP, WORKERS
from core.knowledge.catalogue import GraphCatalogue
from core.knowledge.exporting import triples
from core.knowledge.graphs import Graphs
from core.knowledge.ledger import Ledger
from core.knowledge.merging import merge, unmerge
from core.models.embeddings import open_embedder
from core.runs.building import BuildJob
from core.runs.workbench import Workbench
from core.services.arcadedb import LOCAL_GRAPHS
from tests.bench import open_bench
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_command_line import ROOT
from tests.servers.test_kills import Home

SHIPS = 24


def text(number: int) -> str:
    return f"The ship Ariel-{number} carried salt to Port Orlau in {1800 + number}."


def reply(number: int, *, quote: str = "") -> str:
    plain = {"subject": f"Ariel-{number}", "relation": "carried salt to", "object": "Port Orlau"}
    said = quote or f"Ariel-{number} carried salt to Port Orlau"
    wrong = {"subject": "Ariel", "relation": "sank", "object": "sea", "quote": "It sank in the sea."}
    when = {"subject": plain, "relation": "in", "object": str(1800 + number), "quote": text(number)}
    return json.dumps({"triples": [plain | {"quote": said}, when, wrong]})


def rule(number: int, **values: Any) -> Rule:
    return Rule(match=rf"The ship Ariel-{number} ", **({"reply": reply(number)} | values))


def sent(server: ScriptedServer) -> list[int]:
    """Which ships the endpoint was asked about, in order."""
    asked = []
    for request in server.requests:
        found = re.search(r"The ship Ariel-(\d+) ", request["body"]["messages"][0]["content"])
        assert found
        asked.append(int(found[1]))
    return asked


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, scripted_server: ScriptedServer) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("home")
    bench = open_bench(home, scripted_server)
    vars(bench.library.engines)["embedder"] = open_embedder(bench.settings)
    files = [(f"ship-{number}.txt", text(number).encode()) for number in range(SHIPS)]
    assert bench.library.index(files, "Ships").report().chunks == SHIPS
    yield bench
    bench.engines.supervisor.release()


@pytest.fixture
def graphs(bench: Workbench, scripted: ScriptedServer) -> Iterator[Graphs]:
    scripted.script(*(rule(number) for number in range(SHIPS)))
    graphs = Graphs(bench.settings, bench.engines.supervisor)
    yield graphs
    for graph in graphs.catalogue.graphs():
        graphs.delete(graph.name)
    graphs.close()


def contents(graphs: Graphs, name: str) -> tuple[list[Any], list[Any]]:
    """Everything in a graph: its nodes, and its edges of every type."""
    store = graphs.open(name)
    nodes = store.query("MATCH (n) RETURN n.id, n.name, n.kind, n.rel, n.chunk, n.quote ORDER BY n.id", 5000)
    edges = store.query(
        "MATCH (a)-[r]->(b) RETURN a.id AS s, type(r) AS t, r.rel AS rel, b.id AS o, r.chunk AS c, r.document, r.quote "
        "ORDER BY s, t, rel, o, c",
        5000,
    )
    assert not nodes.truncated
    assert not edges.truncated
    return nodes.rows, edges.rows


def environment_of(home: Path, server: ScriptedServer) -> dict[str, str]:
    clean = {
        k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "CHAT_", "CHROMA_", "NEO4J_"))
    }
    return clean | {
        "RAG_LOUPE_HOME": str(home),
        "OPENAI_BASE_URL": server.base_url,
        "CHAT_MODEL": "scripted",
        "RETRY_BASE_SECONDS": "0.01",
    }


def command(bench: Workbench, server: ScriptedServer, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "core", "graph", "build", "--corpus", "Ships", *words], cwd=ROOT, text=True,
        env=environment_of(bench.settings.rag_loupe_home, server), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def let_go(home: Path) -> None:
    """As if the time were over for which a killed build holds its graph."""
    with closing(sqlite3.connect(home / "rag-loupe.sqlite")) as connection, connection:
        connection.execute("UPDATE graph_writers SET until = 0")


def test_a_killed_build_goes_on_and_pays_for_no_chunk_twice(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    calm = BuildJob(bench.library, graphs, "Ships", "Calm").report()
    assert (calm.chunks, calm.before, calm.open, calm.failed) == (SHIPS, 0, 0, ())
    assert (calm.triples, calm.dropped) == (2 * SHIPS, {"the quote is not in the chunk": SHIPS})
    assert sorted(sent(scripted)) == list(range(SHIPS))
    assert not calm.demonstration

    scripted.requests.clear()
    scripted.delay = 0.3
    process = command(bench, scripted, "--graph", "Killed", "--json")
    give_up = time.monotonic() + 60
    while len(scripted.requests) < 10 and time.monotonic() < give_up:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    let_go(bench.settings.rag_loupe_home)
    graph = graphs.catalogue.graph("Killed")
    done = {int(note.title.split("-")[1].split(".")[0]) for note in graphs.ledger.notes(graph.id).values()}
    assert 4 <= len(done) < SHIPS
    assert not graph.ready

    paid = [int(number) for number, r in zip(sent(scripted), scripted.requests, strict=True) if r["finished"]]
    scripted.requests.clear()
    scripted.delay = 0.0
    output, errors = command(bench, scripted, "--graph", "Killed", "--json").communicate(timeout=90)
    report = json.loads(output)
    assert errors == ""
    again = sent(scripted)
    assert not done & set(again)
    assert sorted([*done, *again]) == list(range(SHIPS))
    assert len(set(paid) & set(again)) <= WORKERS, "none, but for those whose last bytes had not been read"
    assert (report["before"], report["chunks"], report["failed"]) == (len(done), SHIPS - len(done), [])
    assert (report["nodes"], report["edges"]) == (calm.nodes, calm.edges)
    assert contents(graphs, "Killed") == contents(graphs, "Calm")
    assert graphs.catalogue.graph("Killed").ready

    scripted.requests.clear()
    assert BuildJob(bench.library, graphs, "Ships", "Killed").report().chunks == 0
    assert scripted.requests == []


def test_a_build_goes_on_when_the_graph_server_was_killed(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    calm = BuildJob(bench.library, graphs, "Ships", "Calm").report()
    scripted.requests.clear()
    scripted.delay = 0.1
    job = BuildJob(bench.library, graphs, "Ships", "Served")
    give_up = time.monotonic() + 30
    while job.progress.chunks < 6 and time.monotonic() < give_up:
        time.sleep(0.01)
    reported = job.progress.triples
    os.kill(bench.engines.supervisor.ensure(LOCAL_GRAPHS).pid, signal.SIGKILL)
    while not job.done:
        time.sleep(0.01)
    error = job.error()
    assert error is None or isinstance(error, LoupeError), "a sentence, or the server came back in time"
    noted = graphs.ledger.notes(graphs.catalogue.graph("Served").id)
    assert sum(1 for _ in triples(graphs.open("Served"))) >= reported
    scripted.requests.clear()
    report = BuildJob(bench.library, graphs, "Ships", "Served").report()
    assert (report.before, report.chunks, report.failed) == (len(noted), SHIPS - len(noted), ())
    assert not {int(note.title.split("-")[1].split(".")[0]) for note in noted.values()} & set(sent(scripted))
    assert (report.nodes, report.edges) == (calm.nodes, calm.edges)
    assert contents(graphs, "Served") == contents(graphs, "Calm")


APP = """
import sys
from core.runs.building import BuildJob
from core.runs.workbench import get_workbench
bench = get_workbench()
bench.library.index([(f"ship-{n}.txt", text.encode()) for n, text in enumerate(sys.argv[1:])], "Ships").report()
print(BuildJob(bench.library, bench.graphs.graphs, "Ships", "Alone").report().model_dump_json())
"""
"""What the app does in its own process when somebody adds documents and builds a graph of them."""


def test_a_killed_app_loses_nothing_and_leaves_no_process(tmp_path: Path, scripted: ScriptedServer) -> None:
    """It is the only user of the vector database and of the graph database, which end with it."""
    scripted.script(*(rule(number) for number in range(SHIPS)))
    scripted.delay = 0.2
    words = [sys.executable, "-c", APP, *map(text, range(SHIPS))]
    home = Home(tmp_path, tmp_path)
    environment = environment_of(tmp_path, scripted)
    process = subprocess.Popen(words, cwd=ROOT, env=environment)
    give_up = time.monotonic() + 90
    while len(scripted.requests) < 10 and time.monotonic() < give_up:
        time.sleep(0.01)
    started = home.processes()
    assert len(started) >= 3, "itself, and both databases"
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(started, timeout=30)
    assert not alive
    paid = {number for number, r in zip(sent(scripted), scripted.requests, strict=True) if r["finished"]}
    let_go(tmp_path)
    with closing(Ledger(home.settings.database)) as ledger:
        noted = ledger.notes(GraphCatalogue(home.settings.database).graph("Alone").id)
    scripted.requests.clear()
    scripted.delay = 0.0
    done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, timeout=90, check=True)
    report = json.loads(done.stdout)
    again = sent(scripted)
    assert (report["before"], report["chunks"], report["failed"]) == (len(noted), SHIPS - len(noted), [])
    assert len(set(again)) == len(again) == SHIPS - len(noted)
    assert not {int(note.title.split("-")[1].split(".")[0]) for note in noted.values()} & set(again)
    assert len(paid & set(again)) <= WORKERS, "none, but for those whose last bytes had not been read"
    # A ship, its hypernode and its year each, and the port; the triple, what is said of it and its two ends.
    assert (report["nodes"], report["edges"]) == (3 * SHIPS + 1, 4 * SHIPS)
    _, alive = psutil.wait_procs(home.processes(), timeout=30)
    assert not alive


def test_a_chunk_with_a_nonsensical_reply_is_listed_and_retried(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    nonsense = Rule(when=lambda body: "Ariel-7 " in str(body), reply="Once upon a time", times=2)
    scripted.rules.insert(0, nonsense)
    job = BuildJob(bench.library, graphs, "Ships", "Retried")
    report = job.report()
    (failed,) = report.failed
    assert failed.title == "ship-7.txt"
    assert "twice gave a reply without the form asked for" in failed.reason
    assert (report.chunks, report.triples, job.progress.failed) == (SHIPS - 1, 2 * (SHIPS - 1), 1)
    assert job.progress.share == 1

    scripted.requests.clear()
    assert len(BuildJob(bench.library, graphs, "Ships", "Retried").report().failed) == 1
    assert scripted.requests == [], "not without being asked to"
    again = BuildJob(bench.library, graphs, "Ships", "Retried", retry_failed=True).report()
    assert (again.chunks, again.before, again.failed) == (1, SHIPS - 1, ())
    assert sent(scripted) == [7]


def test_stop_keeps_what_is_done(bench: Workbench, graphs: Graphs, scripted: ScriptedServer) -> None:
    scripted.delay = 0.3
    job = BuildJob(bench.library, graphs, "Ships", "Stopped")
    give_up = time.monotonic() + 30
    while job.progress.chunks < 6 and time.monotonic() < give_up:
        time.sleep(0.01)
    assert "of 24 chunks" in job.message
    job.stop()
    with pytest.raises(CancelledError):
        job.report()
    assert job.error() is None
    graph = graphs.catalogue.graph("Stopped")
    notes = graphs.ledger.notes(graph.id).values()
    done = len(notes)
    assert 6 <= job.progress.chunks <= done < SHIPS
    assert (graph.ready, graph.nodes > 0) == (False, True)
    written = sum(note.pending is None for note in notes)
    assert sum(1 for _ in triples(graphs.open("Stopped"))) == 2 * written
    scripted.delay = 0.0
    rest = BuildJob(bench.library, graphs, "Ships", "Stopped", limit=5).report()
    assert (rest.before, rest.chunks, rest.open) == (done, 5, SHIPS - done - 5)


def test_interrupting_the_command_keeps_what_is_done(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    scripted.delay = 0.3
    process = command(bench, scripted, "--graph", "Interrupted", "--json")
    give_up = time.monotonic() + 60
    while len(scripted.requests) < 10 and time.monotonic() < give_up:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, output, errors) == (1, "", "python -m core: stopped.\n")
    graph = graphs.catalogue.graph("Interrupted")
    notes = graphs.ledger.notes(graph.id).values()
    assert 4 <= len(notes) < SHIPS
    assert graph.nodes > 0
    scripted.delay = 0.0
    report = BuildJob(bench.library, graphs, "Ships", "Interrupted").report()  # at once: nobody holds it
    assert (report.before, report.chunks) == (len(notes), SHIPS - len(notes))


def test_merged_entities_stay_merged_when_building_goes_on(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    BuildJob(bench.library, graphs, "Ships", "Whole").report()
    BuildJob(bench.library, graphs, "Ships", "Merged", limit=12).report()
    graph, store = graphs.catalogue.graph("Merged"), graphs.open("Merged")
    ship = next(row["id"] for row in store.entities() if row["id"].startswith("ariel"))
    done = run_blocking(merge(graphs, graph, ship, "Port Orlau"))
    BuildJob(bench.library, graphs, "Ships", "Merged").report()
    assert set(store.present(["port orlau", ship])) == {ship}
    (noted,) = graphs.aliases.merges(graph.id)
    assert len(noted.moved) == 2 * SHIPS, "its edges, and those of the hypernodes"
    run_blocking(unmerge(graphs, graph, done.id))
    assert contents(graphs, "Merged") == contents(graphs, "Whole")


def test_a_build_goes_on_after_its_corpus_got_another_name(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    BuildJob(bench.library, graphs, "Ships", "Renamed", limit=2).report()
    bench.library.rename("Ships", "Vessels")
    try:
        report = BuildJob(bench.library, graphs, "Vessels", "Renamed", limit=2).report()
    finally:
        bench.library.rename("Vessels", "Ships")
    assert (report.corpus, report.before, report.chunks) == ("Vessels", 2, 2)
    assert graphs.catalogue.graph("Renamed").corpus == "Ships"


def test_an_endpoint_that_is_gone_ends_the_build(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(status=401, reply="Incorrect API key"))
    job = BuildJob(bench.library, graphs, "Ships", "Refused")
    while not job.done:
        time.sleep(0.01)
    assert "goes on from here" in str(job.error())
    assert len(scripted.requests) <= GIVE_UP + 3
    process = command(bench, scripted, "--graph", "Refused")
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert "python -m core:" in errors


def test_an_edited_prompt_is_what_the_model_gets(
    bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    prompts = {"extract.model": "Only ships, please.\n{text}"}
    BuildJob(bench.library, graphs, "Ships", "Edited", limit=1, prompts=prompts).report()
    asked = scripted.requests[0]["body"]["messages"][0]["content"]
    assert asked.startswith("Only ships, please.\nThe ship Ariel-")
    with pytest.raises(InputError, match="lacks {text}"):
        BuildJob(bench.library, graphs, "Ships", "Edited", prompts={"extract.model": "Nothing."})
    with pytest.raises(InputError, match="no corpus named"):
        BuildJob(bench.library, graphs, "Nowhere", "Edited").report()


@pytest.mark.parametrize(("methods", "used"), [({}, "taught"), ({"extract": "sentences"}, "sentences")])
def test_the_built_in_model_gives_a_demonstration(tmp_path: Path, methods: dict[str, str], used: str) -> None:
    bench = open_bench(tmp_path, model_timeout_seconds=60.0)
    graphs = Graphs(bench.settings, bench.engines.supervisor)
    story = "Ada Lovelace was born in London. Charles Babbage designed the Analytical Engine in 1837."
    try:
        bench.library.index([("ada.txt", story.encode())], "Ada").report()
        report = BuildJob(bench.library, graphs, "Ada", "Ada", methods=methods).report()
        assert report.demonstration
        assert (report.chunks, report.failed) == (1, ())
        assert report.triples == report.edges >= 1
        (note,) = graphs.ledger.notes(graphs.catalogue.graph("Ada").id).values()
        assert (note.method, note.model) == (used, "smollm2-135m")
        for one in triples(graphs.open("Ada")):
            assert one.source.quote in story
            assert one.subject.name in one.source.quote
            assert one.object.name in one.source.quote
    finally:
        graphs.close()
        bench.engines.supervisor.release()
