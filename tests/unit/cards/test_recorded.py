"""What is said of replies that were played from a recording, kept in one, or missing in it."""

from __future__ import annotations

import pytest

from core.cards.groups import rows
from core.cards.kind import Scene
from core.cards.models import model_described, who_answered
from core.cards.recorded import answer_mark, news, origin, tiny_wrote
from core.cards.status import costs_line, totals_view
from core.charts.columns import columns
from core.charts.timeline import kinds, lanes, reading
from core.drawings.presenter import presentation
from core.drawings.side_by_side import cost, live_columns
from core.runs.gallery import label
from core.runs.record import Record, record
from core.runs.summary import summary
from core.services.chat import MODEL
from core.trace.events import Event, ModelStarted, RunResumed
from tests import examples
from tests.cases import cases
from tests.examples.recorded import LESSON, REASON, cut_short, kept, left_to_the_built_in_model, played

PRICES = {"gpt-example": (1.0, 2.0)}


def marks(events: list[Event]) -> list[str]:
    shown = [one for row in rows(Scene(record(events), "#000000", "k")) for one in row.shown]
    return [one.card.mark.text if one.card.mark else "" for one in shown]


def answered(run: Record) -> str:
    mark = answer_mark(run)
    return mark.text if mark else ""


def test_a_run_without_a_recording_has_no_marks() -> None:
    events = examples.rag_fusion()
    run = record(events)
    assert origin(run) == answered(run) == "".join(marks(events)) == ""
    assert summary(run)["recording"] is None
    assert cost(run, PRICES) == pytest.approx(2 * (321 + 2 * 87) / 1e6)


def test_what_was_played_is_marked_once_a_step_and_costs_nothing() -> None:
    events = played(examples.rag_fusion())
    run = record(events)
    assert origin(run) == f"Recorded replies of gpt-example (“{LESSON}”)."
    assert marks(events) == ["recorded", *["as recorded"] * 5, ""]
    assert answered(run) == "recorded"
    assert (run.totals.played, run.totals.calls) == (2, 2)
    assert cost(run, {}) == 0
    assert summary(run)["recording"] == {"name": LESSON, "played": 2, "kept": 0, "missing": "fail"}
    assert costs_line(run).endswith(f" · {origin(run)}")
    assert "no measurement" in totals_view(run)[3].help
    assert "2 played from a recording, 0 calls sent" in totals_view(run)[0].help


def test_what_is_kept_is_paid() -> None:
    events = kept(examples.rag_fusion())
    run = record(events)
    assert origin(run) == f"Replies of gpt-example, kept in the recording “{LESSON}”."
    assert marks(events)[0] == answered(run) == "kept"
    assert cost(run, {}) is None
    assert summary(run)["recording"] == {"name": LESSON, "played": 0, "kept": 2, "missing": "endpoint"}


def test_a_step_that_the_endpoint_did_is_new() -> None:
    events = played(examples.rag_fusion(), "endpoint", new="c-answer")
    run = record(events)
    assert origin(run) == (
        f"1 reply from the recording “{LESSON}” of gpt-example; 1 was new: asked of gpt-example."
    )
    assert (marks(events)[0], answered(run)) == ("recorded", "new: asked now")
    assert cost(run, PRICES) == pytest.approx((321 + 2 * 87) / 1e6)


def test_a_step_that_the_built_in_model_did_says_why() -> None:
    run = record(played(examples.rag_fusion(), "builtin", new="c-answer"))
    mark = answer_mark(run)
    assert mark is not None
    assert mark.text == "new: built-in method"
    assert mark.help == f"{REASON} A built-in method did it."
    assert origin(run).endswith("1 step was new, so a built-in method answered.")
    assert [(step.node, reason) for step, reason in news(run)] == [("answer", REASON)]
    assert cost(run, {}) == 0


def test_the_built_in_model_is_named_where_it_did_the_answer_of_another() -> None:
    run = record(left_to_the_built_in_model(examples.rag_fusion()))
    assert costs_line(run).count("gpt-example") == 1
    assert origin(run) == (
        f"Replies of gpt-example, not kept in the recording “{LESSON}”; "
        "1 step was new, so a built-in method answered."
    )


def test_the_built_in_model_is_known_by_its_name_beside_a_recording() -> None:
    events = played(examples.rag_fusion(), "builtin")
    place = next(n for n, event in enumerate(events) if getattr(event, "call", "") == "c-answer")
    started = events[place]
    assert isinstance(started, ModelStarted)
    events[place] = started.model_copy(update={"model": MODEL})
    events = [
        event.model_copy(update={"recorded": ""})
        if event.type == "model_finished" and event.call == "c-answer"
        else event
        for event in events
    ]
    run = record(events)
    assert [call.builtin for call in run.calls] == [False, True]
    assert tiny_wrote(run)
    assert cost(run, {}) == 0
    assert not tiny_wrote(record(played(examples.rag_fusion())))


