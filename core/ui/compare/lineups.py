"""Comparisons worth seeing, ready to be filled in."""

from __future__ import annotations

from core.ui.forms.setting import Choice

LINEUPS: dict[str, tuple[Choice, ...]] = {
    "One query or many": (Choice("plain"), Choice("multi-query"), Choice("rag-fusion")),
    "Search with something else": (Choice("plain"), Choice("step-back"), Choice("hyde")),
    "Take the question apart": (
        Choice("plain"),
        Choice("decomposition-independent"),
        Choice("decomposition-sequential"),
        Choice("ircot"),
    ),
    "With and without documents": (Choice("closed-book"), Choice("plain"), Choice("self-rag")),
    "Dense, keyword or both": (Choice("plain"), Choice("plain", "keyword"), Choice("plain", "hybrid")),
    "Rank fusion: k = 60 or k = 1": (Choice("rag-fusion"), Choice("rag-fusion", params={"rrf_k": 1})),
    "Documents or graph": (Choice("plain"), Choice("kg-rag"), Choice("agentic")),
}
"""Name -> columns."""
FIRST = "One query or many"
