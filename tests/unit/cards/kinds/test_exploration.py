"""The picture of a walk through a knowledge graph: what each step chose from, and the newest plan alone."""

from __future__ import annotations

from core.cards.kinds.exploration import SEEN, ways
from core.runs.record import record
from core.trace.artefacts import Candidate, Candidates, Plan
from tests import examples


def test_each_step_shows_what_was_chosen_first() -> None:
    data = ways(record(examples.kg_rag()))
    assert data is not None
    first, second = data["steps"]
    assert (first["text"], first["candidates"]) == ("Full Moon High", [])
    assert [one["chosen"] for one in second["candidates"]] == [True, False]
    assert data["reached"] == "Values found: Larry Cohen."
    assert (data["verdict"], data["word"]) == ("respond", "Enough found: answer")
    assert data["facts"][0]["triple"] == "Full Moon High — director → Larry Cohen"


def test_a_new_plan_begins_with_nothing_explored() -> None:
    events = examples.kg_rag()
    plans = examples.places_of(events, "plan")
    assert ways(record(events[: plans[0] - 1])) is None
    data = ways(record(events[: plans[-1]]))
    assert data is not None
    assert [step["candidates"] for step in data["steps"]] == [[], []]
    assert (data["verdict"], data["given_up"]) == ("", ["The way is wrong."])
    assert data["summary"].endswith("1 plan given up")


def test_of_many_candidates_the_chosen_and_the_best_are_drawn() -> None:
    run = record(examples.kg_rag())
    offered = next(one for one in reversed(run.find(Candidates)))
    many = tuple(
        Candidate(id=str(place), label=f"Node {place}", similarity=1 - place / 20, chosen=place == 9)
        for place in range(12)
    )
    for step in run.steps:
        step.artefacts = [
            one.model_copy(update={"candidates": many, "left_out": 3}) if one is offered else one
            for one in step.artefacts
        ]
    data = ways(run)
    assert data is not None
    drawn = data["steps"][offered.index]
    assert [one["name"] for one in drawn["candidates"]] == ["Node 9", "Node 0", "Node 1", "Node 2"][:SEEN]
    assert drawn["more"] == 12 + 3 - SEEN
    assert run.find(Plan)


def test_lines_lead_only_to_what_goes_on_from_there() -> None:
    labels = (("A ←made— ●", "A —in→ ●"), ("A ←made— —of→ ●", "A —in→ —by→ ●"))
    first, second = (
        Candidates(
            index=place,
            explore="relationships",
            text="",
            score_name="cosine",
            candidates=tuple(
                Candidate(id=label, label=label, similarity=0.5, chosen=True) for label in labels[place]
            ),
        )
        for place in (0, 1)
    )
    run = record(examples.kg_rag())
    plan = run.find(Plan)[-1]
    run.steps[-1].artefacts = [plan, first, second]
    data = ways(run)
    assert data is not None
    drawn = data["steps"][1]["candidates"]
    assert [(one["name"], one["from"]) for one in drawn] == [("—of→", [0]), ("—by→", [1])]
