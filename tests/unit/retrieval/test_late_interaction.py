"""MaxSim and the joined score, computed by hand; and the vectors that they are made from."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import ModelError
from core.models import embeddings
from core.models.embeddings import kept_token_vectors, token_vectors
from core.retrieval.late_interaction import asks, join_scores, maxsim


def test_each_token_of_the_query_takes_its_nearest() -> None:
    query = np.array([[1.0, 0.0], [0.0, 1.0]])
    passage = np.array([[0.6, 0.8], [1.0, 0.0], [-1.0, 0.0]])
    assert maxsim(query, passage) == pytest.approx((1.0 + 0.8) / 2)
    assert maxsim(query, passage[2:]) == pytest.approx((-1.0 + 0.0) / 2)
    assert maxsim(query, passage[:0]) == 0.0


def test_both_scores_count_by_how_far_they_are_from_the_mean() -> None:
    spread = np.sqrt(2 / 3)  # of 1, 2, 3
    found = join_scores([3.0, 2.0, 1.0], [0.1, 0.2, 0.3], weight=0.5)
    assert found == pytest.approx(np.array([1.0, 0.0, -1.0]) / spread * 0.5)
    assert join_scores([5.0, 5.0], [0.1, 0.2], weight=1.0) == pytest.approx([-1.0, 1.0])
    assert join_scores([2.0, 1.0, 0.0], [0.9, None, 0.1], weight=1.0)[1] == pytest.approx(0.0)
    assert join_scores([1.0, 0.0], [None, None]) == pytest.approx([1.0, -1.0])


def test_stop_words_and_marks_ask_for_nothing() -> None:
    vectors, tokens = token_vectors("Who is the author of “Jaws”?")
    assert [token for token in tokens if asks(token)] == ["who", "author", "jaws"]
    assert vectors.shape == (len(tokens), 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0)


def test_a_long_text_is_read_to_the_limit() -> None:
    vectors, tokens = token_vectors("word " * 1000)
    assert (len(vectors), set(tokens)) == (255, {"word"})


async def test_a_failure_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(text: str) -> None:
        raise ModelError("The encoder is missing.")

    kept = kept_token_vectors.__wrapped__()
    with monkeypatch.context() as broken:
        broken.setattr(embeddings, "token_vectors", failing)
        with pytest.raises(ModelError):
            await kept.of(["a film"])
    assert len((await kept.of(["a film"]))[0]) == 2


async def test_vectors_are_kept_and_the_oldest_forgotten() -> None:
    kept = kept_token_vectors.__wrapped__()
    kept.most = 2
    first, second = await kept.of(["a film", "a book"])
    assert first.dtype == np.float16
    assert (await kept.of(["a film"]))[0] is first
    await kept.of(["a song"])
    assert (await kept.of(["a film"]))[0] is first
    assert (await kept.of(["a book"]))[0] is not second
