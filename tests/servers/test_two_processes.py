"""Two command lines with a home each, and between them one PostgreSQL and one Chroma server."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.corpora.catalogue import Catalogue
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.bench import small_corpus
from tests.commands import Commands, core_here, parsed, scripted_endpoint, until
from tests.homes import Homes
from tests.postgres import PASSWORD, QUOTED, PostgresServer
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"
CORPUS = "영화 映画 电影"
NOTES = "노트 ノート 笔记"


@dataclass(frozen=True)
class Machine:
    """One of the machines: a home of its own, and where the shared servers are."""

    home: Path
    environment: dict[str, str]

    def core(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command in this process."""
        return core_here(self.home, *words, **self.environment)


@pytest.fixture(scope="module")
def machines(
    postgres: PostgresServer,
    scripted_server: ScriptedServer,
    homes: Homes,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Machine, Machine]]:
    supervisor = Supervisor(homes.new())
    environment = scripted_endpoint(scripted_server) | {
        "DATABASE_URL": postgres.new_database(),
        "CHROMA_URL": supervisor.ensure(LOCAL_CHROMA).url,
    }
    first, second = (Machine(tmp_path_factory.mktemp(name), environment) for name in ("first", "second"))
    report = parsed(first.core("index", str(small_corpus(first.home)), "--corpus", CORPUS, "--json"))
    assert (report["corpus"], report["documents"]) == (CORPUS, 40)
    yield first, second
    supervisor.release()


@pytest.fixture(scope="module")
def other(machines: tuple[Machine, Machine]) -> Iterator[Commands]:
    """The second machine as another process."""
    with closing(Commands(machines[1].home, **machines[1].environment)) as commands:
        yield commands


def test_what_one_indexed_the_other_asks_and_the_first_shows_the_run(
    machines: tuple[Machine, Machine], other: Commands, scripted: ScriptedServer
) -> None:
    first, second = machines
    (corpus,) = parsed(second.core("corpora", "--json"))["corpora"]
    assert (corpus["name"], corpus["documents"]) == (CORPUS, 40)
    scripted.script(Rule(skill="answer", reply="감독은 Sidney J. Furie [1]."))
    options = ("--strategy", "rag-fusion", "--corpus", CORPUS, "--retriever", "hybrid", "--json")
    other.begin("ask", QUESTION, *options)
    asked = other.result()
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
    machines: tuple[Machine, Machine], other: Commands, tmp_path: Path
) -> None:
    folders = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        for number in range(5):
            text = f"# {name} {number}\n\nThe {name} note number {number} is about ships."
            (folder / f"{name}-{number}.md").write_text(text, encoding="utf-8")
        folders.append(str(folder))

    first, _ = machines
    catalogue = Catalogue(first.environment["DATABASE_URL"])
    words = ("--corpus", NOTES, "--json")
    other.begin("index", folders[1], *words)
    until(lambda: NOTES in [corpus.name for corpus in catalogue.corpora()])  # it has begun
    reports = [parsed(first.core("index", folders[0], *words)), other.result()]
    catalogue.close()
    assert [report["documents"] for report in reports] == [5, 5]
    listed = {
        corpus["name"]: corpus["documents"] for corpus in parsed(first.core("corpora", "--json"))["corpora"]
    }
    assert listed == {CORPUS: 40, NOTES: 10}
