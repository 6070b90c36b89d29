"""The cell that holds what a run searched, and the retriever over it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from core.models.embeddings import BUILTIN_NAME
from core.retrieval.found import depth_of_lists
from core.retrieval.retriever import FUSED, RETRIEVERS, other_kind
from core.runs.notebook.materials import Materials
from core.runs.notebook.script import Script
from core.strategies.nodes import EVAL_CUTOFF
from core.trace.events import RunStarted

WALKED = (
    "trace.passages",
    "retrieval.titles",
    "retrieval.entities",
    "retrieval.links",
    "retrieval.walk",
    "retrieval.walking",
    "retrieval.standardising",
    "retrieval.joined",
)
"""What walks along mentions, each after what it needs."""
_OF_APP = re.compile(r"^from (?:core\b.*|__future__ import annotations)\n+", re.MULTILINE)


def search_cell(script: Script, started: RunStarted, params: dict[str, Any], materials: Materials) -> str:
    """The passages and the retriever over them, or the triples and the embeddings that find a name among them.

    What is reranked is searched as deep, see `core.runs.notebook.reranking`.
    """
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
    k = candidates(script, params) if reranked(script, params) else hits(script, params)
    kind = "dense" if script.searches_vectors else started.retriever or "dense"
    if "passages" in script.needs:  # it walks on by itself, from what is as deep as runs search
        kind, k = kind if kind != "linked" else "hybrid", max(k, EVAL_CUTOFF)
    away = elsewhere(kind, params) if "elsewhere" in script.takes else ""
    kinds = {kind, away or kind}
    if kinds != {"keyword"} or "embeddings" in script.needs:
        parts += [*_embeddings(started), *([cell("dense")] if kinds != {"keyword"} else [])]
    if kinds != {"dense"}:
        parts += [app_code("retrieval.tokens"), cell("keyword")]
    if kinds & FUSED:
        parts.append(cell("hybrid" if started.dense_share is None else "weighed"))
    told = [f"{name!r}: {sorted(words)!r}" for name, words in materials.told.items() if len(words) > 1]
    if "linked" in kinds:
        parts += [f"TOLD = {listed(told, '{}')}"] if told else []
        parts += [*map(app_code, WALKED), without_app(cell("linked"))]
    share = started.dense_share
    made = {"retriever": _made(kind, k, share, told=bool(told))}
    if "elsewhere" in script.takes:
        made["elsewhere"] = _made(away, further(script, params), share, told=bool(told)) if away else "None"
    # What was written is compared instead of what is found; what is reranked is noted then.
    noted = not (script.searches_vectors or reranked(script, params))
    parts += [cell("noting")] if noted else []
    parts += [
        f"{name} = Noted(inner={found})" if noted and found != "None" else f"{name} = {found}"
        for name, found in made.items()
    ]
    return "\n\n\n".join(parts)


def _made(kind: str, k: int, dense_share: float | None, *, told: bool) -> str:
    """A retriever over the passages that gives `k` of them, as an expression; `told`: graphs tell of their entities."""
    kept = max(k, EVAL_CUTOFF) if kind in FUSED else k
    depth = depth_of_lists(kept, kept, dense_share) if kind in FUSED else k
    made = {
        "dense": f"dense(PASSAGES, embeddings, k={depth})",
        "keyword": f"Keyword(passages=PASSAGES, terms=tokens, k={depth})",
    }
    if kind not in FUSED:
        return made[kind]
    both = f"nearest := {made['dense']}" if kind == "linked" else made["dense"]
    given = k if kind == "hybrid" else kept
    found = f"Hybrid(retrievers=[{both}, {made['keyword']}], k={given})"
    if dense_share is not None:
        weights = f"[{dense_share}, {round(1 - dense_share, 4)}]"
        found = f"Weighed(retrievers=[{both}, {made['keyword']}], weights={weights}, k={given})"
    links = f"links_of(PASSAGES{', TOLD' if told else ''})"
    return found if kind == "hybrid" else f"Linked(hybrid={found}, nearest=nearest, links={links}, k={k})"


def elsewhere(kind: str, params: dict[str, Any]) -> str:
    """How a script searches that looks elsewhere after a search of some kind; empty: nowhere."""
    where = params.get("elsewhere")
    if where == "memory":
        return ""
    return kind if where == "corpus" else next(other_kind(one) for one in RETRIEVERS if one == kind)


def further(script: Script, params: dict[str, Any]) -> int:
    """How many passages a script looks for elsewhere: as many as it takes besides those that it has."""
    found = 2 * hits(script, params)
    return max(found, int(params["rerank"]), EVAL_CUTOFF) if reranked(script, params) else found


def hits(script: Script, params: dict[str, Any]) -> int:
    """How many passages a search of the script brings in."""
    k = int(params.get("k", 4))
    if not script.picks:
        return k
    values: dict[str, Any] = {**script.usual, **params}
    # New passages stand behind those that it has.
    return k + int(values.get("paragraphs", 0)) + k * int(values.get("max_rewrites", 0))


def reranked(script: Script, params: dict[str, Any]) -> bool:
    """Whether what a script searches for is reranked; one that compares vectors itself does not ask the retriever."""
    return bool(params.get("rerank")) and not script.searches_vectors


def candidates(script: Script, params: dict[str, Any]) -> int:
    """How many passages of a search are reranked."""
    return max(hits(script, params), int(params["rerank"]), EVAL_CUTOFF)


def listed(items: Iterable[str], brackets: str = "[]") -> str:
    return f"{brackets[0]}\n" + "".join(f"    {item},\n" for item in items) + brackets[1]


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
