"""Progress tells a rate and the time left only when there is something to go by, and its share never goes back."""

from __future__ import annotations

import pytest

from core.corpora.reports import Progress, Tracker


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_left_is_estimated_from_what_is_unread() -> None:
    clock, seen = Clock(), list[Progress]()
    tracker = Tracker(seen.append, files_total=4, bytes_total=400, clock=clock)
    assert (tracker.now.rate, tracker.now.left, tracker.now.share) == (None, None, 0)
    tracker.add_document(chunks=10, size=100)
    tracker.update(files=1)
    assert tracker.now.chunks_expected == 40
    tracker.update(chunks=5, stage="indexing")
    assert (tracker.now.rate, tracker.now.left) == (None, None), "one moment is no rate"
    clock.now = 2
    tracker.update(chunks=9)
    assert tracker.now.rate == pytest.approx(2)
    assert tracker.now.left == pytest.approx(31 / 2)
    assert tracker.now.share == pytest.approx(9 / 40)
    tracker.skip_bytes(100)
    tracker.update(files=2)
    assert tracker.now.chunks_expected == 20, "half of what was read gave nothing"
    tracker.add_document(chunks=50, size=100)
    tracker.update(files=3)
    tracker.add_document(chunks=1, size=100)
    tracker.update(files=4)
    assert tracker.now.all_read
    assert tracker.now.chunks_expected == tracker.now.chunks_total == 61
    clock.now = 4
    tracker.update(chunks=61)
    assert (tracker.now.share, tracker.now.left) == (1, 0)
    assert [item.share for item in seen] == sorted(item.share for item in seen)


def test_a_slow_start_is_forgotten() -> None:
    clock = Clock()
    tracker = Tracker(lambda _: None, files_total=1, bytes_total=1, clock=clock)
    for number in range(1, 40):
        clock.now += 5 if number == 2 else 0.5
        tracker.update(chunks=number * 10)
    assert tracker.now.rate == pytest.approx(20, rel=0.1)


def test_nothing_to_index() -> None:
    tracker = Tracker(lambda _: None, files_total=2, bytes_total=0)
    tracker.skip_bytes(0)
    tracker.update(files=2)
    assert (tracker.now.chunks_expected, tracker.now.share, tracker.now.left) == (0, 0, None)
