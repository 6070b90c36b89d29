"""Cosines of sentences with sentences, embedded here and now; no model is asked."""

from __future__ import annotations

import streamlit as st

from core.jobs import run_blocking
from core.models.embedding_vectors import cosine_matrix
from core.ui.shell.session import workbench

Cosines = list[list[float]]


def cosines(texts: tuple[str, ...], pool: tuple[str, ...]) -> Cosines:
    """Cosine of every text with every one of a pool, from -1 to 1; kept for as long as the process has room.

    Raises:
        LoupeError: They cannot be embedded.
    """
    return _embedded(texts, pool, workbench().backends.embedder.key)


@st.cache_data(max_entries=256, show_spinner="Embedding sentences…")
def _embedded(texts: tuple[str, ...], pool: tuple[str, ...], embedder: str) -> Cosines:
    """`embedder` is there for the cache alone: another model has other vectors."""
    vectors = run_blocking(workbench().backends.embedder.embed_documents([*texts, *pool]))
    made: Cosines = cosine_matrix(vectors[: len(texts)], vectors[len(texts) :]).tolist()
    return made
