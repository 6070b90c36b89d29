"""Catalogue, runs and checkpoints on a real PostgreSQL server, as several processes share it."""

from __future__ import annotations

import asyncio
import inspect
import logging
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langgraph.types import StateSnapshot

from core import database as databases
from core.corpora.catalogue import Catalogue, NameTaken
from core.corpora.documents import Document
from core.corpora.entries import Question
from core.errors import StoreError, UnknownRun
from core.evaluation.evaluation_store import EvaluationStore
from core.jobs import run_blocking
from core.knowledge.store.aliases import Aliases
from core.knowledge.store.build_ledger import Ledger
from core.knowledge.store.graph_catalogue import GraphCatalogue
from core.models.recordings.store import RecordingStore
from core.runs.checkpoints.opening import open_checkpoints
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.store import RunStore
from core.runs.workbench import Workbench
from core.settings import Settings
from core.strategies import get_strategy
from core.trace.events import dump
from tests.bench import open_bench, small_corpus
from tests.commands import ROOT, core_here, environment_of
from tests.homes import Homes
from tests.postgres import PASSWORD, QUOTED, PostgresServer
from tests.scripted import Rule, ScriptedServer
from tests.unit.corpora import test_catalogue as on_sqlite
from tests.unit.evaluation import test_evaluation_store as evaluations_on_sqlite
from tests.unit.knowledge.store import test_aliases as aliases_on_sqlite
from tests.unit.knowledge.store import test_build_ledger as ledger_on_sqlite
from tests.unit.knowledge.store import test_graph_catalogue as catalogue_on_sqlite
from tests.unit.models.recordings import test_store as recordings_on_sqlite

QUESTION = "Who directed A Dangerous Age?"
NAMES = ("한국어 문서", "日本語の文書", "中文文档", "café 🦜")


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    return postgres.new_database()


