"""The vectors of the tokens of texts, by the built-in encoder; those of texts seen lately are kept."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from core.models.builtin_embeddings import WORKERS, token_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float16]

KEPT_TEXTS = 500
"""A text of 150 tokens takes 115 kB."""


class TokenVectors:
    """Half-precision vectors of length 1, one per token. Thread-safe; a text that two ask for is computed once."""

    def __init__(self, kept: int = KEPT_TEXTS) -> None:
        self.kept = kept
        """Most texts whose vectors are kept."""
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="rag-loupe-tokens")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Future[Vectors]] = OrderedDict()

    async def of(self, texts: Sequence[str]) -> list[Vectors]:
        """The vectors of each text, in their order.

        Raises:
            ModelError: The built-in encoder is not installed.
        """
        work = self._expect(texts)
        # Shielded: another run may wait for the same text when this one is stopped.
        return list(await asyncio.gather(*(asyncio.shield(asyncio.wrap_future(one)) for one in work)))

    def _expect(self, texts: Sequence[str]) -> list[Future[Vectors]]:
        with self._lock:
            found = [self._good(text) or self._begin(text) for text in texts]
            for text in texts:
                self._known.move_to_end(text)
            while len(self._known) > self.kept:
                self._known.popitem(last=False)
            return found

    def _good(self, text: str) -> Future[Vectors] | None:
        """What is known of a text, or on its way; a failure is not kept."""
        known = self._known.get(text)
        return None if known is None or (known.done() and known.exception()) else known

    def _begin(self, text: str) -> Future[Vectors]:
        self._known[text] = self._pool.submit(_vectors, text)
        return self._known[text]


@cache
def kept_token_vectors() -> TokenVectors:
    """Those of this process."""
    return TokenVectors()


def _vectors(text: str) -> Vectors:
    import numpy as np

    return token_vectors(text)[0].astype(np.float16)
