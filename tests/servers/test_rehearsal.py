"""Rehearsals of what a recording holds: real graphs, real Chroma, a scripted endpoint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.jobs import run_blocking
from core.models.choice import ChatChoice, Play
from core.models.recordings.recording import Recording
from core.runs.rehearsal import Rehearsal, rehearse
from core.runs.workbench import Workbench
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_ask import ASKING, QUESTION, request, thinking_on
from tests.servers.test_recordings import finished, keeping, recording


def rehearsed(bench: Workbench, kept: Recording, strategy: str, **options: Any) -> Rehearsal:
    play = ChatChoice(play=Play(bench.recordings.store.get(kept.id), "builtin", "recorded"))
    return run_blocking(rehearse(bench, replace(request(strategy, **options), chat=play)))


@pytest.mark.parametrize("strategy", [key for key, _ in ASKING])
def test_what_was_recorded_is_whole(bench: Workbench, scripted: ScriptedServer, strategy: str) -> None:
    usual_way = Rule(skill="route", reply='{"reason": "It asks for a fact.", "way": "one-search"}')
    scripted.script(Rule(skill="resolve", reply=QUESTION), usual_way, *thinking_on())
    kept = recording(bench, f"rehearsal of {strategy}")
    made = finished(keeping(bench, kept, strategy))
    bench.recordings.store.settle()  # what is kept is written a little later, and counts then
    before, runs = bench.recordings.store.get(kept.id), len(bench.store.list(limit=1000))
    asked = len(scripted.requests)
    assert rehearsed(bench, kept, strategy) == Rehearsal(made.totals.calls)
    assert len(scripted.requests) == asked
    assert bench.recordings.store.get(kept.id) == before
    assert len(bench.store.list(limit=1000)) == runs


def test_it_says_where_the_first_reply_is_missing(bench: Workbench, scripted: ScriptedServer) -> None:
    kept = recording(bench, "rehearsal with a gap")
    finished(keeping(bench, kept, "multi-query"))
    assert rehearsed(bench, kept, "multi-query", question="Who else?") == Rehearsal(0, "Reword the question")
    assert rehearsed(bench, kept, "multi-query", params={"k": 1}) == Rehearsal(1, "Answer from the passages")
