from __future__ import annotations

import numpy as np

from core.models.embedding_vectors import cosine_matrix, normalise


def test_normalise() -> None:
    assert normalise([[3, 4], [0, 0]]).tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0]]


def test_cosine_matrix_by_hand() -> None:
    result = cosine_matrix([[1, 0], [1, 1]], [[2, 0], [0, 5], [-3, 0]])
    half = np.sqrt(0.5)
    assert np.allclose(result, np.array([[1, 0, -1], [half, half, -half]]))


def test_cosine_never_leaves_its_range() -> None:
    rows = np.full((3, 7), 0.1, dtype=np.float32)
    assert cosine_matrix(rows, rows).max() <= 1
