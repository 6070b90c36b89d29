"""The moments of a replay."""

from __future__ import annotations

import pytest

from core.cards.replay import count_at, moment_at, moments
from core.runs.record import record
from tests import examples


@pytest.mark.parametrize("name", list(examples.RUNS))
def test_moments_run_from_the_question_to_the_end(name: str) -> None:
    events = examples.RUNS[name]()
    found = moments(events, {})
    assert (found[0].count, found[0].title) == (1, "The question")
    assert found[-1].count == len(events)
    counts = [moment.count for moment in found]
    assert counts == sorted(set(counts))
    for moment in found:
        assert record(events[: moment.count]).started is not None


def test_branches_of_one_layer_are_one_moment() -> None:
    titles = [moment.title for moment in moments(examples.rag_fusion(), {"retrieve": "Retrieve, per query"})]
    assert titles.count("Retrieve, per query begins") == 1
    assert titles.index("Queries") < titles.index("The fused ranking") < titles.index("The answer")


def test_places_are_found_by_time_and_by_count() -> None:
    events = examples.plain()
    found = moments(events, {})
    assert count_at(events, 0.0) >= 1
    assert count_at(events, events[-1].at) == len(events)
    assert [found[moment_at(found, moment.at)].at for moment in found] == [moment.at for moment in found]
    assert moment_at(found, -1.0) == 0
