"""The cell that holds what a run searched, and the retriever over it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from core.models.embeddings import BUILTIN_NAME
from core.runs.notebook.materials import Materials
from core.runs.notebook.script import Script
from core.trace.events import RunStarted


def search_cell(script: Script, started: RunStarted, params: dict[str, Any], materials: Materials) -> str:
    """The passages and the retriever over them, or the triples and the embeddings that find a name among them."""
    if "graph" in script.needs:
        return "\n\n\n".join(["GRAPH = " + listed(map(repr, materials.triples)), *_embeddings(started)])
    if not script.needs.keys() & {"retriever", "tools"}:
        return ""
    passages = listed(
        repr(
            {
                "chunk": source.passage.chunk,
                "title": source.passage.title,
                "indexed_title": source.title,
                "text": source.passage.text,
            }
        )
        for source in materials.sources
    )
    parts = [f"PASSAGES = {passages}"]
    k = int(params.get("k", 4))
    if script.picks:  # new passages stand behind those that it has
        k += int(params.get("paragraphs", 0))
    kind = "dense" if script.searches_vectors else started.retriever or "dense"
    depth = max(k, 10) if kind == "hybrid" else k
    if kind != "keyword":
        parts += [*_embeddings(started), cell("dense")]
    if kind != "dense":
        parts += [_tokens(), cell("keyword")]
    made = {
        "dense": f"dense(PASSAGES, embeddings, k={depth})",
        "keyword": f"Keyword(passages=PASSAGES, terms=tokens, k={depth})",
    }
    if kind == "hybrid":
        parts.append(cell("hybrid"))
        found = f"Hybrid(retrievers=[{made['dense']}, {made['keyword']}], k={k})"
    else:
        found = made[kind]
    if script.searches_vectors:  # what was written is compared instead
        return "\n\n\n".join([*parts, f"retriever = {found}"])
    return "\n\n\n".join([*parts, cell("noting"), f"retriever = Noted(inner={found})"])


def listed(items: Iterable[str]) -> str:
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


@cache
def cell(name: str) -> str:
    """Code that comes with the app for notebooks."""
    return (resources.files("core.runs.notebook.cells") / f"{name}.py").read_text(encoding="utf-8").strip()


def _embeddings(started: RunStarted) -> list[str]:
    if started.embedding_model in ("", BUILTIN_NAME):
        return [cell("builtin_embeddings"), "embeddings = BuiltinEmbeddings()"]
    return [
        "import os\n\n"
        "from langchain_openai import OpenAIEmbeddings\n\n"
        "embeddings = OpenAIEmbeddings(\n"
        f"    model={started.embedding_model!r},\n"
        '    base_url=os.environ.get("EMBEDDING_BASE_URL"),\n'
        '    api_key=os.environ.get("EMBEDDING_API_KEY") or "none",\n'
        "    check_embedding_ctx_length=False,\n"
        ")"
    ]


def _tokens() -> str:
    """Text to search terms, by the very code of the app."""
    return (
        (resources.files("core.retrieval") / "tokens.py")
        .read_text(encoding="utf-8")
        .strip()
        .replace("from __future__ import annotations\n\n", "")
    )
