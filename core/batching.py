"""Requests that come together and are answered by one call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import Generic, TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")


class Batcher(Generic[Request, Result]):
    """Collects what is asked in the same turn of the event loop; to be used on one loop."""

    def __init__(
        self, answer: Callable[[list[Request]], Awaitable[Sequence[Result]]], *, one_at_a_time: bool = False
    ) -> None:
        """
        Args:
            answer: Answers several requests, in their order; what it raises, all who wait for it hear.
            one_at_a_time: True if what is asked during a call waits for the next one, all of it together: the longer
                calls take, the more they answer.
        """
        self._answer = answer
        self._waiting: list[tuple[Request, asyncio.Future[Result]]] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock() if one_at_a_time else nullcontext()

    async def __call__(self, request: Request) -> Result:
        """Return the answer to a request."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if len(self._waiting) == 1:
            task = asyncio.create_task(self._answer_all())
            self._under_way.add(task)  # the event loop itself does not hold on to a task
            task.add_done_callback(self._under_way.discard)
        return await future

    async def _answer_all(self) -> None:
        async with self._turn:
            await asyncio.sleep(0)  # tasks that start together are waiting by then
            batch, self._waiting = self._waiting, []
            waiting = [future for _, future in batch]
            try:
                results = await self._answer([request for request, _ in batch])
            except Exception as error:  # everybody who waits has to hear of it
                for future in waiting:
                    if not future.done():
                        future.set_exception(error)
                return
        for future, result in zip(waiting, results, strict=True):
            if not future.done():  # a stopped run waits no longer
                future.set_result(result)
