"""Makes the kept home anew: `python -m tests.home.make [FOLDER]`.

Only for a change of what is in it: its worth is that an older version of the app made it. A script replies in the
place of a model, but for one run of the built-in model; vectors, graph, checkpoints and exports are the app's own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import psutil

from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.datasets import files_of, read_folder, sample, to_zip
from core.evaluation.making import document_mark
from core.evaluation.plan import Setting
from core.evaluation.runner import Evaluations, New
from core.evaluation.set_store import MadeQuestion
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.importing import import_file
from core.runs.gallery import install
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.transfer import comparison_lines
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.artefacts import Queries, Query
from core.trace.events import Event, Token
from core.users import User
from tests.bench import leave, open_bench, small_corpus
from tests.home import ARCHIVE, CONTENTS, CORPUS, FOLDER, GRAPH, GRAPH_QUESTION, OWNER, QUESTION, Contents
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

PASSAGES = 30
NOT_KEPT = ("services", "logs")
"""Of a home: what says which processes serve it now."""


def verdict(given: str | int) -> str:
    """A grade as a model writes it."""
    return json.dumps({"verdict": given, "reason": "So it is."})


PARTS = ["Who made A Dangerous Age?", "When was the director of A Dangerous Age born?"]
SCRIPT = (
    Rule(skill="answer answer_step_back answer_again", reply="Sidney J. Furie directed it [1]. It is of 1957 [1]."),
    Rule(skill="answer_sub", reply="It was Sidney J. Furie [1]."),
    Rule(skill="synthesise", reply="Sidney J. Furie directed it [1]."),
    Rule(skill="read", reply="The film is named in the first passage [1]. The answer is Sidney J. Furie [1]."),
    Rule(skill="recall", reply="It was Sidney J. Furie."),
    Rule(skill="resolve", reply="When was Sidney J. Furie born?"),
    Rule(skill="reword", reply=json.dumps({"queries": ["Who made the film A Dangerous Age?", "Whose film is it?"]})),
    Rule(skill="search_queries", reply=json.dumps({"queries": ["A Dangerous Age film director", "Furie films"]})),
    Rule(skill="sub_questions reduce", reply=json.dumps({"queries": PARTS})),
    Rule(skill="think", reply="A Dangerous Age is a film of 1957.", times=1),
    Rule(skill="think", reply="So the answer is: Sidney J. Furie."),
    Rule(skill="step_back", reply=json.dumps({"question": "What is known about the film A Dangerous Age?"})),
    Rule(skill="passage", reply="A Dangerous Age is a Canadian film that Sidney J. Furie directed in 1957."),
    Rule(skill="grade_relevance", told={"passage": "Dangerous"}, reply=verdict("yes")),
    Rule(skill="grade_relevance", reply=verdict("no")),
    Rule(skill="grade_support", reply=verdict("fully")),
    Rule(skill="grade_use", reply=verdict(5)),
)  # fmt: skip
"""What the model says."""

COMPUTED = {
    "kg-rag": {
        "plan_exploration": "template", "select": "embedding", "judge_path": "embedding", "answer_path": "end of path",
    },
    "agentic": {
        "split_question": "rule", "update_question": "rule", "choose_tool": "nearest", "text2cypher": "template",
        "critique": "rule", "answer_gathered": "listed", "answer_sub": "extractive",
    },
}  # fmt: skip
"""Strategies that explore a graph do so without a model."""


def main() -> None:
    """Make the home, its exports and the list of what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    target: Path = parser.parse_args().folder
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as somewhere:
        home = Path(somewhere) / "home"
        made = fill(home, Path(somewhere), target)
        for name in NOT_KEPT:
            shutil.rmtree(home / name, ignore_errors=True)
        with tarfile.open(target / ARCHIVE, "w:xz") as archive:
            archive.add(home, "home")
    (target / CONTENTS).write_text(json.dumps(asdict(made), indent=2) + "\n", encoding="utf-8")
    print(f"{(target / ARCHIVE).stat().st_size / 1024:.0f} KB")


def fill(home: Path, scratch: Path, target: Path) -> Contents:
    """Everything that the app keeps, one of each; its services are gone afterwards."""
    home.mkdir()
    server = ScriptedServer()
    bench = open_bench(home, server)
    bench.corpora.index([small_corpus(scratch, PASSAGES)], CORPUS).result()
    import_file(bench.graphs.graphs, DEMO_GRAPHS[-1].file, GRAPH, by=None)
    install(bench.settings.database)
    runs = {}
    for key in strategies():
        server.script(*(rule.model_copy() for rule in SCRIPT))
        runs[key] = ask(bench, key)
    made = Contents(
        runs=runs,
        builtin=builtin(home),
        stopped=stopped(bench, server),
        fork=fork(bench, server, runs["rag-fusion"]),
        comparison=compare(bench, server),
        uploaded=uploaded(bench, scratch),
        made=written(bench),
        evaluation=evaluated(bench, scratch),
        paused=paused(bench, server, scratch),
    )
    export(home, bench, made, target)
    leave(bench)
    server.close()
    while any(str(home) in (process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])):
        time.sleep(0.2)  # the services put down what they have
    return made


def request(strategy: str) -> RunRequest:
    """The question of the corpus, or that of the graph."""
    found = strategies()[strategy]
    return RunRequest(
        GRAPH_QUESTION if found.explores else QUESTION,
        strategy,
        corpus=None if strategy in ("closed-book", "kg-rag") else CORPUS,
        graph=GRAPH if found.explores else None,
        methods=COMPUTED.get(strategy, {}),
        owner=OWNER,
    )


