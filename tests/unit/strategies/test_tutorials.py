"""The scripts that lessons show: they run with any retriever and chat model, as they stand."""

from __future__ import annotations

import json
import runpy
import sys
from importlib import import_module
from pathlib import Path
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


def test_a_folder_of_texts_is_indexed_and_asked(
    scripted: ScriptedServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "Fidelio.txt").write_text("It is an opera by Beethoven. " * 60, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["indexing.py", "plain", str(tmp_path), QUESTION])
    monkeypatch.syspath_prepend(FOLDER)
    for name, value in {
        "OPENAI_BASE_URL": scripted.base_url, "OPENAI_API_KEY": "none", "CHAT_MODEL": "scripted",
        "EMBEDDING_MODEL": "scripted",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    runpy.run_path(str(FOLDER / "indexing.py"), run_name="__main__")
    monkeypatch.delitem(sys.modules, "plain")
    shown = capsys.readouterr().out
    assert shown.startswith("The passages say so [1].")
    # 420 tokens are two chunks, each with the title that it is embedded with.
    assert shown.count("Fidelio\n\nIt is an opera by Beethoven.") == 2
    assert shown.count("opera") > 60
