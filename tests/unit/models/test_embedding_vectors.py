from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from weakref import ref

import numpy as np

from core.models.embedding_vectors import KeptVectors, cosine_matrix, normalise


def test_normalise() -> None:
    assert normalise([[3, 4], [0, 0]]).tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0]]


def test_cosine_matrix_by_hand() -> None:
    result = cosine_matrix([[1, 0], [1, 1]], [[2, 0], [0, 5], [-3, 0]])
    half = np.sqrt(0.5)
    assert np.allclose(result, np.array([[1, 0, -1], [half, half, -half]]))


def test_cosine_never_leaves_its_range() -> None:
    rows = np.full((3, 7), 0.1, dtype=np.float32)
    assert cosine_matrix(rows, rows).max() <= 1


class Vector:
    """A result that can be watched."""


async def test_a_text_that_is_kept_keeps_no_others_of_its_group() -> None:
    made: dict[str, ref[Vector]] = {}

    def compute(texts: list[str]) -> list[Vector]:
        results = [Vector() for _ in texts]
        made.update(zip(texts, map(ref, results), strict=True))
        return results

    kept = KeptVectors(compute, ThreadPoolExecutor(1), 2, together=True)
    await kept.of(["a", "b"])
    await kept.of(["c", "a"])
    gc.collect()
    assert {text for text, result in made.items() if result() is not None} == {"a", "c"}
