"""`python -m core` as a user types it: real processes, the scripted endpoint or the built-in model.

What reads the runs of each strategy is asked for in this process, which saves the seconds that starting takes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.trace.events import load
from tests.bench import small_corpus
from tests.commands import core_here
from tests.scripted import Rule, ScriptedServer

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with the corpus “Notes”; its vector database runs throughout, or each command would start it."""
    home = tmp_path_factory.mktemp("home")
    supervisor = Supervisor(home)
    supervisor.ensure(LOCAL_CHROMA)
    path = small_corpus(home)
    done = core(home, "index", str(path), "--corpus", "Notes", "--json")
    report = json.loads(done.stdout)
    assert (report["corpus"], report["documents"], report["unchanged"], report["skipped"]) == (
        "Notes",
        40,
        0,
        [],
    )
    assert report["chunks"] >= 40
    yield home
    supervisor.release()


def core(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "core", *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
        env=environment_of(home) | environment,
    )  # fmt: skip


def environment_of(home: Path) -> dict[str, str]:
    clean = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("OPENAI_", "CHAT_", "CHROMA_", "DATABASE_", "NEO4J_"))
    }
    return clean | {"RAG_LOUPE_HOME": str(home)}


def ask(home: Path, server: ScriptedServer, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"OPENAI_BASE_URL": server.base_url, "CHAT_MODEL": "scripted", "RETRY_BASE_SECONDS": "0.01"}
    return core(home, "ask", *words, "--corpus", "Notes", **environment)


def parsed(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_strategies(home: Path) -> None:
    listed = parsed(core(home, "strategies", "--json"))["strategies"]
    assert [item["key"] for item in listed][:4] == ["closed-book", "plain", "multi-query", "rag-fusion"]
    assert listed[3]["params"]["rrf_k"]["default"] == 60
    shown = core(home, "strategies")
    assert "rag-fusion" in shown.stdout
    assert "rrf_k" in shown.stdout


def test_corpora_and_indexing_again(home: Path) -> None:
    assert parsed(core(home, "corpora", "--json"))["corpora"][0]["name"] == "Notes"
    again = parsed(core(home, "index", str(home / "corpus.jsonl"), "--corpus", "Notes", "--json"))
    assert (again["documents"], again["unchanged"]) == (0, 40)


@pytest.mark.parametrize(
    ("strategy", "calls"), [("closed-book", 1), ("plain", 1), ("multi-query", 2), ("rag-fusion", 2)]
)
def test_ask_as_json_and_runs(
    home: Path, scripted: ScriptedServer, tmp_path: Path, strategy: str, calls: int
) -> None:
    events = tmp_path / "events.jsonl"
    done = parsed(
        ask(
            home,
            scripted,
            "Who directed A Dangerous Age?",
            "--strategy",
            strategy,
            "--json",
            "--events",
            str(events),
        )
    )
    assert (done["strategy"], done["outcome"], done["parent"]) == (strategy, "finished", None)
    assert (done["calls"], done["rounds"]) == (calls, calls)
    assert done["tokens"]["output"] > 0
    assert done["answer"]
    if strategy != "closed-book":
        assert done["context"][0]["rank"] == 1
        assert {"chunk", "document", "title", "text", "score"} <= set(done["context"][0])
        assert {"sentence", "chunk", "quote"} == set(done["citations"][0])
    lines = events.read_text(encoding="utf-8").splitlines()
    assert [load(line).seq for line in lines] == list(range(len(lines)))
    assert parsed(core_here(home, "runs", "show", done["run"], "--json")) == done
    assert done["run"] in [run["id"] for run in parsed(core_here(home, "runs", "list", "--json"))["runs"]]
    copy = tmp_path / "copy.jsonl"
    assert core_here(home, "runs", "export", done["run"], "--output", str(copy)).returncode == 0
    assert copy.read_bytes() == events.read_bytes()


def test_a_stored_run_is_listed_as_text_and_becomes_a_notebook(
    home: Path, scripted: ScriptedServer, tmp_path: Path
) -> None:
    done = parsed(ask(home, scripted, "Who directed A Dangerous Age?", "--strategy", "rag-fusion", "--json"))
    assert done["run"] in core(home, "runs", "list").stdout
    book = tmp_path / "run.ipynb"
    assert core(home, "runs", "export", done["run"], "--output", str(book)).returncode == 0
    assert json.loads(book.read_text(encoding="utf-8"))["nbformat"] == 4


def test_a_run_is_forked_with_an_edited_artefact(
    home: Path, scripted: ScriptedServer, tmp_path: Path
) -> None:
    run = parsed(ask(home, scripted, "Who directed A Dangerous Age?", "--strategy", "multi-query", "--json"))
    artefact = next(item for item in run["artefacts"] if item["kind"] == "queries")
    artefact["queries"] = [artefact["queries"][0], {"text": "silent film of 1915", "origin": "user"}]
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(artefact), encoding="utf-8")
    words = ["ask", "--from", run["run"], "--step", artefact["step"], "--set", str(edited)]
    environment = {"OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted"}
    forked = parsed(core(home, *words, "--json", **environment))
    report = tmp_path / "fork.html"
    assert core(home, "runs", "export", forked["run"], "--output", str(report)).returncode == 0
    page = report.read_text(encoding="utf-8")
    assert "Run on from another run, with other queries" in page
    assert "What became of it" in page  # the run that it left is stored
    assert forked["parent"] == run["run"]
    assert forked["calls"] == 1
    rankings = [item["query"] for item in forked["artefacts"] if item["kind"] == "ranking"]
    assert rankings == ["Who directed A Dangerous Age?", "silent film of 1915"]
    edited.write_text("{}", encoding="utf-8")
    refused = core(home, *words, **environment)
    assert refused.returncode == 1
    assert "does not hold an artefact" in refused.stderr


