"""`python -m core` as a user types it: the scripted endpoint or the built-in model.

Ctrl-C ends a process of its own, which writes to a pipe; all else is asked for in this one."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from core.models.speeds import NEWEST, Speeds
from core.models.timing import CallTime
from core.trace.events import load
from tests.bench import small_corpus
from tests.commands import begin, core_here, parsed, scripted_endpoint, until
from tests.homes import DATABASE, Homes
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def home(homes: Homes) -> Path:
    """A home with the corpus “Notes”."""
    home = homes.new()
    report = parsed(core_here(home, "index", str(small_corpus(home)), "--corpus", "Notes", "--json"))
    assert (report["corpus"], report["documents"], report["unchanged"], report["skipped"]) == (
        "Notes",
        40,
        0,
        [],
    )
    assert report["chunks"] >= 40
    return home


def ask(home: Path, server: ScriptedServer, *words: str) -> subprocess.CompletedProcess[str]:
    return core_here(home, "ask", *words, "--corpus", "Notes", **scripted_endpoint(server))


def test_strategies(home: Path) -> None:
    listed = parsed(core_here(home, "strategies", "--json"))["strategies"]
    assert [item["key"] for item in listed][:4] == ["closed-book", "plain", "multi-query", "rag-fusion"]
    assert listed[3]["params"]["rrf_k"]["default"] == 60
    shown = core_here(home, "strategies")
    assert "rag-fusion" in shown.stdout
    assert "rrf_k" in shown.stdout


def test_a_question_says_how_long_it_may_take_where_that_is_long(
    homes: Homes, scripted: ScriptedServer
) -> None:
    home = homes.new()
    asked = "ask", QUESTION, "--strategy", "closed-book"
    quick = core_here(home, *asked, **scripted_endpoint(scripted))
    assert (quick.returncode, quick.stderr) == (0, "")
    speeds = Speeds(f"sqlite:///{home / DATABASE}")
    for _ in range(NEWEST):
        speeds.keep(scripted.endpoint(), CallTime(100, 100, 10, 10))  # a token a second
    slow = core_here(home, *asked, **scripted_endpoint(scripted))
    assert "About 1 model call: about " in slow.stderr
    assert "on this machine, measured by 30 calls" in slow.stderr
    assert parsed(core_here(home, *asked, "--json", **scripted_endpoint(scripted)))["calls"] == 1


def test_corpora_and_indexing_again(home: Path) -> None:
    assert parsed(core_here(home, "corpora", "--json"))["corpora"][0]["name"] == "Notes"
    again = parsed(core_here(home, "index", str(home / "corpus.jsonl"), "--corpus", "Notes", "--json"))
    assert (again["documents"], again["unchanged"]) == (0, 40)


def test_sentences_are_indexed_and_asked_with_their_surroundings(
    home: Path, scripted: ScriptedServer, tmp_path: Path
) -> None:
    text = tmp_path / "keeper.txt"
    text.write_text("He lit the lamp. She wound the clock. Nobody slept.", encoding="utf-8")
    words = ["index", str(text), "--corpus", "Short", "--chunk-tokens", "sentences", "--json"]
    assert parsed(core_here(home, *words))["chunks"] == 3
    (short,) = [
        one for one in parsed(core_here(home, "corpora", "--json"))["corpora"] if one["name"] == "Short"
    ]
    assert (short["chunk_tokens"], short["overlap_tokens"]) == ("sentences", 0)
    asked = ["ask", "Who wound the clock?", "--strategy", "plain", "--corpus", "Short", "--json"]
    wide = ["--param", "give=surroundings", "--param", "k=1"]
    result = parsed(core_here(home, *asked, *wide, **scripted_endpoint(scripted)))
    assert [one["text"] for one in result["context"] if one["given"]] == [text.read_text(encoding="utf-8")]


@pytest.mark.parametrize(
    ("strategy", "calls"), [("closed-book", 1), ("plain", 1), ("multi-query", 2), ("rag-fusion", 2)]
)
def test_ask_as_json_and_runs(
    home: Path, scripted: ScriptedServer, tmp_path: Path, strategy: str, calls: int
) -> None:
    events = tmp_path / "events.jsonl"
    words = ["--strategy", strategy, "--json", "--events", str(events)]
    done = parsed(ask(home, scripted, QUESTION, *words))
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


def test_without_a_retriever_what_finds_most_in_the_language_is_used(
    home: Path, scripted: ScriptedServer
) -> None:
    told = parsed(ask(home, scripted, QUESTION, "--strategy", "plain", "--json"))
    assert (told["retriever"], told["dense_share"]) == ("hybrid", 0.6)
    assert "English documents: hybrid search" in ask(home, scripted, QUESTION, "--strategy", "plain").stdout
    chosen = ask(home, scripted, QUESTION, "--strategy", "plain", "--retriever", "dense", "--json")
    assert parsed(chosen)["retriever"] == "dense"


def test_a_stored_run_is_listed_as_text_and_becomes_a_notebook(
    home: Path, scripted: ScriptedServer, tmp_path: Path
) -> None:
    done = parsed(ask(home, scripted, QUESTION, "--strategy", "rag-fusion", "--json"))
    assert done["run"] in core_here(home, "runs", "list").stdout
    book = tmp_path / "run.ipynb"
    assert core_here(home, "runs", "export", done["run"], "--output", str(book)).returncode == 0
    assert json.loads(book.read_text(encoding="utf-8"))["nbformat"] == 4


def test_a_run_is_forked_with_an_edited_artefact(
    home: Path, scripted: ScriptedServer, tmp_path: Path
) -> None:
    run = parsed(ask(home, scripted, QUESTION, "--strategy", "multi-query", "--json"))
    # A union has no scores, and neither has the evidence that it gives.
    united = next(item for item in run["artefacts"] if item["kind"] == "union")
    assert {row["score"] for row in [*united["rows"], *run["context"]]} == {None}
    artefact = next(item for item in run["artefacts"] if item["kind"] == "queries")
    artefact["queries"] = [artefact["queries"][0], {"text": "silent film of 1915", "origin": "user"}]
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(artefact), encoding="utf-8")
    words = ["ask", "--from", run["run"], "--step", artefact["step"], "--set", str(edited)]
    forked = parsed(core_here(home, *words, "--json", **scripted_endpoint(scripted)))
    report = tmp_path / "fork.html"
    assert core_here(home, "runs", "export", forked["run"], "--output", str(report)).returncode == 0
    page = report.read_text(encoding="utf-8")
    assert "Forked from another run, with other queries" in page
    assert "What became of it" in page  # the run that it left is stored
    assert forked["parent"] == run["run"]
    assert forked["calls"] == 1
    rankings = [item["query"] for item in forked["artefacts"] if item["kind"] == "ranking"]
    assert rankings == [QUESTION, "silent film of 1915"]
    edited.write_text("{}", encoding="utf-8")
    refused = core_here(home, *words, **scripted_endpoint(scripted))
    assert refused.returncode == 1
    assert "does not hold an artefact" in refused.stderr


def test_a_run_is_gone_through_step_by_step(home: Path, scripted: ScriptedServer) -> None:
    words = [QUESTION, "--strategy", "plain", "--stop-before", "each"]
    run = parsed(ask(home, scripted, *words, "--json"))
    assert (run["outcome"], run["next"], run["error"]) == ("paused", ["retrieve"], None)
    on = ["ask", "--go-on", run["run"]]
    shown = core_here(home, *on, **scripted_endpoint(scripted))
    assert shown.returncode == 0
    assert "Stopped before “Answer”. The question is answered from the passages" in shown.stdout
    assert f"ask --go-on {run['run']}" in shown.stdout
    assert "paused" in core_here(home, "runs", "list").stdout
    done = parsed(core_here(home, *on, "--to-end", "--json", **scripted_endpoint(scripted)))
    assert (done["outcome"], done["next"], done["calls"]) == ("finished", [], 1)


def test_parameters_and_text_output(home: Path, scripted: ScriptedServer) -> None:
    words = ["--strategy", "rag-fusion", "--param", "n=2", "--param", "first_rank=0", "--retriever", "hybrid"]
    done = ask(home, scripted, QUESTION, *words)
    assert done.returncode == 0, done.stderr
    assert "A Dangerous Age" in done.stdout
    assert "2 model calls in 2 rounds" in done.stdout


def test_the_built_in_model_answers_without_any_endpoint(home: Path) -> None:
    words = ["--strategy", "rag-fusion", "--corpus", "Notes", "--json"]
    done = parsed(core_here(home, "ask", QUESTION, *words))
    assert "Sidney J. Furie" in done["answer"]
    assert done["methods"] == {"search_queries": "taught", "answer": "extractive"}
    assert done["citations"][0]["quote"] in done["answer"]
    queries = next(item for item in done["artefacts"] if item["kind"] == "queries")
    assert len(queries["queries"]) + len(queries["dropped"]) > 1


def test_a_second_judge_and_its_method_are_chosen(home: Path, scripted: ScriptedServer) -> None:
    words = ["--strategy", "plain", "--param", "rerank=20", "--method", "rerank=tokens", "--json"]
    done = parsed(ask(home, scripted, QUESTION, *words))
    assert (done["methods"], done["calls"]) == ({"rerank": "tokens", "answer": "model"}, 1)
    ranking = next(item for item in done["artefacts"] if item["kind"] == "ranking")
    assert all(hit["before"] for hit in ranking["hits"])


WRONG: list[tuple[list[str], str]] = [
    (["ask", "Why?", "--strategy", "nope"], "There is no strategy 'nope'"),
    (["ask", "Why?", "--strategy", "plain", "--corpus", "nope"], "There is no corpus named “nope”"),
    (
        ["ask", "Why?", "--strategy", "plain", "--corpus", "Notes", "--param", "nope=1"],
        "has no parameter 'nope'",
    ),
    (["ask", "Why?", "--strategy", "plain", "--corpus", "Notes", "--param", "k=999"], "Parameter 'k'"),
    (
        ["ask", "Why?", "--strategy", "plain", "--corpus", "Notes", "--method", "rerank=server"],
        "none is configured. Set RERANK_BASE_URL",
    ),
    (["ask", "Why?", "--strategy", "plain", "--corpus", "Notes", "--param", "k"], "takes NAME=VALUE"),
    (["ask", "", "--strategy", "plain", "--corpus", "Notes"], "The question is empty"),
    (["ask", "x" * 100_000, "--strategy", "plain", "--corpus", "Notes"], "has 100,000 characters"),
    (["ask", "Why?", "--strategy", "plain", "--retriever", "nope"], "invalid choice: 'nope'"),
    (["ask", "Why?"], "--strategy"),
    (["ask", "--from", "nope"], "--from needs --step ID and --set FILE"),
    (["ask", "Why?", "--from", "nope"], "Leave both out"),
    (["ask", "Why?", "--strategy", "plain", "--set", "k=1"], "A parameter is set by --param NAME=VALUE"),
    (["ask", "--from", "x", "--method", "answer=model", "--param", "k=1"], "Leave out --param, --method"),
    (["ask", "Why?", "--strategy", "plain", "--to-end"], "--to-end needs --go-on RUN"),
    (["ask", "Why?", "--strategy", "plain", "--stop-before", "x"], "Choose one of: each, retrieve, answer"),
    (["ask", "--go-on", "x", "--set", "e.json"], "Leave out --set"),
    (["nope"], "invalid choice: 'nope'"),
    ([], "COMMAND"),
    (["runs", "show", "nope"], "There is no run 'nope'"),
    (["runs", "export", "nope", "--output", "x.jsonl"], "There is no run 'nope'"),
    (["runs", "export", "nope", "--output", "x.exe"], "ends in .jsonl or .html or .ipynb"),
    (["index", "/nowhere/at/all", "--corpus", "X"], "There is no file or folder"),
    (["index", ".", "--corpus", "X", "--chunk-tokens", "words"], "invalid chunk_size value: 'words'"),
    (["ask", "Why?", "--strategy", "closed-book", "--events", "/nowhere/at/all"], "cannot be written"),
]
"""Arguments, and what is said of them."""


@pytest.mark.parametrize(
    ("words", "sentence"), WRONG, ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None
)
def test_errors_are_one_or_two_lines_and_status_1(home: Path, words: list[str], sentence: str) -> None:
    done = core_here(home, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    assert "Traceback" not in done.stderr


def test_a_failed_run_is_printed_and_status_1(home: Path, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", fault="unknown_model"))
    done = ask(home, scripted, QUESTION, "--strategy", "plain", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["outcome"] == "failed"
    assert result["context"]
    assert len(done.stderr.strip().splitlines()) == 1


def test_ctrl_c_stops_a_run_and_keeps_it(home: Path, scripted: ScriptedServer, tmp_path: Path) -> None:
    scripted.script(Rule(fault="hang"))
    events = tmp_path / "events.jsonl"
    words = ["ask", "Who?", "--strategy", "closed-book", "--json", "--events", str(events)]
    process = begin(home, *words, **scripted_endpoint(scripted))
    until(lambda: bool(scripted.requests))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert json.loads(out)["outcome"] == "stopped"
    assert "Traceback" not in err
    assert load(events.read_text(encoding="utf-8").splitlines()[-1]).type == "run_stopped"


def test_refused_files_are_listed_with_reasons(home: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "program.exe").write_bytes(b"MZ\x00\x01")
    (tmp_path / "fake.pdf").write_text("no pdf at all", encoding="utf-8")
    done = core_here(home, "index", str(tmp_path), "--corpus", "Refused", "--json")
    assert done.returncode == 1
    assert len(json.loads(done.stdout)["skipped"]) == 3
    for name in ("empty.txt", "program.exe", "fake.pdf"):
        assert name in done.stderr
    assert "Refused" not in core_here(home, "corpora").stdout


def test_control_characters_in_a_reply_do_not_reach_the_terminal(
    home: Path, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="red \x1b[31malert\x07 [1]."))
    done = ask(home, scripted, QUESTION, "--strategy", "plain")
    assert "alert" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
