"""A recording at work: what it holds is used, and what it lacks may be kept. Shared by runs; thread-safe."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.models.embedding_vectors import Embeddings
from core.models.embeddings import Embedder
from core.models.precomputed import PrecomputedEmbeddings
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


def recorded_embedder(embedder: Embedder, recorded: Recorded) -> Embedder:
    """The same embedding model by way of a recording: queries that come together are looked up together."""
    found = RecordedEmbeddings(embedder.embeddings, embedder.key, recorded)
    return replace(embedder, embeddings=found, builtin=False)


class RecordedEmbeddings(Embeddings):
    """An embedding model whose vectors are kept: one that a recording holds is not computed again."""

    def __init__(self, model: Embeddings, key: str, recorded: Recorded) -> None:
        """
        Args:
            model: Embeds what the recording does not hold. Vectors that come with the app are not kept.
            key: Of the model.
            recorded: Holds vectors.
        """
        self._model, self._key, self._recorded = model, key, recorded

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, in their order."""
        wanted = list(dict.fromkeys(texts))
        shipped = [text for text in wanted if self._shipped(text)]
        known = self._recorded.vectors(self._key, [text for text in wanted if text not in set(shipped)])
        new = [text for text in wanted if text not in known]
        made = dict(zip(new, self._model.embed_documents(new), strict=True)) if new else {}
        if self._recorded.keeps and (keeping := [text for text in new if not self._shipped(text)]):
            rounded = self._recorded.keep_vectors(self._key, keeping, [made[text] for text in keeping])
            made |= dict(zip(keeping, rounded, strict=True))
        known |= made
        return [known[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self.embed_documents([text])[0]

    def _shipped(self, text: str) -> bool:
        return isinstance(self._model, PrecomputedEmbeddings) and self._model.knows([text])


def kept_vector(embedder: str, text: str, vector: Sequence[float]) -> KeptVector:
    """A vector as it is kept."""
    row = np.asarray(vector, dtype=np.float64)
    scale = max(float(np.abs(row).max(initial=0.0)), 1e-6) / 127
    coded = base64.b64encode(np.rint(row / scale).astype(np.int8).tobytes()).decode()
    return KeptVector(key=vector_key(embedder, text), scale=scale, numbers=coded)


def numbers(vector: KeptVector) -> list[float]:
    """The vector that was kept."""
    row = np.frombuffer(base64.b64decode(vector.numbers), dtype=np.int8)
    found: list[float] = (row.astype(np.float64) * vector.scale).tolist()
    return found
