"""The fold of events into a record, at every moment of a run."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import cast

from core.cards.status import totals_view
from core.runs.record import Record
from core.runs.record import record as fold
from core.trace.artefacts import Answer
from core.trace.events import (
    EACH_STEP,
    ArtefactMade,
    BaseEvent,
    Event,
    ModelFailed,
    ModelFinished,
    ModelStarted,
    Retried,
    RunFailed,
    RunFinished,
    RunResumed,
    RunStarted,
    RunStopped,
    StepFinished,
    StepStarted,
    Token,
    Usage,
    dump,
    load,
)
from tests import examples


def record(events: Iterable[BaseEvent]) -> Record:
    return fold(cast("list[Event]", list(events)))


def started() -> RunStarted:
    return RunStarted(
        run="r", created=datetime(2026, 1, 1, tzinfo=UTC), question="q", strategy="plain", params={}, chat_model="m",
        builtin=False,
    )  # fmt: skip


def call(name: str, step: str, at: float) -> ModelStarted:
    return ModelStarted(step=step, at=at, call=name, skill="s", method="model", model="m", messages=())


def done(name: str, step: str, at: float, tokens: int | None = 5) -> ModelFinished:
    return ModelFinished(
        step=step, at=at, call=name, output="o", usage=Usage(input=tokens, output=tokens), seconds=1.0
    )


def step(name: str, layer: int, at: float) -> StepStarted:
    return StepStarted(step=name, node=name, layer=layer, at=at)


def test_parallel_branches_count_as_one_round_and_overlapping_time_once() -> None:
    run = record(
        [
            started(),
            step("a", 0, 0.0), call("1", "a", 0.0), done("1", "a", 1.0), StepFinished(step="a", at=1.0),
            step("b", 1, 1.0), step("c", 1, 1.0), call("2", "b", 1.0), call("3", "c", 1.0),
            done("2", "b", 2.0), done("3", "c", 2.5), StepFinished(step="b", at=2.0), StepFinished(step="c", at=2.5),
            RunFinished(at=3.0),
        ]
    )  # fmt: skip
    totals = run.totals
    assert (totals.calls, totals.rounds) == (3, 2)
    assert totals.model_seconds == 2.5
    assert totals.seconds == 3.0
    assert (totals.tokens_in, totals.tokens_out, totals.tokens_known) == (15, 15, True)


def test_calls_one_after_another_inside_a_step_are_rounds() -> None:
    run = record(
        [started(), step("a", 0, 0.0), call("1", "a", 0.0), done("1", "a", 1.0), call("2", "a", 1.0),
         call("3", "a", 1.0),
         done("2", "a", 2.0), done("3", "a", 2.0)]
    )  # fmt: skip
    assert run.totals.rounds == 2


def test_calls_that_waited_only_for_their_turn_at_the_model_are_one_round() -> None:
    later = call("2", "a", 1.0).model_copy(update={"waited": 1.0})
    run = record(
        [started(), step("a", 0, 0.0), call("1", "a", 0.0), done("1", "a", 1.0), later, done("2", "a", 2.0)]
    )
    assert run.totals.rounds == 1


def test_a_call_without_a_count_is_not_counted_as_zero_silently() -> None:
    run = record([started(), step("a", 0, 0), call("1", "a", 0), done("1", "a", 1.0, tokens=None)])
    assert run.totals.tokens_known is False


def test_what_a_call_cost_that_a_stop_cut_off_is_unknown() -> None:
    events = [started(), step("a", 0, 0), call("1", "a", 0), done("1", "a", 1.0), call("2", "a", 1.0)]
    assert record(events).totals.tokens_known is True
    stopped = record([*events, RunStopped(reason="Stopped.", at=1.5)])
    assert stopped.totals.tokens_known is False
    assert {figure.label: figure.value for figure in totals_view(stopped)}["Tokens"] == "≥ 10"


def test_tokens_of_a_failed_call_are_void() -> None:
    events = [
        started(), step("a", 0, 0), call("1", "a", 0), Token(step="a", at=1, call="1", text="Wro"),
        ModelFailed(step="a", at=2, call="1", error="cut", output="Wro", seconds=2),
        Retried(step="a", at=2, call="1", attempt=2, wait=1, reason="cut"),
        call("2", "a", 3), Token(step="a", at=4, call="2", text="Ri"), Token(step="a", at=5, call="2", text="ght"),
    ]  # fmt: skip
    assert record(events[:4]).draft == "Wro"
    assert record(events[:5]).draft == ""
    run = record(events)
    assert run.draft == "Right"
    assert [c.state for c in run.calls] == ["failed", "running"]
    assert run.calls[0].retry is not None


def test_what_was_under_way_ends_with_the_run() -> None:
    for ending, state in ((RunStopped(at=5, reason="x"), "stopped"), (RunFailed(at=5, error="x"), "failed")):
        run = record([started(), step("a", 0, 0), call("1", "a", 0), ending])
        assert run.state == state
        assert run.error == "x"
        assert (run.steps[0].state, run.steps[0].end) == (state, 5)
        assert (run.calls[0].state, run.calls[0].end) == (state, 5)


def test_every_prefix_of_a_run_can_be_folded() -> None:
    events = [
        started(), step("a", 0, 0), call("1", "a", 0), done("1", "a", 1),
        ArtefactMade(step="a", artefact=Answer(text="t")),
        StepFinished(step="a", at=1), RunFinished(at=1),
    ]  # fmt: skip
    states = [record(events[:n]).state for n in range(len(events) + 1)]
    assert states == ["running"] * len(events) + ["finished"]
    assert record(events).answer == Answer(text="t")


def test_events_survive_json() -> None:
    for event in (started(), call("1", "a", 0), ArtefactMade(step="a", artefact=Answer(text="<b>"))):
        assert load(dump(event)) == event


def test_a_run_that_waits_says_what_comes_next_until_it_goes_on() -> None:
    events = examples.paused()
    run = fold(events)
    assert (run.state, run.next, run.stop_before) == ("paused", ("answer",), EACH_STEP)
    assert run.under_way
    assert not run.error
    assert {step.state for step in run.steps} == {"finished"}
    resumed = RunResumed(chat_model="m", builtin=False, at=run.seconds)
    run = record([*events, resumed])
    assert (run.state, run.next, run.stop_before) == ("running", (), "")
    assert not run.abandoned


def test_half_a_character_does_not_cost_the_run() -> None:
    token = Token(call="c", text="A \ud83d in “it”")
    assert load(dump(token)) == token.model_copy(update={"text": "A \ufffd in “it”"})
    assert dump(token).startswith('{"seq":0,"at":0.0,')
    dump(token).encode()


def test_the_clock_of_a_run_goes_on_while_nothing_happens() -> None:
    events = examples.rag_fusion()
    last = events[5].at
    waiting = fold(events[:6], last + 60)
    assert (waiting.live, waiting.seconds) == (True, last + 60)
    assert totals_view(waiting)[-1].value == f"{last + 60:.0f}"
    assert not fold(events[:6]).live  # a replay shows the time of its scene
    ended = fold(events, 1000.0)
    assert (ended.live, ended.seconds) == (False, events[-1].at)
