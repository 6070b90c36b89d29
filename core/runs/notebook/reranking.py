"""The cell that reranks what a search finds, as the run did."""

from __future__ import annotations

from typing import Any

from core.models.embeddings import BUILTIN_NAME
from core.runs.notebook.literals import prompt_literal
from core.runs.notebook.prompts import prompt_of
from core.runs.notebook.script import Script
from core.runs.notebook.searching import app_code, candidates, cell, elsewhere, hits, reranked, without_app
from core.runs.record import Record
from core.skills.rerank import RERANK, SERVER, TOKENS
from core.trace.artefacts import Ranking


def was_reranked(run: Record) -> bool:
    """Whether any of a run's rankings is in the order of another judge; it may have failed each time."""
    return any(hit.before for ranking in run.find(Ranking) for hit in ranking.hits)


def reranking_cell(script: Script, run: Record, params: dict[str, Any]) -> str:
    """The judge of the run, and the retriever that asks it; empty: none is asked."""
    if not reranked(script, params) or run.started is None:
        return ""
    started = run.started
    method = started.methods.get(RERANK.key)
    if method == TOKENS:
        # What is there already was needed by the search.
        known = started.embedding_model in ("", BUILTIN_NAME) and started.retriever != "keyword"
        parts = [] if known else [cell("builtin_embeddings")]
        parts += [app_code("retrieval.tokens")] if started.retriever == "dense" else []
        parts += [app_code("retrieval.standardising"), app_code("retrieval.late_interaction")]
        parts.append(without_app(cell("rerank_tokens")))
        judge = f"by_tokens({'embeddings' if known else 'BuiltinEmbeddings()'})"
    elif method == SERVER:
        parts, judge = [cell("rerank_server")], "by_server"
    else:
        prompt = f"RERANK = {prompt_literal(RERANK.key, prompt_of(run, RERANK.key))}"
        parts, judge = [without_app(cell("rerank_model")), prompt], "by_model(llm, RERANK)"
    # A script that walks on by itself begins with all that was reranked.
    k = candidates(script, params) if "passages" in script.needs else hits(script, params)
    depths = {"retriever": k}
    if "elsewhere" in script.takes and elsewhere(started.retriever or "dense", params):
        depths["elsewhere"] = 2 * k
    found = (
        f"{name} = Noted(inner=Reranked(inner={name}, order={judge}, k={depth}))"
        for name, depth in depths.items()
    )
    return "\n\n\n".join([*parts, cell("reranked"), cell("noting"), *found])
