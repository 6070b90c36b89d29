"""Calls that wait for a model that answers few at once: their order, their places, and those that are stopped."""

from __future__ import annotations

import asyncio

import pytest

from core.models.turns import Line, line_for


class Desk:
    """Calls of one model, each of which ends when it is let go."""

    def __init__(self, most: int) -> None:
        self.line = Line(most)
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        """Calls come one after the other; the first letter of a name is its caller."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._call(name))
            await asyncio.sleep(0)

    async def _call(self, name: str) -> None:
        async with self.line.turn(name[0]):
            self.begun.append(name)
            await self._ends[name].wait()

    async def end(self, name: str) -> None:
        """Let a call end that is under way."""
        self._ends[name].set()
        await self._tasks[name]
        await asyncio.sleep(0)

    async def stop(self, *names: str) -> None:
        """Stop calls that wait or are under way."""
        for name in names:
            self._tasks[name].cancel()
        for name in names:
            with pytest.raises(asyncio.CancelledError):
                await self._tasks[name]
        await asyncio.sleep(0)


async def test_first_come_first_served_and_each_knows_its_place() -> None:
    desk = Desk(2)
    await desk.come("a1", "b1", "c1", "a2", "c2", "d1")
    assert desk.begun == ["a1", "b1"]
    assert [desk.line.ahead(caller) for caller in "abcd"] == [1, None, 0, 3]
    await desk.end("b1")
    assert [desk.line.ahead(caller) for caller in "abcd"] == [0, None, 1, 2]
    for name in ("a1", "c1", "a2"):
        await desk.end(name)
    assert desk.begun == ["a1", "b1", "c1", "a2", "c2", "d1"]
    assert [desk.line.ahead(caller) for caller in "abcd"] == [None] * 4


async def test_a_call_that_is_stopped_leaves_its_place_to_the_next() -> None:
    desk = Desk(1)
    await desk.come("a1", "b1", "c1", "d1")
    await desk.stop("b1")
    assert desk.line.ahead("c") == 0
    await desk.stop("a1", "c1")
    assert desk.begun[-1] == "d1"


async def test_each_model_has_a_line_of_its_own() -> None:
    assert line_for("http://a/v1", 2) is line_for("http://a/v1", 2) is not line_for("http://b/v1", 2)
