"""Calls that arrive together, as those of the branches of a fan-out do, are made as one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Found = TypeVar("Found")


class Batcher(Generic[Asked, Found]):
    """Collects what is asked in the same turn of the event loop; to be used on one loop."""

    def __init__(self, answer: Callable[[list[Asked]], Awaitable[Sequence[Found]]]) -> None:
        """
        Args:
            answer: Answers several at once, in their order; what it raises, everybody hears who waits for it.
        """
        self._answer = answer
        self._waiting: list[tuple[Asked, asyncio.Future[Found]]] = []
        self._under_way: set[asyncio.Task[None]] = set()

    async def __call__(self, asked: Asked) -> Found:
        """The answer to one."""
        mine: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, mine))
        if len(self._waiting) == 1:
            task = asyncio.create_task(self._answer_all())
            self._under_way.add(task)  # the event loop itself does not hold on to a task
            task.add_done_callback(self._under_way.discard)
        return await mine

    async def _answer_all(self) -> None:
        await asyncio.sleep(0)  # tasks that start together are waiting by then
        batch, self._waiting = self._waiting, []
        waiting = [future for _, future in batch]
        try:
            results = await self._answer([asked for asked, _ in batch])
        except Exception as error:  # everybody who waits has to hear of it
            for future in waiting:
                if not future.done():
                    future.set_exception(error)
            return
        for future, found in zip(waiting, results, strict=True):
            if not future.done():  # a stopped run waits no longer
                future.set_result(found)
