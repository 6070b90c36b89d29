"""A recording at work: what it holds is used, and what it lacks may be kept. Shared by runs; thread-safe."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.models.embedding_vectors import Embeddings
from core.models.recordings.items import Item, KeptRanking, KeptReply, KeptVector
from core.models.recordings.keys import vector_key
from core.models.recordings.store import Recording, RecordingStore


@dataclass(frozen=True)
class Recorded:
    """A recording that plays, and keeps where it may. Calls block for a moment; from a coroutine, use a thread."""

    store: RecordingStore
    recording: Recording
    keeps: bool
    """Whether what it lacks is kept."""
    limit: int
    """Bytes that it may have."""

    def reply(self, key: str) -> KeptReply | None:
        """The reply under a key."""
        return self.store.item(self.recording.id, KeptReply, key)

    def keep_reply(self, reply: KeptReply) -> KeptReply | None:
        """Keep a reply; which one is kept: another run may have been quicker. None: none, since it is full."""
        return self.reply(reply.key) if self._keep([reply]) else None

    def ranking(self, key: str) -> KeptRanking | None:
        """The rankings under a key."""
        return self.store.item(self.recording.id, KeptRanking, key)

    def keep(self, item: Item) -> None:
        """Keep something, unless it is full."""
        self._keep([item])

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, list[float]]:
        """The vectors of texts by the embedding model with this key, as far as they are known."""
        keys = {vector_key(embedder, text): text for text in texts}
        found = self.store.items(self.recording.id, KeptVector, list(keys))
        return {keys[key]: numbers(vector) for key, vector in found.items()}

    def keep_vectors(
        self, embedder: str, texts: Sequence[str], vectors: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Keep vectors; as they are kept, rounded, so that what is computed with them now and later is the same."""
        kept = [kept_vector(embedder, text, vector) for text, vector in zip(texts, vectors, strict=True)]
        self._keep(kept)
        return [numbers(vector) for vector in kept]

    def _keep(self, items: Sequence[Item]) -> bool:
        return self.keeps and self.store.put(self.recording.id, items, self.limit)


class RecordedEmbeddings(Embeddings):
    """An embedding model whose vectors are kept: one that a recording holds is not computed again."""

    def __init__(self, model: Embeddings, key: str, recorded: Recorded) -> None:
        """
        Args:
            model: Embeds what the recording does not hold.
            key: Of the model.
            recorded: Holds vectors.
        """
        self._model, self._key, self._recorded = model, key, recorded

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, in their order."""
        known = self._recorded.vectors(self._key, list(dict.fromkeys(texts)))
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            made = self._model.embed_documents(new)
            if self._recorded.keeps:
                made = self._recorded.keep_vectors(self._key, new, made)
            known |= dict(zip(new, made, strict=True))
        return [known[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        known = self._recorded.vectors(self._key, [text])
        if text in known:
            return known[text]
        made = self._model.embed_query(text)
        return self._recorded.keep_vectors(self._key, [text], [made])[0] if self._recorded.keeps else made


def kept_vector(embedder: str, text: str, vector: Sequence[float]) -> KeptVector:
    """A vector as it is kept."""
    row = np.asarray(vector, dtype=np.float64)
    scale = max(float(np.abs(row).max(initial=0.0)), 1e-6) / 127
    coded = base64.b64encode(np.rint(row / scale).astype(np.int8).tobytes()).decode()
    return KeptVector(key=vector_key(embedder, text), scale=scale, numbers=coded)


def numbers(vector: KeptVector) -> list[float]:
    """The vector, its length 1."""
    row = np.frombuffer(base64.b64decode(vector.numbers), dtype=np.int8).astype(np.float64) * vector.scale
    length = float(np.linalg.norm(row))
    found: list[float] = (row / length if length else row).tolist()
    return found
