"""Two command lines with a home each, and between them one PostgreSQL and one Chroma server."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.bench import small_corpus
from tests.postgres import PASSWORD, QUOTED, PostgresServer
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_command_line import core, parsed

QUESTION = "Who directed A Dangerous Age?"
CORPUS = "영화 映画 电影"


@dataclass(frozen=True)
class Machine:
    """One of the machines: a home of its own, and where the shared servers are."""

    home: Path
    environment: dict[str, str]

    def core(self, *words: str) -> subprocess.CompletedProcess[str]:
        return core(self.home, *words, **self.environment)


@pytest.fixture(scope="module")
def machines(
    postgres: PostgresServer, scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Machine, Machine]]:
    supervisor = Supervisor(tmp_path_factory.mktemp("chroma"))
    environment = {
        "DATABASE_URL": postgres.new_database(),
        "CHROMA_URL": supervisor.ensure(LOCAL_CHROMA).url,
        "OPENAI_BASE_URL": scripted_server.base_url,
        "CHAT_MODEL": "scripted",
        "RETRY_BASE_SECONDS": "0.01",
    }
    first, second = (Machine(tmp_path_factory.mktemp(name), environment) for name in ("first", "second"))
    report = parsed(first.core("index", str(small_corpus(first.home)), "--corpus", CORPUS, "--json"))
    assert (report["corpus"], report["documents"]) == (CORPUS, 40)
    yield first, second
    supervisor.release()


def test_what_one_indexed_the_other_asks_and_the_first_shows_the_run(
    machines: tuple[Machine, Machine], scripted: ScriptedServer
) -> None:
    first, second = machines
    (corpus,) = parsed(second.core("corpora", "--json"))["corpora"]
    assert (corpus["name"], corpus["documents"]) == (CORPUS, 40)
    scripted.script(Rule(match="numbered passages", reply="감독은 Sidney J. Furie [1]."))
    options = ("--strategy", "rag-fusion", "--corpus", CORPUS, "--retriever", "hybrid", "--json")
    asked = parsed(second.core("ask", QUESTION, *options))
    assert (asked["outcome"], asked["corpus"]) == ("finished", CORPUS)
    assert "Sidney J. Furie" in asked["answer"]
    assert asked == parsed(first.core("runs", "show", asked["run"], "--json"))
    assert asked["run"] in first.core("runs", "list").stdout
    for machine in machines:
        written = [path for path in machine.home.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
        assert not [path for path in written if "sqlite" in path.name], "all of it is on the servers"
        for path in written:
            content = path.read_bytes()
            assert PASSWORD.encode() not in content
            assert QUOTED.encode() not in content


def test_both_may_index_into_the_same_corpus_at_once(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    folders = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        for number in range(5):
            text = f"# {name} {number}\n\nThe {name} note number {number} is about ships."
            (folder / f"{name}-{number}.md").write_text(text, encoding="utf-8")
        folders.append(str(folder))

    def index(machine: Machine, folder: str) -> int:
        report = parsed(machine.core("index", folder, "--corpus", "노트 ノート 笔记", "--json"))
        return int(report["documents"])

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(index, machines, folders)) == [5, 5]
    listed = {
        corpus["name"]: corpus["documents"]
        for corpus in parsed(machines[0].core("corpora", "--json"))["corpora"]
    }
    assert listed == {CORPUS: 40, "노트 ノート 笔记": 10}
