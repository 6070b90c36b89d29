"""Turns at a model that answers few calls at once: in which order they come, who is told what, who gives up."""

from __future__ import annotations

import asyncio

import pytest

from core.models.turns import Turns, Waiting, turns_of


class Desk:
    """Calls at one model, each of which ends when it is let go."""

    def __init__(self, most: int) -> None:
        self.most, self.turns = most, Turns()
        self.begun: list[str] = []
        self.waited: dict[str, float] = {}
        self.queues: dict[str, list[Waiting]] = {}
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        """Calls come one after the other; the first letter of a name is its owner."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._call(name))
            await asyncio.sleep(0)

    async def _call(self, name: str) -> None:
        waiting = self.queues.setdefault(name, [])
        async with self.turns.turn(self.most, name[0], waiting) as waited:
            self.begun.append(name)
            self.waited[name] = waited
            await self._ends[name].wait()

    async def end(self, name: str) -> None:
        """Let a call end that is under way."""
        self._ends[name].set()
        await self._tasks[name]
        await asyncio.sleep(0)

    async def give_up(self, *names: str) -> None:
        """Stop calls that wait or are under way, all at the same moment."""
        for name in names:
            self._tasks[name].cancel()
        for name in names:
            with pytest.raises(asyncio.CancelledError):
                await self._tasks[name]

    def ahead(self, name: str) -> int | None:
        """The calls that come before one that waits; None: it does not wait."""
        return next((call.ahead for call in self.queues[name]), None)


async def test_owners_take_turns_and_their_calls_keep_their_order() -> None:
    desk = Desk(1)
    await desk.come("a1", "a2", "a3", "b1", "b2", "c1")
    assert desk.begun == ["a1"]
    assert {name: desk.ahead(name) for name in desk.queues} == {
        "a1": None, "a2": 0, "b1": 1, "c1": 2, "a3": 3, "b2": 4
    }  # fmt: skip
    for name in ("a1", "a2", "b1", "c1", "a3", "b2"):
        assert desk.begun[-1] == name
        waiting = sorted(place for other in desk.queues if (place := desk.ahead(other)) is not None)
        assert waiting == list(range(len(waiting)))
        await desk.end(name)
    assert desk.begun == ["a1", "a2", "b1", "c1", "a3", "b2"]
    assert desk.waited["a1"] == 0.0
    assert desk.waited["a2"] > 0.0


async def test_as_many_are_under_way_as_there_may_be() -> None:
    desk = Desk(2)
    await desk.come("a1", "b1", "a2", "b2")
    assert desk.begun == ["a1", "b1"]
    await desk.end("b1")
    assert desk.begun == ["a1", "b1", "a2"]
    await desk.end("a1")
    await desk.end("a2")
    await desk.end("b2")
    await desk.come("c1", "c2", "c3")
    assert desk.begun[-2:] == ["c1", "c2"]


async def test_a_call_that_is_stopped_leaves_its_place_to_the_next() -> None:
    desk = Desk(1)
    await desk.come("a1", "b1", "c1")
    await desk.give_up("b1")
    assert desk.ahead("c1") == 0
    await desk.give_up("a1")
    await asyncio.sleep(0)
    assert desk.begun == ["a1", "c1"]
    await desk.give_up("c1")
    await desk.come("d1")
    assert desk.begun[-1] == "d1"


async def test_a_turn_that_comes_at_the_moment_of_a_stop_is_passed_on() -> None:
    desk = Desk(1)
    await desk.come("a1", "b1", "c1")
    desk._ends["a1"].set()
    await asyncio.sleep(0)
    await desk.give_up("b1", "a1") if not desk._tasks["a1"].done() else await desk.give_up("b1")
    await asyncio.sleep(0)
    assert desk.begun[-1] == "c1"
    await desk.end("c1")
    await desk.come("d1")
    assert desk.begun[-1] == "d1"


async def test_each_model_has_turns_of_its_own() -> None:
    assert turns_of("http://a/v1") is turns_of("http://a/v1") is not turns_of("http://b/v1")
