"""`python -m core evaluate` as a user types it: results, Ctrl-C, kill -9, two at once."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.datasets import read_folder
from core.evaluation.runner import EvaluationJob
from core.evaluation.set_store import SetStore
from tests.commands import Commands, core_here, core_interrupted, parsed, scripted_endpoint, until
from tests.homes import Homes
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer
from tests.scripted.prompts import asked
from tests.servers.holding import Held


@pytest.fixture(scope="module")
def place(homes: Homes, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A home, and the folder of a data set that is indexed there."""
    return homes.new(), small_data_set(tmp_path_factory.mktemp("data") / "small", questions=4)


def environment(server: ScriptedServer) -> dict[str, str]:
    return scripted_endpoint(server) | {"MODEL_ATTEMPTS": "1"}


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
    return Counter(json.dumps(request["body"]["messages"], sort_keys=True) for request in server.requests)


def test_reranking_token_by_token_asks_no_model(place: tuple[Path, Path]) -> None:
    home, folder = place
    words = ("--strategy", "plain", "--param", "rerank=20", "--method", "rerank=tokens", "--retrieval-only")
    done = core_here(home, "evaluate", "--dataset", str(folder), *words, "--limit", "3", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["strategies"]["plain"]
    assert (found["calls"], found["params"]["rerank"]) == (0, 20)


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
    assert "Differences to Plain retrieval (keyword)" in report
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


@pytest.fixture(scope="module")
def other(place: tuple[Path, Path], scripted_server: ScriptedServer) -> Iterator[Commands]:
    """Another process; the last test that uses it kills it."""
    with closing(Commands(place[0], **environment(scripted_server))) as commands:
        yield commands


def test_two_commands_at_once(place: tuple[Path, Path], other: Commands, scripted: ScriptedServer) -> None:
    """The second waits, finds everything done, and pays nothing, whichever of them it is."""
    home, folder = place
    scripted.script(Rule(times=1), Rule(times=1, delay=2.0))  # time for the second to come
    words = ("evaluate", "--dataset", str(folder), "--strategy", "closed-book", "--at-once", "1", "--json")
    before = pairs(home)
    other.begin(*words)
    until(lambda: pairs(home) > before)
    key = latest(home)
    second = parsed(core_here(home, "evaluate", "--continue", key, "--json", **environment(scripted)))
    told = other.result()
    assert told["evaluation"] == second["evaluation"] == key
    assert told["strategies"] == second["strategies"]
    assert len(scripted.requests) == 4


def test_killed_it_goes_on_where_it_was(
    place: tuple[Path, Path], other: Commands, scripted: ScriptedServer
) -> None:
    """With nothing lost and nothing paid twice; and nobody else can work on it meanwhile."""
    home, folder = place
    before = pairs(home)
    words = ("evaluate", "--dataset", str(folder), "--strategy", "rag-fusion", "--at-once", "1", "--json")
    scripted.script(Rule(skill="answer", times=2), Rule(skill="answer", fault="hang"))
    other.begin(*words)
    until(lambda: len(scripted.requests) == 6 and pairs(home) == before + 2)
    key = latest(home)
    other.kill()
    # As if the time were over for which a killed process counts as alive.
    with closing(sqlite3.connect(home / "rag-loupe.sqlite")) as connection:
        connection.execute("UPDATE evaluations SET writer_until = 0")
        connection.execute("UPDATE runs SET alive_until = 0")
        connection.commit()
    scripted.script()
    done = core_here(home, *words, **environment(scripted))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["evaluation"] == key
    assert told["strategies"]["rag-fusion"]["done"] == 4
    assert pairs(home) == before + 4
    # Two calls a question; the one that was under way when it was killed, and only that, was sent again.
    (twice,) = [prompt for prompt, times in paid(scripted).items() if times > 1]
    assert [sender.skill for sender in asked(json.loads(twice))] == ["answer"]
    assert len(scripted.requests) == 9
    # For people: what was given leads, beside plain retrieval with as many passages.
    shown = core_here(home, "evaluate", "--continue", key, **environment(scripted)).stdout
    beyond, passages = (shown.split("\n\n")[place].splitlines() for place in (1, 2))
    both = told["strategies"]["rag-fusion"]["plain_with_as_many"]
    assert beyond[0].split() == ["DIFFERENCE", "VERDICT", "Gold", "documents", "beyond", "plain", "STRATEGY"]
    assert beyond[1].split()[-4:] == [f"{both['given']:.3f},", "plain", f"{both['plain']:.3f}", "rag-fusion"]
    assert "Passages given" in passages[0]
    assert f"  {both['passages']:.2f} [" in passages[1]


def test_ctrl_c_pauses(
    place: tuple[Path, Path], scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = place
    held, pause = Held(monkeypatch, "answer", after=1), EvaluationJob.pause

    def paused_first(job: EvaluationJob) -> None:
        pause(job)
        held.release()

    monkeypatch.setattr(EvaluationJob, "pause", paused_first)
    words = ("evaluate", "--dataset", str(folder), "--strategy", "plain", "--at-once", "1")
    before = pairs(home)
    paused = core_interrupted(home, lambda: pairs(home) > before, *words, **environment(scripted))
    assert (paused.returncode, paused.stdout) == (1, "")
    assert "python -m core evaluate --continue " in paused.stderr
    assert len(scripted.requests) == 2, "what was under way is finished, and nothing new is begun"
    done = core_here(home, *words, "--json", **environment(scripted))
    assert json.loads(done.stdout)["evaluation"] in paused.stderr
    assert max(paid(scripted).values()) == 1
    assert len(scripted.requests) == 4
