"""Rehearsals of what a recording holds: real graphs, real Chroma, a scripted endpoint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.jobs import run_blocking
from core.models.choice import ChatChoice, Missing, Play
from core.models.recordings.recording import Recording
from core.runs.forecast import run_forecast
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
    found = rehearsed(bench, kept, strategy)
    assert found.missing == ""
    assert sorted(found.calls) == sorted(call.skill for call in made.calls)
    playing = replace(request(strategy), chat=ChatChoice(play=Play(kept, "builtin")))
    cost = run_forecast(bench, playing, found)
    assert cost.calls_expected == cost.calls_most == made.totals.calls
    # Not `rounds_most`: calls that could go out at once count apart where each is answered before the next begins.
    assert cost.rounds <= made.totals.rounds
    assert len(scripted.requests) == asked
    assert bench.recordings.store.get(kept.id) == before
    assert len(bench.store.list(limit=1000)) == runs


def test_it_says_where_the_first_reply_is_missing(bench: Workbench, scripted: ScriptedServer) -> None:
    kept = recording(bench, "rehearsal with a gap")
    finished(keeping(bench, kept, "multi-query"))
    assert rehearsed(bench, kept, "multi-query", question="Who else?") == Rehearsal(missing="reword")
    later = rehearsed(bench, kept, "multi-query", params={"k": 1})
    assert later == Rehearsal(("reword",), "answer")
    assert (later.known_calls, later.lacks) == (1, "Answer from the passages")


FIRST, LAST = Rehearsal(missing="search_queries"), Rehearsal(("search_queries",), "answer")


@pytest.mark.parametrize(
    ("missing", "found", "calls", "rounds"),
    [
        ("builtin", FIRST, (8, 9), (1, 2)),  # eight samples at once, then an answer by rule
        ("builtin", LAST, (1, 2), (1, 2)),
        ("endpoint", FIRST, (2, 2), (2, 2)),
        ("endpoint", LAST, (2, 2), (2, 2)),
        ("fail", LAST, (1, 1), (1, 1)),
    ],
)
def test_the_forecast_counts_the_calls_of_whoever_does_what_is_new(
    bench: Workbench, missing: Missing, found: Rehearsal, calls: tuple[int, int], rounds: tuple[int, int]
) -> None:
    play = ChatChoice(play=Play(recording(bench, "forecast"), missing))
    cost = run_forecast(bench, replace(request("rag-fusion"), chat=play), found)
    assert (cost.calls_expected, cost.calls_most) == calls
    assert (cost.rounds, cost.rounds_most) == rounds


def test_what_the_built_in_model_cannot_do_ends_the_run_there(bench: Workbench) -> None:
    play = ChatChoice(play=Play(recording(bench, "forecast"), "builtin"))
    cost = run_forecast(bench, replace(request("search-o1"), chat=play), Rehearsal(missing="reason"))
    assert (cost.calls_expected, cost.calls_most) == (0, 0)
