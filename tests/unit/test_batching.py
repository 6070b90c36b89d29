"""Calls that are made as one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from core.batching import Batcher


def test_what_is_asked_in_one_turn_is_answered_together_and_in_its_order() -> None:
    batches: list[list[int]] = []

    async def squares(numbers: list[int]) -> list[int]:
        batches.append(numbers)
        await asyncio.sleep(0)
        return [number**2 for number in numbers]

    async def all_of_them() -> list[int]:
        together = Batcher(squares)
        first = await asyncio.gather(*(together(number) for number in (3, 1, 2)))
        return [*first, await together(5)]

    assert asyncio.run(all_of_them()) == [9, 1, 4, 25]
    assert batches == [[3, 1, 2], [5]]


def test_everybody_who_waits_hears_what_went_wrong_and_the_next_call_is_a_new_one() -> None:
    async def fails(asked: list[str]) -> list[str]:
        if "bad" in asked:
            raise ValueError("bad")
        return asked

    async def two_and_one() -> tuple[Sequence[object], str]:
        together = Batcher(fails)
        both = await asyncio.gather(together("good"), together("bad"), return_exceptions=True)
        return both, await together("good")

    both, later = asyncio.run(two_and_one())
    assert [type(one) for one in both] == [ValueError, ValueError]
    assert later == "good"


def test_who_stops_waiting_takes_nothing_from_the_others() -> None:
    async def slow(asked: list[str]) -> list[str]:
        await asyncio.sleep(0.01)
        return asked

    async def one_stops() -> str:
        together = Batcher(slow)
        stopped, stays = asyncio.create_task(together("a")), asyncio.create_task(together("b"))
        await asyncio.sleep(0)
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        return await stays

    assert asyncio.run(one_stops()) == "b"


def test_what_is_asked_during_a_call_waits_for_the_next_one_and_is_one_with_all_that_waits() -> None:
    batches: list[list[int]] = []

    async def slow(numbers: list[int]) -> list[int]:
        batches.append(numbers)
        await go.wait()
        return numbers

    async def ask() -> list[int]:
        together = Batcher(slow, one_at_a_time=True)
        asked = [asyncio.create_task(together(0))]
        while not batches:
            await asyncio.sleep(0)
        for number in (1, 2, 3):
            asked.append(asyncio.create_task(together(number)))
            await asyncio.sleep(0)
        go.set()
        return await asyncio.gather(*asked)

    go = asyncio.Event()
    assert asyncio.run(ask()) == [0, 1, 2, 3]
    assert batches == [[0], [1, 2, 3]]
