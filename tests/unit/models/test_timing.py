"""The time of calls that share a machine, and the speed of a model."""

from __future__ import annotations

from core.models.stream_events import CallPart, Piece
from core.models.timing import CallTime, Shared, Speed, speed_of
from core.trace.events import Usage


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_calls_under_way_at_once_share_the_time() -> None:
    clock = Clock()
    shared = Shared(clock)
    with shared.call() as first:
        clock.now += 4  # reads alone
        first.take(Piece("It"))
        clock.now += 2  # writes alone
        with shared.call() as second:
            clock.now += 6  # writes, while the other one reads
            second.take(Piece("So"))
            clock.now += 2  # both write
        clock.now += 1
    assert first.measured(Usage(input=400, output=11)) == CallTime(400, 4, 10, 2 + 3 + 1 + 1)
    assert second.measured(Usage(input=300, output=5)) == CallTime(300, 3, 4, 1)
    assert clock.now - 100 == (4 + 7) + (3 + 1)


def test_a_call_that_has_ended_leaves_the_time_to_the_others() -> None:
    clock = Clock()
    shared = Shared(clock)
    with shared.call() as other:
        with shared.call():
            clock.now += 2
        clock.now += 5
        other.take(Piece("x"))
    assert other.measured(Usage(input=1, output=1)) == CallTime(1, 6, 0, 0)


def test_an_empty_piece_ahead_of_the_first_token_does_not_end_the_reading() -> None:
    clock = Clock()
    with Shared(clock).call() as call:
        call.take(Piece())
        clock.now += 3
        call.take(Piece(calls=(CallPart(0, "a", "search", "{"),)))
        clock.now += 1
    assert call.measured(Usage(input=90, output=8)) == CallTime(90, 3, 7, 1)


def test_a_prompt_that_is_known_already_says_nothing_about_reading() -> None:
    for known, read in ((0, 100), (50, 100), (51, 0)):
        with Shared(Clock()).call() as call:
            call.take(Piece("x", "stop", Usage(), known=known))
        taken = call.measured(Usage(input=100, output=9))
        assert taken is not None
        assert taken.read == read


def test_without_a_count_of_tokens_nothing_is_measured() -> None:
    with Shared(Clock()).call() as call:
        call.take(Piece("x"))
    assert call.measured(Usage()) is None
    assert call.measured(Usage(input=5, output=0)) is None


def test_a_speed_is_the_median_of_what_says_something() -> None:
    calls = [
        CallTime(1000, 10, 20, 4),
        CallTime(1200, 10, 30, 5),
        CallTime(90, 0.1, 40, 5),
        CallTime(0, 0.01, 60, 10),  # known before
        CallTime(20, 5, 2, 9),  # too short
    ]
    assert speed_of(calls) == Speed(120, 6, 4)
    assert speed_of(calls[-1:]) is None
    assert speed_of([]) is None
    assert Speed(100, 8, 1).seconds(1500, 64) == 15 + 8
