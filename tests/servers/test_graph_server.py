"""The local graph server itself: what it keeps to itself, and what becomes of it when a query or a kill ends it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from inspect import signature
from typing import Any

import neo4j
import psutil
import pytest
from pydantic import SecretStr

from core.errors import InputError, LoupeError
from core.knowledge.store import graph_server, graph_store, user_queries
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.exporting import triples as stored_triples
from core.knowledge.store.graph_store import GraphStore
from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import import_file
from core.knowledge.triples import TripleSource
from core.services.arcadedb import USER
from core.settings import Settings
from tests.graphs import Place, triple
from tests.servers.hasty_graphs import HASTY_GRAPHS, HASTY_SECONDS, in_haste, usual_limit

MOVIES = DEMO_GRAPHS[2].name
ENDLESS = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN max(x * y)"


@pytest.fixture(scope="module")
def own_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server that nobody else uses, for what ends it or keeps it busy; see `own`."""
    with closing(Place(tmp_path_factory.mktemp("own"))) as place:
        yield place


@pytest.fixture
def own(own_place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The same, `in_haste` when a test wants that.

    The app waits long for the server to end a query itself, and not long for one that is dead.
    """
    monkeypatch.setattr(graph_server, "LOCAL_GRAPHS", HASTY_GRAPHS)
    monkeypatch.setattr(user_queries, "SECONDS", HASTY_SECONDS)
    monkeypatch.setattr(user_queries, "GRACE_SECONDS", 60.0)
    connect = neo4j.GraphDatabase.driver

    def impatient(uri: str, **options: Any) -> neo4j.Driver:
        return connect(uri, **{**options, "max_transaction_retry_time": 0.5})

    monkeypatch.setattr(neo4j.GraphDatabase, "driver", impatient)
    return own_place


@pytest.fixture
def movies(own: Place) -> GraphStore:
    """The movies there."""
    if MOVIES not in [graph.name for graph in own.graphs.catalogue.graphs()]:
        import_file(own.graphs, DEMO_GRAPHS[2].file, MOVIES, by=None)
    return own.graphs.open(MOVIES)


def queries_end() -> int:
    """Wait until the server has ended all queries that are under way; their number."""
    under_way = [thread for thread in threading.enumerate() if thread.name == "rag-loupe-query"]
    for thread in under_way:
        thread.join(60)
        assert not thread.is_alive()
    return len(under_way)


def test_the_server_listens_on_loopback_only_and_keeps_its_password(own: Place, movies: GraphStore) -> None:
    place, running = own, own.supervisor.ensure(HASTY_GRAPHS)
    process = running.process()
    assert process is not None
    listening = [c for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
    assert len(listening) == 2
    assert {connection.laddr.ip.removeprefix("::ffff:") for connection in listening} == {"127.0.0.1"}
    assert (place.home / "services" / "arcadedb.json").stat().st_mode & 0o777 == 0o600
    assert (place.home / "arcadedb").stat().st_mode & 0o777 == 0o700
    assert running.secret is not None
    secret = running.secret.get_secret_value().encode()
    written = [*(place.home / "logs").rglob("*"), *(place.home / "arcadedb").rglob("*")]
    assert all(secret not in file.read_bytes() for file in written if file.is_file())


def test_rows_that_are_left_over_are_not_waited_for(own: Place, movies: GraphStore) -> None:
    """The server would go on with them until its time is up."""
    with in_haste(own.home):
        found = movies.query("MATCH (a), (b), (c), (d) RETURN a, b, c, d", row_limit=10)
        assert (len(found.rows), found.truncated) == (10, True)
        assert queries_end()
    assert movies.query("MATCH (n) RETURN count(n)").rows == [[171]]


def test_a_query_has_as_long_as_the_server_gives_it(own: Place, movies: GraphStore) -> None:
    assert usual_limit(own.home) == signature(GraphStore.query).parameters["seconds"].default == 5


@pytest.mark.parametrize(
    "query",
    [
        ENDLESS,
        "MATCH (a), (b), (c), (d), (e), (f) RETURN max(size(a.name + b.name + c.name + d.name + e.name + f.name))",
        "MATCH p = (a)-[*1..40]-(b) RETURN max(length(p))",
    ],
)
def test_a_query_without_end_is_ended_by_the_server(own: Place, movies: GraphStore, query: str) -> None:
    running = own.supervisor.ensure(HASTY_GRAPHS)
    with in_haste(own.home), pytest.raises(InputError, match="took longer than 0.5 s"):
        movies.query(query, seconds=HASTY_SECONDS)
    assert movies.query("MATCH (n) RETURN count(n)").rows == [[171]]
    assert own.supervisor.ensure(HASTY_GRAPHS) == running


def test_a_server_that_does_not_end_a_query_is_ended(
    own: Place, movies: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own limit does not interrupt this one."""
    running = own.supervisor.ensure(HASTY_GRAPHS)
    with in_haste(own.home):
        monkeypatch.setattr(user_queries, "GRACE_SECONDS", 0.5)
        with pytest.raises(InputError, match="took longer than 0.5 s"):
            movies.query(
                "RETURN reduce(s = 0, x IN range(1, 1000000) | s + reduce(t = 0, y IN range(1, 1000000) | t + y))",
                seconds=HASTY_SECONDS,
            )
        monkeypatch.setattr(user_queries, "GRACE_SECONDS", 60.0)
        assert own.supervisor.ensure(HASTY_GRAPHS).pid != running.pid
    assert movies.query("MATCH (n) RETURN count(n)").rows == [[171]]


def test_a_shorter_limit_does_not_end_the_server_that_others_use(own: Place, movies: GraphStore) -> None:
    running = own.supervisor.ensure(HASTY_GRAPHS)
    with in_haste(own.home):
        with pytest.raises(InputError, match="took longer than 0.1 s"):
            movies.query(ENDLESS, seconds=0.1)
        queries_end()
    assert movies.query("MATCH (n) RETURN count(n)").rows == [[171]]
    assert own.supervisor.ensure(HASTY_GRAPHS) == running


@pytest.mark.parametrize(
    "query",
    [
        "RETURN size(range(1, 200000000))",
        "UNWIND range(1, 1000) AS x WITH collect(range(1, 1000000)) AS l RETURN size(l)",
        pytest.param(
            "UNWIND range(1, 100000) AS x WITH collect([y IN range(1, 2000) | toString(x * y)]) AS l RETURN size(l)",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_query_that_takes_all_memory_does_not_end_the_server(
    own: Place, movies: GraphStore, query: str
) -> None:
    running = own.supervisor.ensure(HASTY_GRAPHS)
    with pytest.raises(LoupeError):
        movies.query(query)
    assert movies.query("MATCH (n) RETURN count(n)").rows == [[171]]
    assert own.supervisor.ensure(HASTY_GRAPHS) == running


def test_killed_while_writing(own: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was reported done is there after the kill, and repeating the rest makes no duplicates."""
    place = own
    monkeypatch.setattr(graph_store, "BATCH", 40)
    store = place.fresh("killed")
    triples = [
        triple(f"n{n % 140}", f"r{n % 7}", f"m{n % 181}", TripleSource(chunk=f"c{n}")) for n in range(600)
    ]
    done: list[int] = []
    pid = place.supervisor.ensure(HASTY_GRAPHS).pid

    def kill() -> None:
        while len(done) < 3:
            time.sleep(0.005)
        os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    with suppress(LoupeError):  # between two batches, the server is started again and nothing fails
        store.write(triples, done.append)
    thread.join()
    kept = {(t.subject.id, t.relation, t.object.id, t.source.chunk) for t in stored_triples(store)}
    keys = [(t.subject.id, t.relation, t.object.id, t.source.chunk) for t in triples]
    assert set(keys[: done[-1]]) <= kept <= set(keys)
    store.write(triples)
    again = [(t.subject.id, t.relation, t.object.id, t.source.chunk) for t in stored_triples(store)]
    assert sorted(again) == sorted(keys)
    assert store.statistics().nodes == 140 + 181
    place.supervisor.reset(HASTY_GRAPHS)
    place.graphs.delete("killed")


def test_a_server_with_one_database_holds_one_graph_and_an_arcadedb_several(own: Place) -> None:
    """The local server plays one that is configured; over Bolt alone it cannot make databases."""
    for graph in own.graphs.catalogue.graphs():
        own.graphs.delete(graph.name)
    running = own.supervisor.ensure(HASTY_GRAPHS)
    own.graphs.server.make("g00000000")  # the one database of this server
    settings = Settings(
        _env_file=None,
        rag_loupe_home=own.home,
        neo4j_uri=running.bolt,
        neo4j_username=USER,
        neo4j_password=running.secret or SecretStr(""),
    )
    graphs = Graphs(settings, own.supervisor)
    graph = import_file(graphs, DEMO_GRAPHS[3].file, "only")
    assert (graph.database, graph.edges) == ("", 149)
    with pytest.raises(InputError, match="only one database, and that is not empty"):
        import_file(graphs, DEMO_GRAPHS[3].file, "second")
    assert [g.name for g in graphs.catalogue.graphs()] == ["only"]
    graphs.delete("only")
    assert import_file(graphs, DEMO_GRAPHS[2].file, "second").nodes == 171
    graphs.delete("second")
    graphs.close()
    # As with compose.yaml: it is asked over HTTP, too, and so makes a database for each graph.
    several = Graphs(settings.model_copy(update={"arcadedb_url": f"{running.url}/"}), own.supervisor)
    made = [import_file(several, DEMO_GRAPHS[3].file, name) for name in ("one", "two")]
    assert len({graph.database for graph in made} - {""}) == 2
    for graph in made:
        several.delete(graph.name)
    several.close()
    own.graphs.server.drop("g00000000")
