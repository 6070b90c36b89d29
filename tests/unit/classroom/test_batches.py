"""Values that many threads write at once."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.classroom.batches import Batches


class Writer:
    """Takes even numbers; its first call waits until all but one of the values wait for it."""

    def __init__(self, *, broken: bool = False) -> None:
        self.calls: list[Mapping[int, int]] = []
        self.begun, self.go_on, self.broken = threading.Event(), threading.Event(), broken

    def write(self, values: Mapping[int, int]) -> Collection[int]:
        self.calls.append(values)
        self.begun.set()
        self.go_on.wait()
        if self.broken:
            raise ValueError("full")
        return {key for key, value in values.items() if value % 2 == 0}


def put_all(writer: Writer, count: int) -> list[bool | BaseException | None]:
    """One value first, the others while it is written: what became of each."""
    batches = Batches(writer.write)
    with ThreadPoolExecutor(count) as threads:
        jobs = [threads.submit(batches.put, 0, 0)]
        writer.begun.wait()
        jobs += [threads.submit(batches.put, number, number) for number in range(1, count)]
        while len(batches._waiting) < count - 1:
            threading.Event().wait(0.01)
        writer.go_on.set()
        return [job.exception() or job.result() for job in jobs]


def test_what_comes_while_others_are_written_is_written_by_one_call() -> None:
    writer = Writer()
    assert put_all(writer, 9) == [number % 2 == 0 for number in range(9)]
    assert writer.calls == [{0: 0}, {number: number for number in range(1, 9)}]


def test_a_failure_is_that_of_all_it_befell() -> None:
    writer = Writer(broken=True)
    assert [str(error) for error in put_all(writer, 4)] == ["full"] * 4
    assert len(writer.calls) == 2


def test_what_follows_a_failure_is_written() -> None:
    writer = Writer(broken=True)
    writer.go_on.set()
    batches = Batches(writer.write)
    with pytest.raises(ValueError, match="full"):
        batches.put(2, 2)
    writer.broken = False
    assert batches.put(2, 2)
    assert not batches.put(3, 3)
