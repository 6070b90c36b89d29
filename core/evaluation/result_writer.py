"""Writing what became of the pairs while they are worked on."""

from __future__ import annotations

import asyncio
import time

from core.corpora.writing import uninterrupted
from core.evaluation.evaluation_store import EvaluationStore
from core.evaluation.plan import Pair, Result


class ResultWriter:
    """Writes outcomes as they come; those that come while others are written go together into the next write."""

    def __init__(self, store: EvaluationStore, evaluation: str, writer: str, pace: float) -> None:
        self._store, self._evaluation, self._writer, self._pace = store, evaluation, writer, pace
        self._waiting: dict[Pair, Result | str] = {}
        self._turn = asyncio.Lock()
        self._last = time.monotonic()

    async def add(self, pair: Pair, outcome: Result | str) -> None:
        """Note an outcome; with no pace to keep it is written when this returns."""
        self._waiting[pair] = outcome
        if time.monotonic() - self._last >= self._pace:
            await self.write()

    async def write(self) -> None:
        """Write what waits."""
        self._last = time.monotonic()
        async with self._turn:
            mine, self._waiting = self._waiting, {}
            if mine:
                await uninterrupted(self._store.note, self._evaluation, self._writer, mine)
