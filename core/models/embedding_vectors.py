"""The interface of models that embed texts, precomputed vectors of texts that come with the app and need not wait for a
model, and arithmetic on vectors, one per row."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class Embeddings(Protocol):
    """A model that embeds texts: LangChain's interface, without the quarter of a second that importing it takes."""

    dimensions: int = 0
    """Length of its vectors; 0: not known yet."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text."""

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """One vector per text; a question that needs them never waits behind an ingestion."""
        return self.embed_documents(texts)


def normalise(vectors: ArrayLike) -> NDArray[np.floating[Any]]:
    """The vectors at length 1; a vector of zeros stays as it is."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths))


def cosine_matrix(left: ArrayLike, right: ArrayLike) -> NDArray[np.floating[Any]]:
    """Cosine of every row of `left` (n × d) with every row of `right` (m × d): n × m, from -1 to 1."""
    return (normalise(left) @ normalise(right).T).clip(-1, 1)


def standardise(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values with mean 0 and standard deviation 1; zeros where all are the same."""
    import numpy as np

    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


T = TypeVar("T")

DIGEST = 16
"""Bytes of a text's hash by which its vector is found."""


class PrecomputedEmbeddings(Embeddings):
    """Looks texts up, and asks the model for those that are not known. Thread-safe as far as the model is."""

    def __init__(self, model: Embeddings, known: dict[bytes, NDArray[Any]]) -> None:
        """Take a model, and vectors that it has made: hash of a text -> its vector."""
        self._model, self._known = model, known

    def knows(self, texts: Sequence[str]) -> bool:
        """True if the model need not be asked for any of these texts."""
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


class KeptVectors(Generic[T]):
    """Computes vectors of texts in threads, each text once: several strategies ask the same question, and a fan-out
    repeats it. Those of texts seen lately are kept; a failure is not. Thread-safe."""

    def __init__(
        self,
        compute: Callable[[list[str]], Sequence[T]],
        pool: ThreadPoolExecutor,
        most: int,
        *,
        together: bool = False,
    ) -> None:
        """Keep the results of `most` texts; `compute` gives one per text, in threads of `pool`. `together`: texts that
        come together are computed together, as one request."""
        self.most = most
        self._compute, self._pool, self._together = compute, pool, together
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Future[T]] = OrderedDict()

    def expect(self, texts: Sequence[str]) -> list[Future[T]]:
        """Begin to compute what is not known yet; returns at once."""
        with self._lock:
            known = ((text, self._known.get(text)) for text in dict.fromkeys(texts))
            fresh = [
                text for text, result in known if result is None or (result.done() and result.exception())
            ]
            for group in [fresh] if self._together and fresh else [[text] for text in fresh]:
                # Each text has a result of its own: one that is forgotten holds no memory for others of its group.
                results: list[Future[T]] = [Future() for _ in group]
                self._pool.submit(self._carry_out, group, results)
                self._known.update(zip(group, results, strict=True))
            wanted = [self._known[text] for text in texts]
            for text in texts:
                self._known.move_to_end(text)
            while len(self._known) > self.most:
                self._known.popitem(last=False)
            return wanted

    def _carry_out(self, group: list[str], results: Sequence[Future[T]]) -> None:
        """Compute the results of a group of texts."""
        try:
            computed = list(zip(results, self._compute(group), strict=True))
        except BaseException as error:
            for result in results:
                result.set_exception(error)
            return
        for result, value in computed:
            result.set_result(value)

    async def of(self, texts: Sequence[str]) -> list[T]:
        """The result of each text, in their order; raises what computing them raises."""
        wanted = self.expect(texts)
        for result in wanted:
            if not result.done():
                # Shielded: another run may wait for the same text when this one is stopped.
                await asyncio.shield(asyncio.wrap_future(result))
        return [result.result() for result in wanted]