def test_a_run_that_ended_at_a_missing_reply_may_go_on() -> None:
    events = cut_short(examples.rag_fusion())
    run = record(events)
    assert run.steps[-1].state == "failed"
    assert origin(run).endswith("1 step was new, so the run ended.")
    resumed = RunResumed(
        chat_model="other", builtin=False, at=events[-1].at, recording=LESSON, missing="endpoint"
    )
    on = record([*events, resumed])
    assert (on.recording, on.missing) == (LESSON, "endpoint")
    assert origin(on) != origin(run)


def test_calls_are_known_as_played_before_their_reply_is_there() -> None:
    events = played(examples.rag_fusion())
    upto = next(n for n, event in enumerate(events, 1) if event.type == "model_started")
    run = record(events[:upto])
    assert run.calls[0].recorded == LESSON
    assert cost(run, {}) == 0
    assert record(played(examples.rag_fusion(), "endpoint")[:upto]).calls[0].recorded == ""


def test_timelines_tell_played_calls_from_others() -> None:
    run, plain = record(played(examples.rag_fusion())), record(examples.rag_fusion())
    assert [lane.played for lane in lanes(run) if lane.call] == [True, True]
    assert "Played call" in dict(kinds([run]))
    assert "Played call" not in dict(kinds([plain]))
    assert "no measurement" in reading(plain, run)
    assert "no measurement" not in reading(plain)


def test_columns_say_what_was_played_and_compare_no_seconds_with_it() -> None:
    records = [record(played(examples.rag_fusion())), record(examples.multi_query())]
    shown = columns(records)
    assert [column.detail for column in shown] == [f"recording “{LESSON}”", "no recording"]
    first, second = live_columns(shown, prices=PRICES)["columns"]
    assert LESSON in first["origin"]
    assert second["origin"] == ""
    assert first["recorded"]["text"] == "recorded"
    assert [step["recorded"] and step["recorded"]["text"] for step in first["steps"]][:2] == [
        "recorded",
        "as recorded",
    ]
    seconds = [
        next(one for one in column["figures"] if one["name"] == "Seconds") for column in (first, second)
    ]
    assert not any(one["best"] for one in seconds)
    assert [one["replayed"] for one in seconds] == [True, False]
    assert "no measurement" in seconds[0]["explains"]
    slides = presentation(shown, (), "Question?").slides
    assert LESSON in slides[0].origin
    assert slides[0].costs[-1].endswith("s (replayed)")
    assert slides[1].origin == ""


def test_models_are_called_with_their_recording() -> None:
    assert model_described("m", recording="Lesson") == "m, recording “Lesson”"
    assert (
        model_described("m", builtin=True, adapter=True)
        == "m (the tiny built-in model, with what it was taught)"
    )
    started = record(played(examples.rag_fusion())).started
    assert started is not None
    assert label(started) == f"Gallery: replies of gpt-example, from the recording “{LESSON}”"


RECORDED_BY = f"gpt-example, recording “{LESSON}”"


@cases(
    ("events", "who"),
    [
        (examples.rag_fusion(), "gpt-example"),
        (examples.agentic(), ""),
        (played(examples.rag_fusion()), RECORDED_BY),
        (cut_short(examples.rag_fusion()), RECORDED_BY),
        (
            played(examples.rag_fusion(), "builtin", new="c-answer"),
            f"steps 1 to 3: {RECORDED_BY}; from step 4 on: the built-in model",
        ),
        (
            played(examples.rag_fusion(), "endpoint", new="c-answer"),
            f"steps 1 to 3: {RECORDED_BY}; from step 4 on: gpt-example",
        ),
        (
            left_to_the_built_in_model(examples.rag_fusion()),
            "steps 1 to 3: gpt-example; from step 4 on: the built-in model",
        ),
    ],
)
def test_who_answered_each_part_of_a_run(events: list[Event], who: str) -> None:
    assert who_answered(record(events)) == who


def test_where_models_take_turns_calls_are_counted() -> None:
    run = record(played(examples.ircot()))
    for place, call in enumerate(run.calls):
        call.recorded = LESSON if place % 2 else ""
    assert who_answered(run) == f"gpt-example: 2 calls; {RECORDED_BY}: 2 calls"
