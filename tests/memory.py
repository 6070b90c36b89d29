"""Vectors of the built-in model are remembered: tests ask the same questions over and over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from core.models import embeddings
from core.models.embeddings import BuiltinEmbeddings

KEPT_TEXTS = 4000
"""Of 7 kB each."""
_embed = BuiltinEmbeddings.embed_query


@lru_cache(maxsize=KEPT_TEXTS)
def _vector(text: str) -> NDArray[np.float64]:
    return np.array(_embed(BuiltinEmbeddings(), text))


@contextmanager
def embedded_once() -> Iterator[None]:
    """Within, a text is embedded by the real model when it first comes up in this process, and never again.

    Not for tests of the model itself, nor for anything that depends on how long it takes.
    """

    def embed_query(_: BuiltinEmbeddings, text: str) -> list[float]:
        embeddings._load()  # whoever embeds waits for that, whether the text is known or not
        vector: list[float] = _vector(text).tolist()
        return vector

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BuiltinEmbeddings, "embed_query", embed_query)
        yield
