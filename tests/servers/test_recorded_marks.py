"""What a run that plays says of itself: what was recorded, what was new, and who did it."""

from __future__ import annotations

from dataclasses import replace

from core.cards.groups import rows
from core.cards.kind import Scene
from core.cards.recorded import news, origin
from core.drawings.side_by_side import cost
from core.models.chat_models import RecordedModel
from core.runs.forecast import past_tokens
from core.runs.record import Record, record
from core.runs.summary import summary
from core.runs.workbench import Workbench
from core.trace.events import ReplyMissing, RunResumed
from tests.bench import leave, open_bench
from tests.scripted import ScriptedServer
from tests.servers.test_recordings import OWNER, ask, finished, keeping, playing, recording

EDITED = {"reword.model": "Reword in {n} ways, in {language}, and tersely: {question}"}
FEW = {"n": 2, "k": 1}
"""The fewer words the built-in model reads, the sooner it answers."""


def marks(run: Record) -> set[str]:
    shown = [one for row in rows(Scene(run, "#000000", "k")) for one in row.shown]
    return {one.card.mark.text for one in shown if one.card.mark}


def test_keeping_and_playing_are_told_apart(bench: Workbench, scripted: ScriptedServer) -> None:
    kept = recording(bench, "told apart")
    teller = "who tells apart"  # nobody else's runs count
    run = finished(keeping(bench, kept, owner=teller))
    assert marks(run) >= {"kept"}
    assert origin(run) == "Replies of scripted, kept in the recording “told apart”."
    assert (summary(run)["recording"] or {})["kept"] == run.totals.calls
    again = finished(playing(bench, kept, owner=teller))
    assert marks(again) == {"recorded", "as recorded"}
    assert origin(again) == "Recorded replies of scripted (“told apart”)."
    assert again.totals.played == again.totals.calls == run.totals.calls
    assert cost(again, {}) == 0
    assert cost(run, {}) is None
    assert bench.store.entry(again.started.run).seconds >= 0 if again.started else False
    listed = {one.id: one.recording for one in bench.store.list(limit=2)}
    assert set(listed.values()) == {"told apart"}
    assert past_tokens(bench.store, [teller], "multi-query", "scripted", builtin=False).runs == 1


def test_a_new_step_is_said_and_the_run_goes_on_with_the_built_in_model(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    kept = recording(bench, "goes on")
    finished(keeping(bench, kept, params=FEW))
    play = RecordedModel(bench.recordings.store.get(kept.id), "fail")
    ended = ask(bench, play, prompts=EDITED, params=FEW)
    run = record(ended)
    assert run.state == "failed"
    [missing] = [event for event in ended if isinstance(event, ReplyMissing)]
    assert "it was recorded with other prompts" in missing.reason
    assert [step.state for step, _ in news(run)] == ["failed"]
    assert origin(run) == "The recording “goes on” does not cover this run, so the run ended."
    run = record(ask(bench, replace(play, missing="ask"), prompts=EDITED, params=FEW))
    assert (run.state, run.next, run.error) == ("paused", ("reword",), "")
    assert [one.skill for one in run.lacking] == ["reword"]
    assert origin(run) == "The recording “goes on” does not cover this run, so the run waits."
    chat = RecordedModel(play.recording, "builtin")
    assert run.started is not None
    patient = open_bench(bench.settings.rag_loupe_home, scripted, model_timeout_seconds=60.0)
    events = patient.launcher.resume(run.started.run, OWNER, chat).result(120)
    leave(patient)
    done = record(events)
    assert done.state == "finished", done.error
    [resumed] = [event for event in events if isinstance(event, RunResumed)]
    assert (resumed.recording, resumed.missing) == ("goes on", "builtin")
    assert "new: built-in model" in marks(done)
    assert "so the built-in model answered" in origin(done)
    assert cost(done, {}) == 0
