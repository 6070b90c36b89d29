"""Recordings as a user types them: kept by `--record`, played by `--recording`, handed on as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench import CORPUS
from tests.commands import core_here, parsed, scripted_endpoint
from tests.homes import Homes
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_ask import QUESTION

ASK = ("ask", QUESTION, "--strategy", "rag-fusion", "--corpus", CORPUS, "--retriever", "dense")


@pytest.fixture(scope="module")
def home(homes: Homes) -> Path:
    return homes.indexed()


def test_a_lesson_is_recorded_handed_out_and_played(
    home: Path, homes: Homes, scripted: ScriptedServer, tmp_path: Path
) -> None:
    scripted.script(Rule(skill="answer", reply="Sidney J. Furie directed it [1]."))
    made = parsed(core_here(home, *ASK, "--record", "Lesson 7", "--json", **scripted_endpoint(scripted)))
    asked = len(scripted.requests)
    assert asked == made["calls"] == 2
    again = parsed(core_here(home, *ASK, "--record", "Lesson 7", "--json", **scripted_endpoint(scripted)))
    assert (again["answer"], len(scripted.requests)) == (made["answer"], asked)
    file = tmp_path / "lesson.jsonl"
    done = core_here(home, "recordings", "export", "Lesson 7", "--output", str(file))
    assert (done.returncode, "questions that were asked" in done.stdout) == (0, True)

    student = homes.indexed()
    assert "Lesson 7" not in core_here(student, "recordings", "list").stdout
    done = core_here(student, "recordings", "import", str(file))
    assert (done.returncode, "2 replies of the model “scripted”" in done.stdout) == (0, True)
    every = parsed(core_here(student, "recordings", "list", "--json"))["recordings"]
    (listed,) = [one for one in every if one["name"] == "Lesson 7"]
    assert (listed["name"], listed["model"], listed["replies"]) == ("Lesson 7", "scripted", 2)
    played = parsed(core_here(student, *ASK, "--recording", "Lesson 7", "--json"))
    same = ("answer", "citations", "context", "calls", "rounds", "tokens")
    assert {name: played[name] for name in same} == {name: made[name] for name in same}
    assert len(scripted.requests) == asked

    new = core_here(student, *ASK, "--recording", "Lesson 7", "--param", "n=2")
    assert (new.returncode, new.stderr.count("\n")) == (1, 1)
    assert "with n = " in new.stderr
    helped = parsed(core_here(
        student, *ASK, "--recording", "Lesson 7", "--param", "n=2", "--missing", "endpoint", "--json",
        **scripted_endpoint(scripted),
    ))  # fmt: skip
    assert (helped["calls"], len(scripted.requests)) == (2, asked + 2)
    assert core_here(student, *ASK, "--recording", "Lesson 7", "--param", "n=2").returncode == 0
    _goes_on_with_its_recording(student, made["answer"])


def _goes_on_with_its_recording(home: Path, answer: str) -> None:
    """A run that waits needs not be told again which recording it plays, and says so where that is gone."""
    waits = [*ASK, "--recording", "Lesson 7", "--stop-before", "answer", "--json"]
    first, second = (parsed(core_here(home, *waits)) for _ in range(2))
    done = core_here(home, "ask", "--go-on", first["run"])
    assert (answer in done.stdout, "· scripted, recording “Lesson 7” ·" in done.stdout) == (True, True)
    assert "deleted" in core_here(home, "recordings", "delete", "Lesson 7").stdout
    on = ("ask", "--go-on", second["run"])
    assert "“Lesson 7” that this run plays is gone. Say who goes on" in core_here(home, *on).stderr
    done = core_here(home, *on, "--missing", "builtin")
    assert done.returncode == 0, done.stderr
    assert "“Lesson 7” of scripted; then the built-in model went on by its own methods" in done.stdout
    gone = core_here(home, *ASK, "--recording", "Lesson 7")
    assert (gone.returncode, "There is no recording “Lesson 7”" in gone.stderr) == (1, True)


def test_an_evaluation_is_paid_once_and_then_only_for_what_changed(
    home: Path, scripted: ScriptedServer, tmp_path: Path
) -> None:
    folder = small_data_set(tmp_path / "small", questions=3)
    endpoint = scripted_endpoint(scripted)
    words = (
        "evaluate",
        "--dataset",
        str(folder),
        "--record",
        "Judged",
        "--json",
        "--strategy",
        "multi-query",
    )

    def evaluated(*more: str) -> Any:
        done = core_here(home, *words, *more, **endpoint)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["strategies"]["multi-query"]["metrics"]

    first = evaluated()
    asked = len(scripted.requests)
    assert asked == 6
    assert evaluated() == first
    assert len(scripted.requests) == asked
    evaluated("plain")
    assert len(scripted.requests) == asked + 3
    evaluated("--param", "n=3")
    changed = len(scripted.requests) - asked - 3
    assert 3 <= changed <= 6
    evaluated("--param", "n=3")
    assert len(scripted.requests) == asked + 3 + changed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--record", "A", "--recording", "B"), "choose one of them"),
        (("--missing", "builtin"), "--missing says what to do with --recording"),
        (("--record", "A"), "Only the replies of an endpoint are kept"),
        (("--recording", "Nothing like it"), "There is no recording “Nothing like it”"),
    ],
)
def test_what_cannot_be_is_a_sentence(home: Path, words: tuple[str, ...], sentence: str) -> None:
    done = core_here(home, *ASK, *words)
    assert (done.returncode, sentence in done.stderr) == (1, True)


def test_names_and_files_that_do_not_fit(home: Path, scripted: ScriptedServer, tmp_path: Path) -> None:
    endpoint = scripted_endpoint(scripted)
    long = core_here(home, *ASK, "--record", "x" * 201, **endpoint)
    assert (long.returncode, "at most 200 characters" in long.stderr) == (1, True)
    assert parsed(core_here(home, *ASK, "--record", "  In  two\nlines ", "--json", **endpoint))
    other = core_here(home, *ASK, "--record", "In two lines", **(endpoint | {"CHAT_MODEL": "another"}))
    assert (other.returncode, "holds replies of the model “scripted”" in other.stderr) == (1, True)
    for content in (b"", b"\x89PNG", b"[" * 10_000):
        (tmp_path / "wrong.jsonl").write_bytes(content)
        done = core_here(home, "recordings", "import", str(tmp_path / "wrong.jsonl"))
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert core_here(home, "recordings", "import", str(tmp_path)).returncode == 1
    assert core_here(home, "recordings", "export", "In two lines", "--output", str(tmp_path)).returncode == 1
