"""Writing the outcomes of pairs while an evaluation runs."""

from __future__ import annotations

import asyncio
import time

from core.corpora.writing import uninterrupted
from core.evaluation.evaluation_store import EvaluationStore
from core.evaluation.plan import Pair, Result


class ResultWriter:
    """Writes outcomes as they come; outcomes that come during a write go together into the next write."""

    def __init__(self, store: EvaluationStore, evaluation: str, writer: str, pause: float) -> None:
        self._store, self._evaluation, self._writer, self._pause = store, evaluation, writer, pause
        self._waiting: dict[Pair, Result | str] = {}
        self._turn = asyncio.Lock()
        self._last = time.monotonic()

    async def add(self, pair: Pair, outcome: Result | str) -> None:
        """Take an outcome; without a pause between writes it is written when this returns."""
        self._waiting[pair] = outcome
        if time.monotonic() - self._last >= self._pause:
            await self.write()

    async def write(self) -> None:
        """Write the waiting outcomes."""
        self._last = time.monotonic()
        async with self._turn:
            mine, self._waiting = self._waiting, {}
            if mine:
                await uninterrupted(self._store.note, self._evaluation, self._writer, mine)
