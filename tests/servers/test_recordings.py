"""Replies that are kept, and played without the model: real graphs, real Chroma, a scripted endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.models.choice import ChatChoice, Missing, Play
from core.models.recordings.store import Recording
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.trace.artefacts import Ranking
from core.trace.events import (
    ArtefactMade,
    Event,
    ModelFinished,
    ModelStarted,
    StepStarted,
)
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_ask import ASKING, QUESTION, request, thinking_on

OWNER = "somebody"


def recording(bench: Workbench, name: str) -> Recording:
    return bench.recordings.to_keep(name, "scripted", OWNER)


def ask(bench: Workbench, play: Play, strategy: str = "multi-query", **options: Any) -> list[Event]:
    asked: RunRequest = replace(request(strategy, **options), chat=ChatChoice(play=play), owner=OWNER)
    return list(bench.launcher.start(asked).result(60))


def keeping(bench: Workbench, kept: Recording, strategy: str = "multi-query", **options: Any) -> list[Event]:
    return ask(bench, Play(kept, "endpoint", keeps=True), strategy, **options)


def playing(
    bench: Workbench,
    kept: Recording,
    strategy: str = "multi-query",
    missing: Missing = "fail",
    **options: Any,
) -> list[Event]:
    return ask(bench, Play(bench.recordings.store.get(kept.id), missing), strategy, **options)


def finished(events: Sequence[Event]) -> Record:
    run = record(events)
    assert run.state == "finished", run.error
    return run


def substance(events: Sequence[Event]) -> list[Any]:
    """What happened, without ids, times, and who gave the replies; calls of one layer in the order of their prompts."""
    told: list[Any] = []
    for event in events:
        match event:
            case StepStarted():
                told.append(("step", event.layer, event.node, event.label))
            case ArtefactMade():
                told.append(("artefact", event.artefact.model_dump_json(exclude={"recorded"})))
            case ModelStarted():
                told.append(("asked", event.skill, [message.content for message in event.messages]))
            case ModelFinished():
                told.append(("replied", event.output, event.usage))
    return sorted(told, key=repr)


@pytest.mark.parametrize("strategy", [key for key, _ in ASKING])
def test_what_was_recorded_is_played_without_the_model(
    bench: Workbench, scripted: ScriptedServer, strategy: str
) -> None:
    usual_way = Rule(skill="route", reply='{"reason": "It asks for a fact.", "way": "one-search"}')
    scripted.script(Rule(skill="resolve", reply=QUESTION), usual_way, *thinking_on())
    kept = recording(bench, f"all of {strategy}")
    made = keeping(bench, kept, strategy)
    finished(made)
    asked = len(scripted.requests)
    again = playing(bench, kept, strategy)
    run = finished(again)
    assert len(scripted.requests) == asked
    assert substance(again) == substance(made)
    calls = [event for event in again if isinstance(event, ModelFinished)]
    assert [call.recorded for call in calls] == [kept.name] * len(calls)
    assert all(ranking.recorded == kept.name for ranking in run.find(Ranking))
    started = run.started
    assert started is not None
    assert (started.recording, started.missing, started.chat_model) == (kept.name, "fail", "scripted")
