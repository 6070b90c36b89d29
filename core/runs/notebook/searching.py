"""The cell that holds what a run searched, and the retriever over it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from core.models.embeddings import BUILTIN_NAME
from core.retrieval.retriever import RETRIEVERS, other_kind
from core.runs.budget import FUSED
from core.runs.notebook.materials import Materials
from core.runs.notebook.script import Script
from core.strategies.nodes import EVAL_CUTOFF
from core.trace.events import RunStarted

WALKED = (
    "trace.passages",
    "retrieval.titles",
    "retrieval.links",
    "retrieval.walk",
    "retrieval.walking",
    "retrieval.joined",
)
"""What walks along mentions, each after what it needs."""
_OF_APP = re.compile(r"^from (?:core\b.*|__future__ import annotations)\n+", re.MULTILINE)


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
    if "passages" in script.needs:  # it walks on by itself, from what is as deep as runs search
        kind, k = kind if kind != "linked" else "hybrid", max(k, EVAL_CUTOFF)
    away = _elsewhere(kind, params) if "elsewhere" in script.takes else None
    kinds = {kind, away or kind}
    if kinds != {"keyword"} or "embeddings" in script.needs:
        parts += [*_embeddings(started), *([cell("dense")] if kinds != {"keyword"} else [])]
    if kinds != {"dense"}:
        parts += [app_code("retrieval.tokens"), cell("keyword")]
    if kinds & FUSED:
        parts.append(cell("hybrid"))
    if "linked" in kinds:
        parts += [*map(app_code, WALKED), without_app(cell("linked"))]
    if script.searches_vectors:  # what was written is compared instead
        return "\n\n\n".join([*parts, f"retriever = {_made(kind, k)}"])
    parts += [cell("noting"), f"retriever = Noted(inner={_made(kind, k)})"]
    if "elsewhere" in script.takes:  # it leaves out what was found before
        parts.append(f"elsewhere = Noted(inner={_made(away, 2 * k)})" if away else "elsewhere = None")
    return "\n\n\n".join(parts)


def _elsewhere(kind: str, params: dict[str, Any]) -> str | None:
    """The retriever of a further search; None: the model's memory takes its place."""
    where = params.get("elsewhere")
    if where == "memory":
        return None
    return kind if where == "corpus" else next(other_kind(one) for one in RETRIEVERS if one == kind)


def _made(kind: str, k: int) -> str:
    """A retriever over the passages that gives `k` of them, as an expression."""
    depth = max(k, EVAL_CUTOFF) if kind in FUSED else k
    made = {
        "dense": f"dense(PASSAGES, embeddings, k={depth})",
        "keyword": f"Keyword(passages=PASSAGES, terms=tokens, k={depth})",
    }
    if kind not in FUSED:
        return made[kind]
    both = f"nearest := {made['dense']}" if kind == "linked" else made["dense"]
    found = f"Hybrid(retrievers=[{both}, {made['keyword']}], k={k if kind == 'hybrid' else depth})"
    if kind == "hybrid":
        return found
    return f"Linked(hybrid={found}, nearest=nearest, links=links_of(PASSAGES), k={k})"


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


@cache
def app_code(module: str) -> str:
    """A module of the app as the code of a cell, which needs none of the others but those in cells before it."""
    folder, _, name = module.rpartition(".")
    return without_app((resources.files(f"core.{folder}") / f"{name}.py").read_text(encoding="utf-8"))


def without_app(code: str) -> str:
    """Code without what it imports from the app."""
    return _OF_APP.sub("", code).strip()
