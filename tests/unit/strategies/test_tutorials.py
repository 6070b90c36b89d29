"""The scripts that lessons show: they run with any retriever and chat model, as they stand."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever
from langchain_openai import ChatOpenAI

from core.strategies import tutorial
from tests.scripted import Rule, ScriptedServer

FOLDER = Path(tutorial.__file__).parent
QUESTION = "Who composed Fidelio?"
VARIANTS = {"queries": ["Fidelio's composer", "Who wrote the opera Fidelio?"]}


class Bare(BaseRetriever):
    """As some retrievers are: what they find has neither id nor title."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [Document("Beethoven"), Document("Vienna"), Document(f"About: {query}")]


class AnyModel(ChatOpenAI):
    """Structured output as a chat model has it that brings none of its own."""

    def with_structured_output(self, schema: Any = None, **options: Any) -> Any:
        return BaseChatModel.with_structured_output(self, schema, **options)


def chat(scripted: ScriptedServer, kind: type[ChatOpenAI] = ChatOpenAI) -> ChatOpenAI:
    return kind(model="scripted", base_url=scripted.base_url, api_key=lambda: "none", max_retries=0)


@pytest.mark.parametrize(
    "script",
    [
        "plain", "multi_query", "rag_fusion", "decomposition_independent", "decomposition_sequential",
        "least_to_most", "ircot", "search_o1", "step_back", "self_rag", "corrective",
    ],
)  # fmt: skip
def test_documents_without_id_and_title_are_told_apart_by_their_text(
    scripted: ScriptedServer, script: str
) -> None:
    _, passages = import_module(f"core.strategies.tutorial.{script}").ask(QUESTION, chat(scripted), Bare())
    texts = [passage.page_content for passage in passages]
    assert len(texts) == len(set(texts))
    assert {"Beethoven", "Vienna"} <= set(texts)
    assert any(text.startswith("About: ") for text in texts)
    last = scripted.requests[-1]["body"]["messages"][-1]["content"]
    assert "None" not in last


@pytest.mark.parametrize("script", ["multi_query", "rag_fusion"])
def test_a_model_without_structured_output_of_its_own_will_do(scripted: ScriptedServer, script: str) -> None:
    scripted.script(Rule(calls=[("Variants", VARIANTS)], times=1))
    ask = import_module(f"core.strategies.tutorial.{script}").ask
    _, passages = ask(QUESTION, chat(scripted, AnyModel), Bare())
    assert f"About: {VARIANTS['queries'][1]}" in [passage.page_content for passage in passages]
    assert scripted.requests[0]["body"]["temperature"] == 0.7


def test_the_step_back_is_searched_beside_the_question(scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply=json.dumps({"question": "Which operas did Beethoven write?"}), times=1))
    _, passages = import_module("core.strategies.tutorial.step_back").ask(QUESTION, chat(scripted), Bare())
    assert [passage.page_content for passage in passages][2:] == [
        f"About: {QUESTION}", "About: Which operas did Beethoven write?",
    ]  # fmt: skip
    assert (
        "Found for it as well: passage 1, passage 2."
        in scripted.requests[-1]["body"]["messages"][-1]["content"]
    )


SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
WITHOUT_PASSAGES = {
    "closed_book",
    "agentic",
    "kg_rag",
    "adaptive",
}  # the router's first way is without a search
ANSWERED = {"kg_rag": "In Chichester [2].", "agentic": "In 1770.", "closed_book": "This is a scripted reply."}
RULES = {
    "kg_rag": [
        Rule(reply="Elizabeth Taylor\nwas married second to\ndied in", times=1),
        Rule(match="2. was married second to", reply="2", times=1),
        Rule(match="Reached: Michael Wilding", reply="continue: one step is left", times=1),
        Rule(match="1. died in", reply="1", times=1),
        Rule(match="Reached: Chichester", reply="respond: it is there", times=1),
        Rule(match=r"\[2\] Michael Wilding – died in – Chichester", reply=ANSWERED["kg_rag"], times=1),
    ],
    "agentic": [
        Rule(reply='{"questions": ["Who composed it?", "When was #1 born?"]}', times=1),
        Rule(match="Who composed it", calls=[("search_documents", {"query": QUESTION})], times=1),
        Rule(match="an opera by Beethoven.*#1", reply='{"question": "When was Beethoven born?"}', times=1),
        Rule(match="When was Beethoven born", calls=[("all_titles", {}), ("unknown", {})], times=1),
        Rule(match="Fidelio; There is no tool unknown", reply='{"questions": ["In which year?"]}', times=1),
        Rule(match="There is no tool.*In which year", reply='{"question": "In which year?"}', times=1),
        Rule(match="In which year", reply="I know it.", times=1),
        Rule(match="No tool was chosen. I know it", reply='{"questions": []}', times=1),
        Rule(reply=ANSWERED["agentic"], times=1),
    ],
}  # fmt: skip


@pytest.fixture
def started(
    scripted: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], list[str]]:
    """The environment and the files of whom the scripts are for; gives the arguments of a script."""
    for name, value in {
        "OPENAI_BASE_URL": scripted.base_url, "OPENAI_API_KEY": "none", "CHAT_MODEL": "scripted",
        "EMBEDDING_MODEL": "scripted",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    folder, graph = tmp_path / "texts", tmp_path / "triples.csv"
    folder.mkdir()
    (folder / "Fidelio.txt").write_text("It is an opera by Beethoven. " * 60, encoding="utf-8")
    told = (FOLDER / "kg_rag.py").read_text(encoding="utf-8")
    lines = told[told.index("    subject,relation,object") :].partition("\n\n")[0]
    graph.write_text(dedent(lines), encoding="utf-8")

    def arguments(script: str) -> list[str]:
        scripted.script(*(rule.model_copy() for rule in RULES.get(script, ())))
        return [f"{FOLDER / script}.py", str(graph if script == "kg_rag" else folder), QUESTION]

    return arguments


def check(script: str, shown: str, scripted: ScriptedServer) -> None:
    """What a script printed, and what it asked."""
    assert ANSWERED.get(script, "") in shown
    if script not in WITHOUT_PASSAGES:  # 420 tokens are two chunks, each with its title
        assert re.findall(r"\[(\d+)\]\s+Fidelio\s+It is an opera by Beethoven\.", shown)[:2] == ["1", "2"]
    assert bool(scripted.requests) is (script != "indexing")
    assert len(scripted.requests) == len(RULES[script]) if script in RULES else True


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_does_what_it_says_when_it_is_started(
    scripted: ScriptedServer,
    started: Callable[[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: str,
) -> None:
    """As `python x.py` does it, without a Python for each: the imports of one take longer than all that they do."""
    monkeypatch.setattr(sys, "argv", started(script))
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.delitem(sys.modules, "indexing", raising=False)
    runpy.run_path(sys.argv[0], run_name="__main__")
    check(script, capsys.readouterr().out, scripted)


@pytest.mark.processes
@pytest.mark.parametrize(
    "script",
    [pytest.param(name, marks=[] if name == "agentic" else [pytest.mark.thorough]) for name in SCRIPTS],
)
def test_it_is_started_as_it_stands(
    scripted: ScriptedServer, started: Callable[[str], list[str]], tmp_path: Path, script: str
) -> None:
    command = [sys.executable, *started(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    check(script, done.stdout, scripted)


def test_without_arguments_or_texts_it_says_what_is_missing(
    started: Callable[[str], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.delitem(sys.modules, "indexing", raising=False)
    script, *_ = started("plain")
    for arguments, missing in (((), 'FOLDER "QUESTION"'), ((str(tmp_path / "x"), QUESTION), "No .txt file")):
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        with pytest.raises(SystemExit, match=missing):
            runpy.run_path(script, run_name="__main__")
