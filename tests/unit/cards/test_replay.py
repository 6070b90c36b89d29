"""The scenes of a replay."""

from __future__ import annotations

from core.cards.replay import QUESTION, takes
from core.runs.record import record
from core.trace.events import Event, ModelFinished, RunFinished, RunResumed, StepStarted
from tests import examples
from tests.cases import cases


@cases("name", list(examples.RUNS))
def test_scenes_run_from_the_question_to_the_end(name: str) -> None:
    events = examples.RUNS[name]()
    found = takes(events, {})
    first = next(number for number, event in enumerate(events) if isinstance(event, StepStarted))
    assert (found[0].count, found[0].title, found[0].steps) == (first, QUESTION, ())
    assert found[-1].count == len(events)
    counts = [take.count for take in found]
    assert counts == sorted(set(counts))
    steps = [step for take in found for step in take.steps]
    assert steps == [step.id for step in record(events).steps]


@cases("name", list(examples.RUNS))
def test_at_a_scene_its_steps_have_ended_and_the_next_have_not_begun(name: str) -> None:
    events = examples.RUNS[name]()
    begun: set[str] = set()
    for take in takes(events, {}):
        begun |= set(take.steps)
        run = record(events[: take.count])
        assert {step.id for step in run.steps} == begun
        assert all(step.end is not None for step in run.steps)


def test_branches_of_one_layer_are_one_scene() -> None:
    titles = {
        "queries": "Write queries",
        "retrieve": "Retrieve, per query",
        "fuse": "Fuse",
        "answer": "Answer",
    }
    found = takes(examples.rag_fusion(), titles)
    assert [take.title for take in found] == [QUESTION, *titles.values()]
    assert [len(take.steps) for take in found] == [0, 1, 5, 1, 1]


def test_calls_and_tokens_are_no_scenes_and_time_is_only_a_number() -> None:
    fast = examples.rag_fusion()
    slow = [event.model_copy(update={"at": event.at * 100}) for event in fast]
    found, later = takes(fast, {}), takes(slow, {})
    assert [take.count for take in found] == [take.count for take in later]
    assert found[1].took == "0.84 s, written by the model"
    assert found[2].took == "0.14 s, no model call"
    assert later[1].took == "84.00 s, written by the model"


def test_who_worked_is_told() -> None:
    events = examples.rag_fusion()
    events[0] = events[0].model_copy(update={"builtin": True})
    assert takes(events, {})[1].took.endswith("written by the built-in model")
    played = [
        event.model_copy(update={"recorded": "Class"}) if isinstance(event, ModelFinished) else event
        for event in examples.rag_fusion()
    ]
    assert takes(played, {})[1].took.endswith("a recorded reply")
    assert "3 calls of the model" in takes(examples.self_rag(), {})[1].took
    assert takes(examples.forked(), {})[1].took == "taken over from the run before the change"


def test_a_step_that_made_nothing_belongs_to_the_next_scene() -> None:
    script = examples.Script()
    script.start("agentic")
    for layer, (node, makes) in enumerate([("update", False), ("choose", False), ("run", True)]):
        script.step(f"s-{node}", node, layer)
        if makes:
            script.make(f"s-{node}", examples.TOOL_CALL)
        script.done(f"s-{node}")
    script.add(RunFinished(), after=0.01)
    found = takes(script.events, {"run": "Run the tools"})
    assert [(take.title, len(take.steps)) for take in found] == [(QUESTION, 0), ("Run the tools", 3)]


def test_a_run_that_has_only_begun_is_its_question() -> None:
    events = examples.plain()
    assert [take.count for take in takes(events[:1], {})] == [1]
    ended: list[Event] = [events[0], RunFinished(seq=1, at=0.1)]
    assert [take.count for take in takes(ended, {})] == [1, 2]


def test_what_a_resumed_run_began_anew_counts_once() -> None:
    events = examples.plain()
    last = max(place for place, event in enumerate(events) if isinstance(event, StepStarted))
    resumed = RunResumed(chat_model="m", builtin=False, at=events[last].at)
    again = [*events[: last + 1], resumed, *events[last:]]
    found = takes(again, {})
    assert [len(take.steps) for take in found] == [0, 1, 1]
    assert [take.count for take in found] == [1, last + 2, len(again)]
