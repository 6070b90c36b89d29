"""What was expected of the steps of a run, beside what came."""

from __future__ import annotations

from core.cards.expected import expected, next_layer
from core.cards.status import stopped_before
from core.runs.record import record
from core.strategies import node_titles, strategies
from tests import examples


def test_guesses_stand_beside_what_came_once_their_steps_are_done() -> None:
    events = examples.paused()
    run = record(events)
    titles = node_titles(run.started)
    guesses = {0: "  Five queries ", 1: "", 3: "An answer"}
    assert next_layer(run) == 3
    (one,) = expected(run, titles, lambda layer: guesses.get(layer, ""))
    assert (one.title, one.guess) == (titles["queries"], "Five queries")
    assert one.came.startswith("The question becomes")
    assert expected(record(events[:1]), titles, lambda _: "Anything") == []


def test_a_stop_names_what_comes_and_how_much_at_once() -> None:
    run = record(examples.paused())
    assert stopped_before(run, {"answer": "Answer"}) == "Stopped before “Answer”"
    run.next = ("retrieve",) * 3
    assert stopped_before(run, {"retrieve": "Retrieve"}) == "Stopped before “Retrieve” (3 at once)"
    run.next = ("a", "b")
    assert stopped_before(run, {}) == "Stopped before “a” and “b” (2 at once)"


def test_every_step_says_what_it_does_in_a_sentence() -> None:
    for key, strategy in strategies().items():
        diagram = strategy.diagram()
        assert diagram.does.keys() == diagram.steps.keys(), key
        assert all(text[0].isupper() and text[-1] in ".?" for text in diagram.does.values()), key
