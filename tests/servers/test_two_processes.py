"""Two command lines with a home each, and between them one PostgreSQL and one Chroma server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.corpora.catalogue import Catalogue
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.bench import small_corpus
from tests.commands import ROOT, core_here, environment_of, parsed, scripted_endpoint, until
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


INDEX_AND_ASK = """
import json, sys
from core.cli.main import main
for words in json.loads(sys.argv[1]):
    assert main(words) == 0, words
    print(flush=True)
"""
"""Two commands in one process, which takes seconds to import the app."""


class Said(NamedTuple):
    """What the commands print: both machines index at once, then the second one asks."""

    indexed: list[Any]
    asked: Any


@pytest.fixture(scope="module")
def said(
    machines: tuple[Machine, Machine],
    scripted_server: ScriptedServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Said:
    """The second machine is another process, the first one this."""
    first, second = machines
    scripted_server.reset()
    scripted_server.script(Rule(skill="answer", reply="감독은 Sidney J. Furie [1]."))
    folders = []
    for name in ("first", "second"):
        folder = tmp_path_factory.mktemp(f"{name}-notes")
        for number in range(5):
            text = f"# {name} {number}\n\nThe {name} note number {number} is about ships."
            (folder / f"{name}-{number}.md").write_text(text, encoding="utf-8")
        folders.append(str(folder))
    words = ["--corpus", NOTES, "--json"]
    asking = [
        "ask",
        QUESTION,
        "--strategy",
        "rag-fusion",
        "--corpus",
        CORPUS,
        "--retriever",
        "hybrid",
        "--json",
    ]
    catalogue = Catalogue(first.environment["DATABASE_URL"])
    with subprocess.Popen(
        [sys.executable, "-c", INDEX_AND_ASK, json.dumps([["index", folders[1], *words], asking])],
        cwd=ROOT, env=environment_of(second.home) | second.environment, text=True, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        until(lambda: NOTES in [corpus.name for corpus in catalogue.corpora()])  # it has begun
        here = parsed(first.core("index", folders[0], *words))
        there, asked = (json.loads(text) for text in process.stdout.read().strip().split("\n\n"))
    catalogue.close()
    assert process.returncode == 0
    return Said([here, there], asked)


def test_what_one_indexed_the_other_asks_and_the_first_shows_the_run(
    machines: tuple[Machine, Machine], said: Said
) -> None:
    first, _ = machines
    asked = said.asked
    assert (asked["outcome"], asked["corpus"]) == ("finished", CORPUS)
    assert "Sidney J. Furie" in asked["answer"]
    assert asked == parsed(first.core("runs", "show", asked["run"], "--json"))
    assert asked["run"] in first.core("runs", "list").stdout
    for machine in machines:
        listed = {
            one["name"]: one["documents"] for one in parsed(machine.core("corpora", "--json"))["corpora"]
        }
        assert listed == {CORPUS: 40, NOTES: 10}
        written = [path for path in machine.home.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
        assert not [path for path in written if "sqlite" in path.name], "all of it is on the servers"
        for path in written:
            content = path.read_bytes()
            assert PASSWORD.encode() not in content
            assert QUOTED.encode() not in content


def test_both_may_index_into_the_same_corpus_at_once(machines: tuple[Machine, Machine], said: Said) -> None:
    assert [report["documents"] for report in said.indexed] == [5, 5]
    listed = {
        one["name"]: one["documents"] for one in parsed(machines[0].core("corpora", "--json"))["corpora"]
    }
    assert listed[NOTES] == 10
