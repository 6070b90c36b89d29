"""A model file that answers in the place of the built-in model: the built-in one under another name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models.chat_models import FileModel
from core.models.reach.files import FOLDER, find_file
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.services import local_model
from core.services.chat import shipped_weights
from core.trace.artefacts import Answer
from core.trace.events import ModelStarted, RunFailed
from tests.bench import CORPUS, leave, open_bench
from tests.commands import core_here
from tests.gguf_files import write_gguf
from tests.homes import Homes

NAME = "Tiny Instruct-Q4_1.gguf"
QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def home(homes: Homes) -> Path:
    home = homes.indexed()
    (home / FOLDER).mkdir()
    (home / FOLDER / NAME).symlink_to(shipped_weights())
    write_gguf(home / FOLDER / "vectors.gguf", "bert")
    return home


@pytest.fixture(scope="module")
def bench(home: Path) -> Iterator[Workbench]:
    bench = open_bench(home, model_timeout_seconds=60.0)
    yield bench
    leave(bench)


def ask(bench: Workbench, name: str) -> Record:
    # One passage: the fewer words the tiny model reads, the sooner it answers.
    request = RunRequest(
        QUESTION,
        "plain",
        corpus=CORPUS,
        params={"k": 1},
        methods={"answer": "model"},
        chat=FileModel(name),
    )
    return record(bench.launcher.start(request).result(180))


def test_a_model_file_answers_as_an_endpoint_does(bench: Workbench) -> None:
    found = ask(bench, NAME)
    started = found.started
    assert started is not None
    assert not any(isinstance(event, RunFailed) for event in bench.store.events(started.run))
    assert (started.chat_model, started.builtin) == (find_file(bench.settings, NAME).model, False)
    assert started.methods["answer"] == "model"
    (answer,) = [one for step in found.steps for one in step.artefacts if isinstance(one, Answer)]
    assert answer.text
    assert FileModel(NAME).status(bench.backends.models).state == "ready"


def test_what_cannot_answer_is_a_sentence_of_the_run(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is an embedding model" in str(ask(bench, "vectors.gguf").error)
    assert "is no longer there" in str(ask(bench, "gone.gguf").error)
    path = write_gguf(bench.settings.rag_loupe_home / FOLDER / "large.gguf")
    monkeypatch.setattr(local_model, "memory_left", lambda: 10**8)
    assert "and 100 MB are free" in str(ask(bench, path.name).error)


def test_the_configured_file_answers_on_the_command_line(
    bench: Workbench, home: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "mine.gguf"
    elsewhere.symlink_to(shipped_weights())
    done = core_here(
        home, "ask", QUESTION, "--strategy", "closed-book", "--json", BUILTIN_MODEL_FILE=str(elsewhere)
    )
    assert done.returncode == 0, done.stderr
    (asked,) = [
        event
        for event in bench.store.events(json.loads(done.stdout)["run"])
        if isinstance(event, ModelStarted)
    ]
    assert asked.model.startswith("mine.gguf (")
    gone = core_here(
        home, "ask", QUESTION, "--strategy", "closed-book", BUILTIN_MODEL_FILE=str(tmp_path / "no.gguf")
    )
    assert gone.returncode != 0
    assert "The file no.gguf is no longer there" in gone.stderr