@pytest.fixture(scope="module")
def bench(postgres: PostgresServer, scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    """A workbench with the first Korean name as its corpus."""
    home = homes.new()
    bench = open_bench(home, scripted_server, database_url=postgres.new_database())
    bench.corpora.index([small_corpus(home)], NAMES[0]).result()
    yield bench
    bench.backends.supervisor.release()


def ask(bench: Workbench, strategy: str, question: str = QUESTION) -> Record:
    job = bench.launcher.start(RunRequest(question=question, strategy=strategy, corpus=NAMES[0]))
    return record(job.result(60))


# The catalogue


@pytest.mark.parametrize(
    "check",
    [
        on_sqlite.test_a_corpus_survives_the_process,
        on_sqlite.test_names_are_unique_and_checked,
        on_sqlite.test_an_unknown_corpus_names_the_others,
        on_sqlite.test_only_ready_documents_count,
        on_sqlite.test_one_writer_at_a_time,
        on_sqlite.test_deleting,
    ],
)
def test_the_catalogue_does_what_it_does_on_sqlite(check: Callable[..., None], database: str) -> None:
    given: dict[str, Any] = {"database": database, "catalogue": Catalogue(database)}
    check(**{name: given[name] for name in inspect.signature(check).parameters})


@pytest.mark.parametrize(
    "check",
    [
        catalogue_on_sqlite.test_a_graph_from_its_beginning_to_its_end,
        catalogue_on_sqlite.test_every_change_raises_the_version,
        catalogue_on_sqlite.test_a_catalogue_of_before_there_were_versions_is_opened,
        catalogue_on_sqlite.test_graphs_follow_their_corpus_to_its_new_name,
        ledger_on_sqlite.test_notes_are_kept_replaced_and_forgotten,
        ledger_on_sqlite.test_one_writer_of_a_graph_at_a_time,
        ledger_on_sqlite.test_a_deleted_graph_has_no_version,
        aliases_on_sqlite.test_merges_are_kept_in_their_order_and_removed,
    ],
)
def test_the_tables_of_graphs_do_what_they_do_on_sqlite(check: Callable[..., None], database: str) -> None:
    given: dict[str, Any] = {
        "database": database,
        "catalogue": GraphCatalogue(database),
        "ledger": Ledger(database),
        "aliases": Aliases(database),
    }
    check(**{name: given[name] for name in inspect.signature(check).parameters})
    for table in ("catalogue", "ledger", "aliases"):
        given[table].close()


@pytest.mark.parametrize(
    "check",
    [
        evaluations_on_sqlite.test_a_failure_gives_way_to_a_later_try,
        evaluations_on_sqlite.test_two_at_the_same_moment_begin_one,
        evaluations_on_sqlite.test_names_and_pins,
    ],
)
def test_evaluations_do_what_they_do_on_sqlite(
    check: Callable[[EvaluationStore], None], database: str
) -> None:
    check(EvaluationStore(database))


@pytest.mark.parametrize(
    "check",
    [
        recordings_on_sqlite.test_what_is_kept_is_there_again,
        recordings_on_sqlite.test_whoever_is_first_stays,
        recordings_on_sqlite.test_what_is_full_takes_nothing_more_and_goes_on_playing,
        recordings_on_sqlite.test_what_is_deleted_takes_nothing,
        recordings_on_sqlite.test_names_are_told_apart_for_each_owner,
    ],
)
def test_recordings_do_what_they_do_on_sqlite(check: Callable[[RecordingStore], None], database: str) -> None:
    check(RecordingStore(database))


@pytest.mark.parametrize("name", NAMES)
def test_names_of_every_script_fit(database: str, name: str) -> None:
    catalogue = Catalogue(database)
    longest = (name * 40)[:80].strip()
    corpus = catalogue.create(longest, "model-1", "Model one", 300, 50)
    with pytest.raises(NameTaken):
        catalogue.create(longest, "model-1", "Model one", 300, 50)
    document = Document(id="a" * 16, name=f"{name}.txt" * 20, title=name * 200, text=name, key=name)
    catalogue.begin(corpus.id, [(document, 2)])
    catalogue.set_questions(corpus.id, [Question(text=name, answers=(name,))])
    assert catalogue.hold(corpus.id, "w" * 32, 10)
    catalogue.finish(corpus.id, "w" * 32, [document.id], [])
    found = Catalogue(database).corpus(longest)
    assert (found.name, found.questions[0].text, found.documents) == (longest, name, 1)
    assert abs(found.created - datetime.now(UTC)) < timedelta(minutes=1)
    (entry,) = catalogue.documents(corpus.id)
    assert (entry.name, entry.title, entry.key) == (document.name, document.title, name)


def test_the_old_scheme_and_options_are_understood(database: str) -> None:
    Catalogue(database.replace("postgresql://", "postgres://") + "?sslmode=prefer&connect_timeout=3")


START = """
import asyncio, sys
from pathlib import Path
from core.corpora.catalogue import Catalogue
from core.runs.checkpoints.opening import open_checkpoints
from core.runs.checkpoints import postgres
from core.runs.store import RunStore

async def checkpoints():
    async with open_checkpoints(Path(sys.argv[1]), sys.argv[2]):
        pass

print("ready", flush=True)
sys.stdin.readline()
Catalogue(sys.argv[2])
RunStore(sys.argv[2])
asyncio.run(checkpoints())
"""


def test_processes_that_start_at_once_make_the_tables_once(database: str, tmp_path: Path) -> None:
    """This one and another."""

    async def checkpoints() -> None:
        async with open_checkpoints(tmp_path, database):
            pass

    other = subprocess.Popen(
        [sys.executable, "-c", START, str(tmp_path), database], cwd=ROOT, env=environment_of(tmp_path),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert other.stdout is not None
    assert other.stdin is not None
    assert other.stdout.readline() == "ready\n"
    other.stdin.write("go\n")
    other.stdin.flush()
    Catalogue(database)
    RunStore(database)
    run_blocking(checkpoints(), 60)
    _, errors = other.communicate(timeout=120)
    assert (other.returncode, errors) == (0, "")
    assert not list(tmp_path.iterdir()), "nothing is kept in the home folder"


# Runs


@pytest.mark.parametrize("strategy", ["closed-book", "plain", "multi-query", "rag-fusion"])
def test_a_run_is_stored_with_its_events(
    bench: Workbench, scripted: ScriptedServer, strategy: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    question = f"{QUESTION} {' '.join(NAMES)}"
    scripted.script(Rule(skill="answer", reply="감독은 Sidney J. Furie [1]. \0 NUL"))
    run = ask(bench, strategy, question)
    assert run.started is not None
    assert run.state == "finished", run.error
    stored = RunStore(bench.settings.database)
    events = stored.events(run.started.run)
    assert record(events) == run
    newest = stored.list(limit=1)[0]
    assert (newest.id, newest.question, newest.state) == (run.started.run, question, "finished")
    age = datetime.now(UTC) - newest.created
    assert timedelta(0) <= age < timedelta(minutes=1), "UTC, whatever the server's zone is"
    for text in (caplog.text, repr(bench.settings), *map(dump, events)):
        assert PASSWORD not in text
        assert QUOTED not in text


def test_unknown_runs(bench: Workbench) -> None:
    with pytest.raises(UnknownRun):
        bench.store.events("nope")


# Checkpoints


def test_who_has_another_home_reads_the_state_after_each_step(
    bench: Workbench, scripted: ScriptedServer, tmp_path: Path
) -> None:
    run = ask(bench, "rag-fusion")
    assert run.started is not None
    config: Any = {"configurable": {"thread_id": run.started.run}}
    strategy = get_strategy("rag-fusion")

    async def history() -> list[StateSnapshot]:
        async with open_checkpoints(tmp_path, bench.settings.database) as saver:
            graph = strategy.build(strategy.params()).compile(checkpointer=saver)
            return [state async for state in graph.aget_state_history(config)]

    states = run_blocking(history(), 60)
    assert states[0].values["answer"] == run.answer
    assert states[-1].values.get("answer") is None
    tasks = {task.id for state in states for task in state.tasks}
    assert {step.id for step in run.steps} <= tasks
    assert not list(tmp_path.iterdir())
    assert not (bench.settings.rag_loupe_home / "checkpoints.sqlite").exists()


def test_a_checkpoint_does_not_wait_for_another(database: str, tmp_path: Path) -> None:
    def config(thread: str) -> Any:
        return {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": "1"}}

    async def write() -> None:
        async with open_checkpoints(tmp_path, database) as saver:
            with psycopg.connect(database) as other:
                other.execute("LOCK TABLE checkpoint_blobs")
                slow = asyncio.create_task(saver.aget_tuple(config("slow")))
                while other.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
                    await asyncio.sleep(0.01)
                await saver.aput_writes(config("quick"), [("answer", "yes")], "task")
                assert not slow.done()
            assert await slow is None

    run_blocking(write(), 60)


def test_many_runs_at_once(bench: Workbench, scripted: ScriptedServer) -> None:
    asked = [
        RunRequest(question=f"{QUESTION} ({n})", strategy="rag-fusion", corpus=NAMES[0]) for n in range(12)
    ]
    jobs = [bench.launcher.start(request) for request in asked]
    for request, job in zip(asked, jobs, strict=True):
        run = record(job.result(120))
        assert run.started is not None
        assert (run.state, run.started.question) == ("finished", request.question), run.error

    async def last(run: str) -> Any:
        async with open_checkpoints(bench.settings.rag_loupe_home, bench.settings.database) as saver:
            strategy = get_strategy("rag-fusion")
            graph = strategy.build(strategy.params()).compile(checkpointer=saver)
            return (await graph.aget_state({"configurable": {"thread_id": run}})).values["question"]

    assert run_blocking(last(jobs[-1].run), 30) == asked[-1].question


def test_a_restart_of_the_server_is_survived(
    scripted: ScriptedServer, tmp_path: Path, postgres: PostgresServer
) -> None:
    bench = open_bench(tmp_path, scripted, database_url=postgres.new_database())

    def run() -> Record:
        job = bench.launcher.start(RunRequest(question="Why?", strategy="closed-book"))
        return record(job.result(60))

    assert run().state == "finished"
    postgres.stop()
    try:
        with pytest.raises(StoreError, match="does not accept a connection"):
            bench.corpora.catalogue.corpora()
    finally:
        postgres.start()
    assert run().state == "finished"


# What goes wrong


@pytest.fixture(scope="module")
def silent() -> Iterator[int]:
    """A port that takes connections and says nothing; nobody is let wait there for ever."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        hung_up = threading.Timer(300, listener.close)
        hung_up.start()
        yield listener.getsockname()[1]
        assert not hung_up.finished.is_set(), "whoever asked waited until the port was closed"
        hung_up.cancel()


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("postgresql://user:hunter2@127.0.0.1:9/db", "does not accept a connection"),
        ("postgresql://loupe:x@hunter2@127.0.0.1/postgres", "does not accept a connection"),
        ("postgresql://user:x@127.0.0.1/db?hunter2=1", "does not accept a connection"),
        ("postgresql://user:hunter2", "looks like postgresql://user:password@host/database"),
        ("postgresql://user:x@host:hunter2/db", "looks like postgresql://user:password@host/database"),
    ],
)
def test_a_wrong_address_is_one_sentence_without_what_may_be_the_password(
    address: str, sentence: str
) -> None:
    with pytest.raises(StoreError, match=sentence) as raised:
        Catalogue(address)
    assert "hunter2" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("who", ["a server that says nothing", "a server that refuses the password"])
def test_the_command_line_says_it_within_seconds(
    postgres: PostgresServer, silent: int, tmp_path: Path, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert databases._SERVER["connect_timeout"] == databases.CONNECT_SECONDS <= 10
    monkeypatch.setitem(databases._SERVER, "connect_timeout", 2)  # the shortest that the driver takes
    port = silent if who == "a server that says nothing" else postgres.port
    address = f"postgresql://loupe:hunter2@127.0.0.1:{port}/postgres"
    done = core_here(tmp_path, "corpora", DATABASE_URL=address)
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not accept a connection" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "hunter2" not in done.stderr


def test_the_password_is_not_in_what_is_logged_when_the_server_is_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, postgres: PostgresServer
) -> None:
    caplog.set_level(logging.DEBUG)
    gone = Settings(
        _env_file=None, rag_loupe_home=tmp_path, database_url=f"postgres://u:{QUOTED}@127.0.0.1:9/d"
    )
    try:
        Catalogue(gone.database)
    except StoreError:
        logging.getLogger("test").exception("As the app would log it")

    async def checkpoints() -> None:
        async with open_checkpoints(tmp_path, gone.database):
            pass

    with pytest.raises(StoreError, match="does not accept a connection") as raised:
        run_blocking(checkpoints(), 30)
    assert raised.value.__suppress_context__
    assert PASSWORD not in caplog.text
    assert QUOTED not in caplog.text + repr(gone)
