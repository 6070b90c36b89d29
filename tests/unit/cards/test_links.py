"""The picture of a decomposition: every link from the start, filled one by one, with what it knew and found."""

from __future__ import annotations

from typing import Any

from core.cards.links import APART, IN_TURN, links, reading
from core.runs.record import Record, record
from core.trace.artefacts import SubQuestions
from core.trace.events import RunStarted
from tests import examples
from tests.unit.cards.test_chain import chain_run


def drawn(count: int | None = None) -> tuple[Record, dict[str, Any]]:
    made = record(chain_run()[:count])
    data = links(made)
    assert data is not None
    return made, data


def test_links_are_there_before_their_answers() -> None:
    events = chain_run()
    begun = next(place for place, event in enumerate(events) if event.type == "step_finished")
    _, data = drawn(begun)
    assert [(link["question"], link["state"], link["told"]) for link in data["links"]] == [
        ("Who directed it?", "Waiting", "Nothing is searched yet."),
        ("When was he born?", "Waiting", "Nothing is searched yet."),
    ]
    assert (data["ending"], data["answer"], data["running"]) == ("", "", True)


def test_a_link_says_what_it_knew_found_and_cited() -> None:
    _, data = drawn()
    assert data["links"][1]["told"] == "Knew 1 earlier answer; 1 passage, 1 cited."
    assert data["summary"] == "2 of 2 answered"
    assert {link["state"] for link in data["links"]} == {""}


def test_what_was_never_answered_says_so() -> None:
    made, _ = drawn(len(chain_run()) - 3)
    made.state = "stopped"
    data = links(made)
    assert data is not None
    assert [link["state"] for link in data["links"]] == ["Not answered", ""]


def test_only_one_strategy_has_sub_questions_that_do_not_know_of_one_another() -> None:
    made, data = drawn()
    assert not data["in_turn"]
    assert reading(made).startswith(APART)
    made.started = made.started and made.started.model_copy(update={"strategy": "least-to-most"})
    assert isinstance(made.started, RunStarted)
    assert reading(made).startswith(IN_TURN)


def test_sub_questions_for_tools_are_no_chain() -> None:
    assert links(record(examples.agentic())) is None
    assert SubQuestions(questions=("Who?",), by_tools=True).by_tools
