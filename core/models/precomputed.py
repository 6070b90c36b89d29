"""Precomputed vectors: texts that come with the app need not wait for the model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.models.embedding_vectors import Embeddings, normalise

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIGEST = 16
"""Bytes of a text's hash by which its vector is found."""


class PrecomputedEmbeddings(Embeddings):
    """Looks texts up, and asks the model for those that are not known. Thread-safe as far as the model is."""

    def __init__(self, model: Embeddings, known: dict[bytes, NDArray[Any]]) -> None:
        """
        Args:
            model: Embeds what is not known.
            known: Hash of a text -> its vector by the same model.
        """
        self._model, self._known = model, known

    def knows(self, texts: Sequence[str]) -> bool:
        """Whether the model need not be asked for any of these texts."""
        return all(text_digest(text) in self._known for text in texts)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, in their order."""
        missing = [text for text in texts if text_digest(text) not in self._known]
        computed = dict(zip(missing, self._model.embed_documents(missing), strict=True)) if missing else {}
        return [computed[text] if text in computed else self._of(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self._of(text) if text_digest(text) in self._known else self._model.embed_query(text)

    def _of(self, text: str) -> list[float]:
        vector: list[float] = normalise(self._known[text_digest(text)]).tolist()
        return vector


def load_vectors(path: Path, key: str) -> dict[bytes, NDArray[Any]]:
    """Vectors from a file; none where there is no file, or it was made with another model than `key`."""
    if not path.exists():
        return {}
    import numpy as np

    with np.load(path, allow_pickle=False) as file:
        if str(file["model"]) != key:
            return {}
        return {
            digest.tobytes(): vector for digest, vector in zip(file["texts"], file["vectors"], strict=True)
        }


def text_digest(text: str) -> bytes:
    """The hash by which the vector of a text is found."""
    return hashlib.sha256(text.encode()).digest()[:DIGEST]