def test_parameters_and_text_output(home: Path, scripted: ScriptedServer) -> None:
    done = ask(
        home, scripted, "Who directed A Dangerous Age?", "--strategy", "rag-fusion", "--param", "n=2", "--param",
        "first_rank=0", "--retriever", "hybrid",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "A Dangerous Age" in done.stdout
    assert "2 model calls in 2 rounds" in done.stdout


def test_the_built_in_model_answers_without_any_endpoint(home: Path) -> None:
    done = parsed(
        core(
            home,
            "ask",
            "Who directed A Dangerous Age?",
            "--strategy",
            "rag-fusion",
            "--corpus",
            "Notes",
            "--json",
        )
    )
    assert "Sidney J. Furie" in done["answer"]
    assert done["methods"] == {"search_queries": "taught", "answer": "extractive"}
    assert done["citations"][0]["quote"] == done["answer"]
    queries = next(item for item in done["artefacts"] if item["kind"] == "queries")
    assert len(queries["queries"]) + len(queries["dropped"]) > 1


WRONG: list[tuple[list[str], str]] = [
    (["ask", "Why?", "--strategy", "nope"], "There is no strategy 'nope'"),
    (["ask", "Why?", "--strategy", "plain", "--corpus", "nope"], "There is no corpus named “nope”"),
    (
        ["ask", "Why?", "--strategy", "plain", "--corpus", "Notes", "--param", "nope=1"],
        "has no parameter 'nope'",
    ),
    (["ask", "Why?", "--strategy", "plain", "--corpus", "Notes", "--param", "k=999"], "Parameter 'k'"),
    (["ask", "Why?", "--strategy", "plain", "--corpus", "Notes", "--param", "k"], "takes NAME=VALUE"),
    (["ask", "", "--strategy", "plain", "--corpus", "Notes"], "The question is empty"),
    (["ask", "x" * 100_000, "--strategy", "plain", "--corpus", "Notes"], "has 100,000 characters"),
    (["ask", "Why?", "--strategy", "plain", "--retriever", "nope"], "invalid choice: 'nope'"),
    (["ask", "Why?"], "--strategy"),
    (["ask", "--from", "nope"], "--from needs --step ID and --set FILE"),
    (["ask", "Why?", "--from", "nope"], "Leave both out"),
    (["ask", "--from", "x", "--as-it-came", "--param", "k=1"], "Leave out --param, --as-it-came"),
    (["nope"], "invalid choice: 'nope'"),
    ([], "COMMAND"),
    (["runs", "show", "nope"], "There is no run 'nope'"),
    (["runs", "export", "nope", "--output", "x.jsonl"], "There is no run 'nope'"),
    (["runs", "export", "nope", "--output", "x.exe"], "ends in .jsonl or .html or .ipynb"),
    (["index", "/nowhere/at/all", "--corpus", "X"], "There is no file or folder"),
    (["ask", "Why?", "--strategy", "closed-book", "--events", "/nowhere/at/all"], "cannot be written"),
]
"""Arguments, and what is said of them."""

ONE_BY_ONE = """
import contextlib, io, json, sys
from core.cli.main import main
for words in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""


@pytest.fixture(scope="module")
def refusals(home: Path) -> dict[str, list[Any]]:
    """Status and output of each wrong command; one process, since most of a command's time it is being loaded."""
    done = subprocess.run(
        [sys.executable, "-c", ONE_BY_ONE], cwd=ROOT, input=json.dumps([words for words, _ in WRONG]),
        capture_output=True, text=True, timeout=120, check=True, env=environment_of(home),
    )  # fmt: skip
    found = map(json.loads, done.stdout.splitlines())
    return {str(words): result for (words, _), result in zip(WRONG, found, strict=True)}


@pytest.mark.parametrize(
    ("words", "sentence"), WRONG, ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None
)
def test_errors_are_one_or_two_lines_and_status_1(
    refusals: dict[str, list[Any]], words: list[str], sentence: str
) -> None:
    status, out, err = refusals[str(words)]
    assert status == 1
    assert out == ""
    assert sentence in err
    assert len(err.strip().splitlines()) <= 2
    assert "Traceback" not in err


def test_a_wrong_command_ends_with_status_1(home: Path) -> None:
    done = core(home, *WRONG[0][0])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"python -m core: {WRONG[0][1]}")
    assert "Traceback" not in done.stderr


