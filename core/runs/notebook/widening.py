"""The cell that widens what a search finds, or gives whole documents, as the run did."""

from __future__ import annotations

from typing import Any

from core.runs.notebook.materials import Materials
from core.runs.notebook.searching import WALKED, app_code, cell, without_app
from core.trace.events import RunStarted

WIDENED = ("trace.passages", "retrieval.fitting")
"""What widens hits, each after what it needs."""
WIDENS = ("give", "neighbours", "most_tokens")
"""Parameters of that."""


def widening_cell(started: RunStarted, params: dict[str, Any], materials: Materials) -> str:
    """The retriever that gives more than the search finds; empty: the hits are given as they are."""
    if params.get("give", "passages") == "passages":
        return ""
    linked = started.retriever == "linked"
    code = [app_code(name) for name in WIDENED if not linked or name not in WALKED]
    starts = {source.passage.chunk: source.passage.start for source in materials.sources}
    how = ", ".join(f"{name}={params[name]!r}" for name in WIDENS)
    begins = f"# Where each passage begins in its document.\nSTARTS = {starts!r}"
    wider = f"retriever = Widened(inner=retriever, passages=PASSAGES, starts=STARTS, {how})"
    return "\n\n\n".join([begins, *code, without_app(cell("widened")), wider])
