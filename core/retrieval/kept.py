"""What is made from all chunks of a corpus, kept in memory until the corpus changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from core.retrieval.corpus import SearchableCorpus, Snapshot
from core.trace.passages import Passage

T = TypeVar("T")

CORPORA = 8
"""Corpora for which something stays in memory."""


class _Slot(Generic[T]):
    """What one corpus has, with the lock for making it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: tuple[tuple[int, str], T] | None = None
        """The version of the corpus with the mark of what else counts, and what was made of it."""


class Kept(Generic[T]):
    """One thing per corpus, made when first needed and again when the corpus has changed. Thread-safe."""

    def __init__(
        self,
        make: Callable[[SearchableCorpus, Snapshot], T],
        mark: Callable[[SearchableCorpus], str] = lambda corpus: "",
    ) -> None:
        """
        Args:
            make: Makes it from the documents of a snapshot; it may take long.
            mark: Of whatever else it is made from: another one when that has changed. Asked each time.
        """
        self._make = make
        self._mark = mark
        self._slots: OrderedDict[str, _Slot[T]] = OrderedDict()
        self._lock = threading.Lock()
        """Guards `_slots` alone, so that making something for a large corpus does not block searches in others."""

    def of(self, corpus: SearchableCorpus, snapshot: Snapshot | None = None) -> T:
        """What a corpus has in its present version, or in that of a snapshot. Blocks while it is made.

        Raises:
            ServiceError, StoreError: Chroma or the catalogue fails.
        """
        slot = self._slot(corpus.chunks.name)
        with slot.lock:  # queries of one run arrive together: the first makes it, the others wait
            wanted = snapshot or corpus.snapshot()
            state = wanted.version, self._mark(corpus)  # first: what changes meanwhile is seen the next time
            if slot.made is None or slot.made[0] != state:
                slot.made = state, self._make(corpus, wanted)
            return slot.made[1]

    def _slot(self, key: str) -> _Slot[T]:
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > CORPORA:
                self._slots.popitem(last=False)
            return slot


def _passages(corpus: SearchableCorpus, snapshot: Snapshot) -> list[Passage]:
    return corpus.chunks.passages(snapshot.documents)


PASSAGES: Kept[list[Passage]] = Kept(_passages)
"""All chunks of a corpus, by document and position."""
