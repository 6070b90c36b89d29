"""Things made from all chunks of a corpus, kept in memory until the corpus changes; and the making of them, in words,
for anyone who waits."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:  # whether somebody waits is asked before any database is needed
    from core.retrieval.corpus import SearchableCorpus, Snapshot
    from core.trace.passages import Passage


T = TypeVar("T")

CORPORA = 8
"""Corpora for which something stays in memory."""
PASSAGES_IN_ALL = 200_000
"""Passages of these, which take about a gigabyte with keyword index and links. One corpus stays, however large."""

_UNDER_WAY: dict[tuple[str, str], None] = {}
"""Name of a corpus, and what is done, in the order in which that began."""


def work_under_way(corpus: str | None) -> str:
    """Return the work on the corpus of this name before it can be searched, in words: what began last; empty: none."""
    return next((what for name, what in reversed(list(_UNDER_WAY)) if name == corpus), "")


@contextmanager
def announce(corpus: str, what: str) -> Iterator[None]:
    """Have `work_under_way` say this, as long as it is done; one thread at a time does the same with a corpus."""
    _UNDER_WAY[corpus, what] = None
    try:
        yield
    finally:
        _UNDER_WAY.pop((corpus, what), None)


class _Slot(Generic[T]):
    """The value of one corpus, with the lock for making it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.value: tuple[tuple[int, str], T] | None = None
        """The version of the corpus with the mark of what else counts, and what was made of it."""


class CorpusCache(Generic[T]):
    """One thing per corpus, made when first needed and again when the corpus has changed. Thread-safe."""

    def __init__(
        self,
        make: Callable[[SearchableCorpus, Snapshot], T],
        size: Callable[[T], int],
        mark: Callable[[SearchableCorpus], str] = lambda corpus: "",
        *,
        doing: str = "",
    ) -> None:
        """
        Args:
            make: Makes it from the documents of a snapshot; it may take long.
            size: How many passages it is made of.
            mark: Of whatever else it is made from: another one when that has changed. Asked each time.
            doing: What is done while it is made, in words, for anyone who waits.
        """
        self._make = make
        self._size = size
        self._mark = mark
        self._doing = doing
        self._slots: OrderedDict[str, _Slot[T]] = OrderedDict()
        self._lock = threading.Lock()
        """Guards `_slots` alone, so that making something for a large corpus does not block searches in others."""

    def of(self, corpus: SearchableCorpus, snapshot: Snapshot | None = None) -> T:
        """Return the value of a corpus in its present version, or in that of a snapshot. Blocks while it is made."""
        slot = self._slot(corpus.chunks.name)
        with slot.lock:  # queries of one run arrive together: the first makes it, the others wait
            wanted = snapshot or corpus.snapshot()
            state = wanted.version, self._mark(corpus)  # first: what changes meanwhile is seen the next time
            if slot.value is None or slot.value[0] != state:
                with announce(corpus.corpus.name, self._doing):
                    slot.value = state, self._make(corpus, wanted)
                self._make_room(slot)
            return slot.value[1]

    def _slot(self, key: str) -> _Slot[T]:
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > CORPORA:
                self._slots.popitem(last=False)
            return slot

    def _make_room(self, latest: _Slot[T]) -> None:
        """Forget what was not asked for longest, as long as there is too much, but for one."""
        with self._lock:
            sizes = {key: self._size(slot.value[1]) for key, slot in self._slots.items() if slot.value}
            for key in [key for key in sizes if self._slots[key] is not latest]:
                if sum(sizes.values()) <= PASSAGES_IN_ALL:
                    break
                del self._slots[key], sizes[key]


PASSAGES: CorpusCache[list[Passage]] = CorpusCache(
    lambda corpus, snapshot: corpus.chunks.passages(snapshot.documents),
    len,
    doing="reading all passages, once",
)
"""All chunks of a corpus, by document and position."""