def test_a_failed_run_is_printed_and_status_1(home: Path, scripted: ScriptedServer) -> None:
    scripted.script(Rule(match="numbered passages", fault="unknown_model"))
    done = ask(home, scripted, "Who directed A Dangerous Age?", "--strategy", "plain", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["outcome"] == "failed"
    assert result["context"]
    assert len(done.stderr.strip().splitlines()) == 1


def test_ctrl_c_stops_a_run_and_keeps_it(home: Path, scripted: ScriptedServer, tmp_path: Path) -> None:
    scripted.script(Rule(fault="hang"))
    events = tmp_path / "events.jsonl"
    words = ["ask", "Who?", "--strategy", "plain", "--corpus", "Notes", "--json", "--events", str(events)]
    environment = os.environ | {
        "RAG_LOUPE_HOME": str(home),
        "OPENAI_BASE_URL": scripted.base_url,
        "CHAT_MODEL": "scripted",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "core", *words], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    for _ in range(600):
        if scripted.requests:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert json.loads(out)["outcome"] == "stopped"
    assert "Traceback" not in err
    assert load(events.read_text(encoding="utf-8").splitlines()[-1]).type == "run_stopped"


def test_refused_files_are_listed_with_reasons(home: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "program.exe").write_bytes(b"MZ\x00\x01")
    (tmp_path / "fake.pdf").write_text("no pdf at all", encoding="utf-8")
    done = core(home, "index", str(tmp_path), "--corpus", "Refused", "--json")
    assert done.returncode == 1
    assert len(json.loads(done.stdout)["skipped"]) == 3
    for name in ("empty.txt", "program.exe", "fake.pdf"):
        assert name in done.stderr
    assert "Refused" not in core(home, "corpora").stdout


def test_control_characters_in_a_reply_do_not_reach_the_terminal(
    home: Path, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="red \x1b[31malert\x07 [1]."))
    done = ask(home, scripted, "Who directed A Dangerous Age?", "--strategy", "plain")
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
