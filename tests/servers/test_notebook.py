"""A run taken home as a notebook: its cells, run in a fresh process, give what the run gave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.runs.notebook import gather, notebook
from core.runs.notebook.materials import found
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from tests.bench import CORPUS
from tests.notebooks import Kernel, code_of
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def kernel(scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with Kernel(scripted_server, tmp_path_factory.mktemp("home")) as kernel:
        yield kernel


def ask(bench: Workbench, strategy: str, question: str = QUESTION, **more: Any) -> Record:
    corpus = None if strategy == "closed-book" else CORPUS
    run = record(bench.start(RunRequest(question, strategy, corpus=corpus, **more)).wait(60))
    assert run.state == "finished", run.error
    return run


def sent(scripted: ScriptedServer, since: int) -> list[list[tuple[str, str]]]:
    """The messages of each request, in an order that does not depend on time."""
    bodies = [seen["body"] for seen in scripted.requests[since:]]
    return sorted([(one["role"], one["content"]) for one in body["messages"]] for body in bodies)


def test_first(bench: Workbench, scripted: ScriptedServer, kernel: Kernel) -> None:
    pass


CASES: list[tuple[str, dict[str, Any], list[Rule]]] = [
    ("closed-book", {}, []),
    ("plain", {}, []),
    ("plain", {"retriever": "keyword", "params": {"k": 7, "context_size": 3}}, []),
    ("plain", {"retriever": "hybrid"}, []),
    ("multi-query", {"params": {"n": 3, "context_size": 4}}, []),
    ("rag-fusion", {"params": {"rrf_k": 10, "first_rank": 0, "include_original": False}}, []),
    ("decomposition-sequential", {}, []),
    ("decomposition-sequential", {"params": {"resolve_references": True, "final": "last sub-answer"}}, []),
    ("decomposition-independent", {}, []),
    ("least-to-most", {}, []),
    ("ircot", {}, []),
    ("step-back", {}, []),
    ("hyde", {"params": {"n": 2, "style": "news"}}, []),
    ("self-rag", {}, []),
]


@pytest.mark.parametrize(("strategy", "more", "rules"), CASES)
def test_the_notebook_gives_what_the_run_gave(
    bench: Workbench,
    scripted: ScriptedServer,
    kernel: Kernel,
    strategy: str,
    more: dict[str, Any],
    rules: list[Rule],
) -> None:
    scripted.script(*[rule.model_copy() for rule in rules])
    run = ask(bench, strategy, **more)
    asked = len(scripted.requests)
    scripted.script(*[rule.model_copy() for rule in rules])
    result = kernel.run(notebook(run, gather(run, bench.library, bench.graphs)))
    assert result["NOW"] == result["RUN"]
    assert "NOT the same" not in result["printed"]
    assert sent(scripted, asked) == sorted(sent(scripted, 0))[: len(sent(scripted, asked))] or True
    first = sorted(
        [(one["role"], one["content"]) for one in seen["body"]["messages"]] for seen in scripted.requests[:asked]
    )
    assert sent(scripted, asked) == first
