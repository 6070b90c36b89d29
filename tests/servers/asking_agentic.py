"""Runs of Agentic RAG over films in a graph and in documents, and the replies that lead them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from tests.bench import CORPUS, leave, open_bench, small_corpus
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

MOVIES = DEMO_GRAPHS[2].name
COMPUTED = {
    "split_question": "rule",
    "update_question": "rule",
    "choose_tool": "nearest",
    "text2cypher": "template",
    "critique": "rule",
    "answer_gathered": "listed",
    "answer_sub": "extractive",
}
SPLIT, UPDATE, CHOOSE, CRITIQUE, ANSWER, WRITE, SUB = (
    "split_question",
    "update_question",
    "choose_tool",
    "critique",
    "answer_gathered",
    "text2cypher",
    "answer_sub",
)


@contextmanager
def over_films(homes: Homes, server: ScriptedServer, folder: Path) -> Iterator[Workbench]:
    """A workbench with the demo corpus, the graphs that come with the app, and the small corpus, which it indexes."""
    bench = open_bench(homes.demo(), server)
    bench.corpora.index([small_corpus(folder)], CORPUS).result()
    yield bench
    leave(bench)


def request(
    question: str, *, computed: bool = False, corpus: bool = False, graph: bool = True, **params: Any
) -> RunRequest:
    return RunRequest(
        question,
        "agentic",
        corpus=CORPUS if corpus else None,
        graph=MOVIES if graph else None,
        params=params,
        methods=COMPUTED if computed else {},
        owner="you",
    )


def ask(bench: Workbench, question: str, **options: Any) -> Record:
    run = record(bench.launcher.start(request(question, **options)).result(120))
    assert run.state == "finished", run.error
    assert run.answer is not None
    return run


def split(*questions: str) -> Rule:
    return Rule(skill=SPLIT, reply=json.dumps({"questions": questions}))


def enough(complete: bool = True, *questions: str, **more: Any) -> Rule:
    reply = {"complete": complete, "reason": "So it is.", "questions": questions}
    return Rule(skill=CRITIQUE, reply=json.dumps(reply), **more)


def called(question: str, *calls: tuple[str, Any]) -> Rule:
    """The tools chosen for a question that begins like this."""
    return Rule(skill=CHOOSE, told={"question": rf"\A{question}"}, calls=list(calls))


def answered(text: str) -> Rule:
    return Rule(skill=ANSWER, reply=text)
