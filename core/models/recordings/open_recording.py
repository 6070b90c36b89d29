"""A recording at work: what it holds is used, and what it lacks may be kept; thread-safe.

The keys of what it holds are hashes of what was asked, never of who answered, when, or with which API key. No key
hangs on code: a schema counts by its wire form, which has no class names and no docstrings. The keys of replies have a
version, `VERSION`; a recording from before it is re-keyed reply by reply, each when it is first asked for.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from core.models.embedding_vectors import Embeddings
from core.models.recordings.items import Kept, KeptRanking, KeptReply, KeptVector, Recording
from core.models.wire_schema import wire_schema
from core.trace.events import Message

if TYPE_CHECKING:
    from core.models.recordings.store import RecordingStore

VERSION = 2
"""Of the keys of replies; raised when the same prompt gets another key."""


def digest(*parts: Any) -> str:
    """A hash of values that JSON can hold: 32 hexadecimal digits."""
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def prompt_digest(
    messages: Sequence[Message], form: type[BaseModel] | None, tools: Sequence[dict[str, Any]]
) -> str:
    """The same for the same messages, schema of the reply (None: free text) and tools, as the skill wrote them, before
    an endpoint's ways are taken into account."""
    schema = wire_schema(form) if form else None
    return digest(VERSION, _turns(messages), schema, list(tools))


def former_digest(
    messages: Sequence[Message], form: type[BaseModel] | None, tools: Sequence[dict[str, Any]], prompt: str
) -> str:
    """The digest of version 1, which held the schema with the names and docstrings that its classes had then.

    `prompt`, a key as of `core.skills.base.prompt_key`, tells which schema was sent. Empty where that is not known.
    """
    schema = _former_schemas().get(prompt) if form else None
    return "" if form and schema is None else digest(_turns(messages), schema, list(tools))


def _turns(messages: Sequence[Message]) -> list[list[str]]:
    return [[message.role, message.content] for message in messages]


@cache
def _former_schemas() -> dict[str, Any]:
    """Prompt key -> schema, as version 1 hashed it; frozen, whatever becomes of the classes."""
    text = (resources.files("core.models.recordings") / "former_schemas.json").read_text(encoding="utf-8")
    schemas: dict[str, Any] = json.loads(text)
    return schemas


def reply_key(prompt: str, number: int) -> str:
    """Key of a reply to a prompt (see `prompt_digest`) that had been asked so often before in the run, from 0."""
    return digest("reply", prompt, number)


def vector_key(embedder: str, text: str) -> str:
    """Key of the vector of a text by the embedding model with this key."""
    return digest("vector", embedder, text)


T = TypeVar("T", bound=Kept)


@dataclass(frozen=True)
class OpenRecording:
    """A recording at work, shared by runs: it plays, and keeps where it may. Calls block for a moment; from a
    coroutine, use a thread."""

    store: RecordingStore
    recording: Recording
    keeps: bool
    """Whether what it lacks is kept."""
    limit: int
    """Bytes that it may have."""

    def reply(self, key: str) -> KeptReply | None:
        """Return the reply under a key, see `reply_key`; None: there is none."""
        return self.store.item(self.recording.id, KeptReply, key)

    def rekeyed(self, former: str, key: str) -> KeptReply | None:
        """Return the reply under its key in an earlier version, from now on under this `key`; None: there is none."""
        self.store.rekey(self.recording.id, former, key)
        return self.reply(key)  # another run may have been quicker

    def rankings(self, keys: Sequence[str]) -> dict[str, KeptRanking]:
        """The rankings under these keys, as far as they are known."""
        return self.store.items(self.recording.id, KeptRanking, keys)

    def keep(self, items: Sequence[T], *, soon: bool = True) -> list[T]:
        """Keep items, if it keeps; see `RecordingStore.keep`. Not `soon`: what is paid for, and must not be lost."""
        if not self.keeps:
            return list(items)
        return self.store.keep(self.recording.id, items, self.limit, soon=soon)

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, list[float]]:
        """The vectors of texts by the embedding model with this key, as far as they are known."""
        keys = {vector_key(embedder, text): text for text in texts}
        vectors = self.store.items(self.recording.id, KeptVector, list(keys))
        return {keys[key]: numbers(vector) for key, vector in vectors.items()}

    def keep_vectors(
        self, embedder: str, texts: Sequence[str], vectors: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Keep vectors; as they are kept, rounded, so that what is computed with them now and later is the same."""
        mine = [kept_vector(embedder, text, vector) for text, vector in zip(texts, vectors, strict=True)]
        first = [numbers(vector) for vector in self.keep(mine)]
        return [
            recorded if len(recorded) == len(vector) else numbers(own)
            for recorded, vector, own in zip(first, vectors, mine, strict=True)
        ]


class RecordedEmbeddings(Embeddings):
    """An embedding model whose vectors are kept: one that a recording holds is not computed again."""

    def __init__(self, model: Embeddings, key: str, recorded: OpenRecording) -> None:
        """Take a model, which embeds what the recording does not hold, and its key."""
        self._model, self._key, self._recorded = model, key, recorded

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, in their order."""
        return self._embed(texts, self._model.embed_documents)

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self._embed([text], lambda _: [self._model.embed_query(text)])[0]

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """See `embed_documents`."""
        return self._embed(texts, self._model.embed_queries)

    def _embed(self, texts: list[str], embed: Callable[[list[str]], list[list[float]]]) -> list[list[float]]:
        wanted = list(dict.fromkeys(texts))
        known = self._recorded.vectors(self._key, wanted)
        if size := self._model.dimensions:  # others are of no use, wherever they come from
            known = {text: vector for text, vector in known.items() if len(vector) == size}
        if new := [text for text in wanted if text not in known]:
            computed = embed(new)
            if self._recorded.keeps:
                computed = self._recorded.keep_vectors(self._key, new, computed)
            known |= dict(zip(new, computed, strict=True))
        return [known[text] for text in texts]


def kept_vector(embedder: str, text: str, vector: Sequence[float]) -> KeptVector:
    """A vector as it is kept."""
    import numpy as np

    row = np.asarray(vector, dtype=np.float64)
    scale = max(float(np.abs(row).max(initial=0.0)), 1e-6) / 127
    coded = base64.b64encode(np.rint(row / scale).astype(np.int8).tobytes()).decode()
    return KeptVector(key=vector_key(embedder, text), scale=scale, numbers=coded)


def numbers(vector: KeptVector) -> list[float]:
    """The vector that was kept."""
    import numpy as np

    row = np.frombuffer(base64.b64decode(vector.numbers), dtype=np.int8)
    decoded: list[float] = (row.astype(np.float64) * vector.scale).tolist()
    return decoded