def done(events: Sequence[Event], state: str = "finished") -> Record:
    """A run that ended as it should."""
    run = record(events)
    if run.state != state:
        raise SystemExit(f"{run.started and run.started.strategy}: {run.state}, {run.error}")
    return run


def ask(bench: Workbench, strategy: str) -> str:
    """A run's id, when it is finished."""
    job = bench.launcher.start(request(strategy))
    done(job.result(120))
    return job.run


def builtin(home: Path) -> str:
    """A run of the built-in model."""
    bench = open_bench(home)
    run = ask(bench, "plain")
    bench.backends.supervisor.release()
    return run


def stopped(bench: Workbench, server: ScriptedServer) -> str:
    """A run that was stopped in the middle of its answer, and can be continued."""
    server.script(Rule(skill="answer", reply="Word after word " * 100, pause=0.05), *SCRIPT)
    job = bench.launcher.start(request("multi-query"))
    while not any(isinstance(event, Token) for event in job.events):
        time.sleep(0.05)
    job.stop()
    done(job.result(30), "stopped")
    return job.run


def fork(bench: Workbench, server: ScriptedServer, parent: str) -> str:
    """Run on from other queries."""
    server.script(*SCRIPT)
    run = record(bench.store.events(parent))
    step, queries = next((step, one) for step, one in run.artefacts if isinstance(one, Queries))
    edited = queries.model_copy(
        update={"queries": (queries.queries[0], Query(text="Canadian films of 1957", origin="user"))}
    )
    job = bench.launcher.fork(parent, step.id, edited, OWNER)
    done(job.result(60))
    return job.run


def compare(bench: Workbench, server: ScriptedServer) -> str:
    """Three strategies side by side."""
    server.script(*SCRIPT)
    made = bench.comparing.start([request(key) for key in ("plain", "multi-query", "rag-fusion")])
    for run in made.runs:
        job = bench.launcher.job(run)
        assert job is not None
        done(job.result(60))
    return made.id


def uploaded(bench: Workbench, scratch: Path) -> str:
    """A data set as somebody brings it in."""
    return DataSets(bench).store.add(read_folder(small_data_set(scratch / "uploaded", 3, 5)), OWNER)


def written(bench: Workbench) -> str:
    """A data set of one question, whose evidence is marked in the corpus."""
    sets, corpus = DataSets(bench), bench.corpora.catalogue.corpus(CORPUS)
    key = sets.store.make("Directors", corpus, OWNER)
    entry = bench.corpora.catalogue.documents(corpus.id)[0]
    sets.questions.add(
        key, [MadeQuestion("", QUESTION, "fact", ("Sidney J. Furie",), (document_mark(entry, 2),))]
    )
    return key


PLAIN = Setting(label="Dense", strategy="plain")
KEYWORD = Setting(label="Keyword", strategy="plain", retriever="keyword")
FUSION = Setting(label="RAG-Fusion", strategy="rag-fusion")


def evaluated(bench: Workbench, scratch: Path) -> str:
    """Retrieval alone, two settings."""
    dataset = read_folder(small_data_set(scratch / "evaluated", 5, 15))
    found = (
        Evaluations(bench.launcher)
        .start(New(dataset, (PLAIN, KEYWORD), retrieval_only=True), User(OWNER))
        .result(120)
    )
    assert found.state == "finished"
    return found.id


def paused(bench: Workbench, server: ScriptedServer, scratch: Path) -> str:
    """Two settings with answers, paused when some of the questions are done."""
    server.script(*SCRIPT)
    dataset = sample(read_folder(scratch / "evaluated"), 5, 0)
    job = Evaluations(bench.launcher).start(New(dataset, (PLAIN, FUSION)), User(OWNER), limit=1)
    while job.pairs_done < 4:
        time.sleep(0.01)
    job.pause()
    found = job.result(120)
    assert found.state == "paused"
    return found.id


def export(home: Path, bench: Workbench, made: Contents, target: Path) -> None:
    """What can be taken home of each, as the commands write it."""
    shutil.rmtree(target / "exports", ignore_errors=True)
    (target / "exports").mkdir()

    def out(name: str) -> str:
        return str(target / "exports" / name)

    run = made.runs["rag-fusion"]
    commands = [
        (
            "evaluate",
            "--continue",
            made.evaluation,
            "--output",
            out("report.html"),
            "--output",
            out("every.csv"),
        ),
        *(("runs", "export", run, "--output", out(f"run.{ending}")) for ending in ("jsonl", "html", "ipynb")),
        ("graph", "export", out("graph.tsv"), "--graph", GRAPH),
        ("graph", "export", out("graph.jsonl"), "--graph", GRAPH, "--format", "jsonl"),
        ("graph", "export", out("graph.graphml"), "--graph", GRAPH, "--format", "graphml"),
    ]
    for words in commands:
        subprocess.run(
            [sys.executable, "-m", "core", *words], check=True, env=os.environ | {"RAG_LOUPE_HOME": str(home)}
        )
    data_set = to_zip(files_of(DataSets(bench).open(made.made)))
    Path(out("data-set.zip")).write_bytes(data_set)
    comparison = bench.comparisons.get(made.comparison)
    lines = comparison_lines(comparison, [bench.store.events(one) for one in comparison.runs])
    Path(out("comparison.jsonl")).write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
