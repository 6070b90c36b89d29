"""The cell that holds what a run searched, and the retriever over it: dense, by keyword, or hybrid."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from core.models.embeddings import BUILTIN_NAME
from core.retrieval.kinds import BUILTIN, other_kind
from core.retrieval.retriever import depth_of_lists
from core.runs.notebook.materials import Materials
from core.runs.notebook.script import Script
from core.trace.artefacts import EVAL_CUTOFF
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
            | ({"context": context.text} if (context := source.passage.indexed_with) else {})
        )
        for source in materials.sources
    )
    parts = [f"PASSAGES = {passages}"]
    kind, away = (nearest(one) for one in searches(script, started, params))
    kinds = {kind, away or kind}
    if kinds != {"keyword"} or "embeddings" in script.needs:
        parts += [*_embeddings(started), *([cell("dense")] if kinds != {"keyword"} else [])]
    if kinds != {"dense"}:
        parts.append(cell("keyword"))
    if "hybrid" in kinds:
        parts.append(cell("hybrid" if started.dense_share is None else "weighed"))
    k, share = hits(script, params), started.dense_share
    # A script that walks on by itself begins with what is as deep as runs search.
    made = {
        "retriever": _retriever_code(kind, max(k, EVAL_CUTOFF) if "passages" in script.needs else k, share)
    }
    if "elsewhere" in script.takes:  # as many as it takes besides those that it has
        made["elsewhere"] = _retriever_code(away, 2 * k, share) if away else "None"
    noted = not script.searches_vectors  # else what was written is compared
    parts += [cell("noting")] if noted else []
    parts += [
        f"{name} = Noted(inner={found})" if noted and found != "None" else f"{name} = {found}"
        for name, found in made.items()
    ]
    return "\n\n\n".join(parts)


def searches(script: Script, started: RunStarted, params: dict[str, Any]) -> tuple[str, str]:
    """The retrievers of a run in whose place a script searches: the first, and the one that looks elsewhere.

    Empty: there is none.
    """
    if not script.needs.keys() & {"retriever", "tools"}:
        return "", ""
    kind = started.retriever if started.retriever in BUILTIN else "dense"
    away = ""
    if "elsewhere" in script.takes and params.get("elsewhere") != "memory":
        away = kind if params.get("elsewhere") == "corpus" else other_kind(kind)
    if script.searches_vectors:
        return "dense", away
    return nearest(kind) if "passages" in script.needs else kind, away  # such a script walks by itself


def nearest(kind: str) -> str:
    """The retriever of a notebook that is nearest to one of a run: a walk along mentions begins with hybrid search."""
    return "hybrid" if kind == "linked" else kind


def _retriever_code(kind: str, k: int, dense_share: float | None) -> str:
    """A retriever over the passages that gives `k` of them, as an expression."""
    kept = max(k, EVAL_CUTOFF)
    depth = depth_of_lists(kept, kept, dense_share) if kind == "hybrid" else k
    dense = f"dense(PASSAGES, embeddings, k={depth})"
    keyword = f"Keyword(passages=PASSAGES, k={depth})"
    if kind != "hybrid":
        return dense if kind == "dense" else keyword
    if dense_share is None:
        return f"Hybrid(retrievers=[{dense}, {keyword}], k={k})"
    weights = f"[{dense_share}, {round(1 - dense_share, 4)}]"
    return f"Weighed(retrievers=[{dense}, {keyword}], weights={weights}, k={k})"


def hits(script: Script, params: dict[str, Any]) -> int:
    """How many passages a search of the script brings in."""
    k = int(params.get("k", 4))
    if not script.picks:
        return k
    values: dict[str, Any] = {**script.usual, **params}
    # New passages stand behind those that it has.
    return k + int(values.get("paragraphs", 0)) + k * int(values.get("max_rewrites", 0))


def listed(items: Iterable[str]) -> str:
    """A list of expressions, one a line."""
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
