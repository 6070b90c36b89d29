"""`python -m core evaluate` as a user types it: results, Ctrl-C, kill -9, two at once."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.datasets import read_folder
from core.evaluation.set_store import SetStore
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.commands import core_here
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_command_line import ROOT, core


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A home in which the vector database runs, and the folder of a data set that is indexed there."""
    home = tmp_path_factory.mktemp("home")
    folder = small_data_set(tmp_path_factory.mktemp("data") / "small", questions=4)
    supervisor = Supervisor(home)
    supervisor.ensure(LOCAL_CHROMA)
    yield home, folder
    supervisor.release()


def environment(server: ScriptedServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "CHAT_MODEL": "scripted", "MODEL_ATTEMPTS": "1"}


def begin(home: Path, server: ScriptedServer, *words: str) -> subprocess.Popen[str]:

    return subprocess.Popen(
        [sys.executable, "-m", "core", "evaluate", *words],
        cwd=ROOT,
        env=os.environ | environment(server) | {"RAG_LOUPE_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(true: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def pairs(home: Path) -> int:
    """How many pairs are noted."""
    with closing(sqlite3.connect(home / "rag-loupe.sqlite")) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM evaluation_pairs").fetchone()[0])
        except sqlite3.OperationalError:  # nobody has made the tables yet
            return 0


def latest(home: Path) -> str:
    """Id of the newest evaluation."""
    with closing(sqlite3.connect(home / "rag-loupe.sqlite")) as connection:
        return str(connection.execute("SELECT id FROM evaluations ORDER BY created DESC").fetchone()[0])


def paid(server: ScriptedServer) -> Counter[str]:
    return Counter(json.dumps(request["body"]["messages"]) for request in server.requests)


def test_results_for_people_and_for_programs(place: tuple[Path, Path], tmp_path: Path) -> None:
    home, folder = place
    words = ("--strategy", "plain", "--retriever", "dense", "keyword", "--retrieval-only", "--limit", "3")
    done = core_here(home, "evaluate", "--dataset", str(folder), *words, "--param", "k=3", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["dataset"], told["questions"], told["seed"], told["baseline"]) == (
        "small",
        3,
        0,
        "plain (dense)",
    )
    dense, keyword = told["strategies"]["plain (dense)"], told["strategies"]["plain (keyword)"]
    assert (dense["calls"], dense["params"]["k"]) == (0, 3)
    assert {"nDCG@10", "R@10"} <= set(dense["metrics"]) == set(dense["intervals"])
    assert "no significant difference" in keyword["differences"]["nDCG@10"]["verdict"]
    files = [tmp_path / name for name in ("report.html", "every.csv", "summary.csv")]
    outputs = [word for path in files for word in ("--output", str(path))]
    shown = core_here(
        home, "evaluate", "--continue", told["evaluation"], "--baseline", "plain (keyword)", *outputs
    )
    assert shown.returncode == 0, shown.stderr
    report, every, summary = (path.read_text(encoding="utf-8") for path in files)
    assert "Content-Security-Policy" in report
    assert "Differences to plain (keyword)" in report
    assert len(list(csv.DictReader(every.splitlines()))) == 6
    row = next(one for one in csv.DictReader(summary.splitlines()) if one["baseline"])
    assert (row["setting"], row["baseline"]) == ("plain (dense)", "plain (keyword)")
    assert "Against plain (keyword), with 95 % intervals" in shown.stdout
    assert "no significant difference" in shown.stdout


def test_a_stored_set_goes_by_its_name(place: tuple[Path, Path]) -> None:
    home, folder = place
    store = SetStore(f"sqlite:///{home / 'rag-loupe.sqlite'}")
    key = store.add(replace(read_folder(folder), name="Kept, not a folder"), "somebody")
    for name in ("Kept, not a folder", key):
        done = core_here(
            home, "evaluate", "--dataset", name, "--strategy", "plain", "--retrieval-only", "--json"
        )
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert (told["dataset"], told["questions"]) == ("Kept, not a folder", 4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--strategy", "plain"), "needs --dataset"),
        (("--dataset", "/nowhere", "--strategy", "plain"), "is not a folder"),
        (("--continue", "x"), "no evaluation 'x'"),
        (("--dataset", "data/2wiki_demo60", "--strategy", "plian"), "plian"),
        (("--dataset", "data/2wiki_demo60", "--strategy", "plain", "--param", "n=1"), "parameter 'n'"),
        (("--dataset", "data/2wiki_demo60", "--strategy", "plain", "--baseline", "x"), "baseline “x”"),
        (("--dataset", "data/2wiki_demo60", "--strategy", "plain", "--limit", "0"), "at least one question"),
        (("--continue", "x", "--output", "results.pdf"), "has to end in .html"),
        (("--continue", "x", "--output", "/nowhere/results.csv"), "no folder"),
    ],
)
def test_wrong_words(place: tuple[Path, Path], words: tuple[str, ...], message: str) -> None:
    done = core_here(place[0], "evaluate", *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_killed_it_goes_on_where_it_was(place: tuple[Path, Path], scripted: ScriptedServer) -> None:
    """With nothing lost and nothing paid twice; and nobody else can work on it meanwhile."""
    home, folder = place
    before = pairs(home)
    words = ("--dataset", str(folder), "--strategy", "rag-fusion", "--at-once", "1", "--json")
    hanging = [0]

    def third_answer(body: dict[str, object]) -> bool:
        answers = "numbered passages" in json.dumps(body["messages"])
        hanging[0] += answers
        return answers and hanging[0] == 3

    scripted.script(Rule(when=third_answer, delay=60.0))
    process = begin(home, scripted, *words)
    until(lambda: hanging[0] == 3 and pairs(home) == before + 2)
    key = latest(home)
    process.kill()
    process.communicate()
    assert len(scripted.requests) == 6
    # As if the time were over for which a killed process counts as alive.
    with closing(sqlite3.connect(home / "rag-loupe.sqlite")) as connection:
        connection.execute("UPDATE evaluations SET writer_until = 0")
        connection.execute("UPDATE runs SET alive_until = 0")
        connection.commit()
    scripted.script()
    done = core(home, "evaluate", *words, **environment(scripted))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["evaluation"] == key
    assert told["strategies"]["rag-fusion"]["done"] == 4
    assert pairs(home) == before + 4
    # Two calls a question; the one that was under way when it was killed, and only that, was sent again.
    twice = [prompt for prompt, times in paid(scripted).items() if times > 1]
    assert len(twice) == 1
    assert "numbered passages" in twice[0]
    assert len(scripted.requests) == 9


def test_two_commands_at_once(place: tuple[Path, Path], scripted: ScriptedServer) -> None:
    """The second waits, finds everything done, and pays nothing, whichever of them it is."""
    home, folder = place
    scripted.script(Rule(match="", delay=0.3))
    words = ("--dataset", str(folder), "--strategy", "closed-book", "--at-once", "1", "--json")
    before = pairs(home)
    first = begin(home, scripted, *words)
    until(lambda: pairs(home) > before)
    second = begin(home, scripted, "--continue", latest(home), "--json")
    ended = [process.communicate(timeout=60) for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), ended
    told = [json.loads(output) for output, _ in ended]
    assert told[0]["evaluation"] == told[1]["evaluation"]
    assert told[0]["strategies"] == told[1]["strategies"]
    assert len(scripted.requests) == 4


def test_ctrl_c_pauses(place: tuple[Path, Path], scripted: ScriptedServer) -> None:
    home, folder = place
    scripted.script(Rule(match="", delay=0.3))
    words = ("--dataset", str(folder), "--strategy", "plain", "--at-once", "1")
    before = pairs(home)
    process = begin(home, scripted, *words)
    until(lambda: pairs(home) > before)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert "python -m core evaluate --continue " in errors
    done = core(home, "evaluate", *words, "--json", **environment(scripted))
    assert json.loads(done.stdout)["evaluation"] in errors
    assert max(paid(scripted).values()) == 1
    assert len(scripted.requests) == 4
