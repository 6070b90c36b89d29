"""Replies that are kept, and played without the model: real graphs, real Chroma, a scripted endpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.models import embeddings
from core.models.chat_models import Missing, RecordedModel
from core.models.recordings.items import Recording
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.sources.builds import BuildJob
from core.runs.workbench import Workbench
from core.trace.artefacts import Grade, Queries, Ranking
from core.trace.events import (
    ArtefactMade,
    Event,
    ModelFinished,
    ModelStarted,
    StepStarted,
    Token,
)
from tests.bench import open_bench, small_corpus
from tests.commands import until
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_ask import ASKING, QUESTION, request, thinking_on

OWNER = "somebody"


def recording(bench: Workbench, name: str) -> Recording:
    return bench.recordings.to_keep(name, "scripted", OWNER)


def ask(
    bench: Workbench, play: RecordedModel, strategy: str = "multi-query", owner: str = OWNER, **options: Any
) -> list[Event]:
    asked: RunRequest = replace(request(strategy, **options), chat=play, owner=owner)
    return list(bench.launcher.start(asked).result(60))


def keeping(bench: Workbench, kept: Recording, strategy: str = "multi-query", **options: Any) -> list[Event]:
    return ask(bench, RecordedModel(kept, "endpoint", keeps=True), strategy, **options)


def playing(
    bench: Workbench,
    kept: Recording,
    strategy: str = "multi-query",
    missing: Missing = "fail",
    **options: Any,
) -> list[Event]:
    return ask(bench, RecordedModel(bench.recordings.store.get(kept.id), missing), strategy, **options)


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


@pytest.mark.parametrize("strategy", ["plain", "multi-query"])
def test_a_played_run_loads_no_embedding_model(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    kept = recording(bench, f"{strategy} without vectors")
    finished(keeping(bench, kept, strategy))
    bench.recordings.store.settle()
    loads, usual = list[str](), embeddings._load

    def load() -> Any:
        loads.append(strategy)
        return usual()

    monkeypatch.setattr(embeddings, "_load", load)
    finished(playing(open_bench(bench.settings.rag_loupe_home, scripted), kept, strategy))
    assert not loads


def asking(events: Sequence[Event]) -> list[str]:
    """Which skills have asked."""
    return [event.skill for event in events if isinstance(event, ModelStarted)]


def failed(events: Sequence[Event]) -> str:
    run = record(events)
    assert run.state == "failed"
    return run.error


@pytest.fixture(scope="module")
def lesson(bench: Workbench, scripted_server: ScriptedServer) -> Recording:
    """Multi-Query and its question, recorded."""
    kept = recording(bench, "A lesson")
    finished(keeping(bench, kept))
    return kept


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"question": "Who directed Brass Buttons?"},
            "“Reword the question”.*this question was not recorded",
        ),
        ({"strategy": "hyde"}, "with other strategies only"),
        ({"params": {"n": 3}}, r"“Reword the question”.*with n = "),
        ({"retriever": "keyword"}, "another retriever, filter or graph"),
        ({"methods": {"answer": "extractive"}}, None),
        (
            {"prompts": {"answer.model": "Context: {context}\n\nSay it: {question}"}},
            "recorded with other prompts",
        ),
    ],
)
def test_what_is_new_is_named_with_the_reason(
    bench: Workbench, scripted: ScriptedServer, lesson: Recording, options: dict[str, Any], why: str | None
) -> None:
    strategy = options.pop("strategy", "multi-query")
    events = playing(bench, lesson, strategy, **options)
    assert scripted.requests == []
    if why is None:
        finished(events)
    else:
        assert re.search(f"has no reply for the step .*{why}", failed(events))


def test_other_documents_are_named_as_the_reason(
    bench: Workbench, scripted: ScriptedServer, lesson: Recording, tmp_path: Path
) -> None:
    bench.corpora.index([small_corpus(tmp_path, 12)], "Twelve").result()
    assert "other documents, or they were cut otherwise" in failed(playing(bench, lesson, corpus="Twelve"))


def test_only_what_is_new_goes_out_and_is_kept(bench: Workbench, scripted: ScriptedServer) -> None:
    kept = recording(bench, "n changed")
    finished(keeping(bench, kept, params={"n": 2}))
    asked = len(scripted.requests)
    assert asked == 2
    run = finished(keeping(bench, kept, params={"n": 2}))
    assert len(scripted.requests) == asked
    finished(keeping(bench, kept, "plain"))
    assert len(scripted.requests) == asked + 1
    finished(keeping(bench, kept, params={"n": 3}))
    finished(playing(bench, kept, params={"n": 3}))
    assert len(scripted.requests) <= asked + 3
    assert run.totals.calls == 2


def test_a_run_that_was_cut_off_while_it_was_kept_can_be_played_whole(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    """Where the next draft is the same, Self-RAG grades it by the same prompt again."""
    said = '{"verdict": "no", "reason": "Nothing says so."}'
    slow = Rule(skill="grade_support", reply=said, pause=0.1)
    scripted.script(Rule(skill="grade_support", reply=said, times=1), slow)
    kept = recording(bench, "cut off")
    play = RecordedModel(kept, "endpoint", keeps=True)
    job = bench.launcher.start(replace(request("self-rag"), chat=play, owner=OWNER))
    until(lambda: job.done or sum(skill == "grade_support" for skill in asking(job.events)) == 2)
    job.stop()
    assert record(job.result(60)).state == "stopped"
    scripted.script(Rule(skill="grade_support", reply=said.replace("no", "fully"), times=1))
    again = finished(bench.launcher.resume(job.run, OWNER, play).result(60))
    assert [one.verdict for one in again.find(Grade) if one.what == "IsSup"] == ["no", "fully"]
    asked = len(scripted.requests)
    whole = finished(playing(bench, kept, "self-rag"))
    assert len(scripted.requests) == asked
    assert sorted(map(repr, whole.find(Grade))) == sorted(map(repr, again.find(Grade)))


def test_a_played_run_that_was_stopped_goes_on(bench: Workbench, scripted: ScriptedServer) -> None:
    kept = recording(bench, "stopped")
    scripted.script(Rule(skill="answer", reply="word " * 300, pause=0.005))
    made = finished(keeping(bench, kept))
    play = RecordedModel(bench.recordings.store.get(kept.id), "fail", "recorded")
    job = bench.launcher.start(replace(request("multi-query"), chat=play, owner=OWNER))
    until(lambda: job.done or any(isinstance(event, Token) for event in job.events))
    job.stop()
    job.result(60)
    at_once = replace(play, pace="once")
    again = finished(bench.launcher.resume(job.run, OWNER, at_once).result(60))
    assert again.answer == made.answer
    assert again.draft == made.draft


def test_a_fork_of_a_played_run_asks_what_is_new(bench: Workbench, scripted: ScriptedServer) -> None:
    kept = recording(bench, "left")
    made = finished(keeping(bench, kept))
    run = finished(playing(bench, kept))
    step, queries = next((step, one) for step, one in run.artefacts if isinstance(one, Queries))
    started = run.started
    assert started is not None
    edited = queries.model_copy(update={"queries": queries.queries[:1]})
    play = RecordedModel(bench.recordings.store.get(kept.id))

    def fork(play: RecordedModel) -> list[Event]:
        return bench.launcher.fork(started.run, step.id, edited, OWNER, play).result(60)

    assert "you edited an artefact that goes into its prompt" in failed(fork(play))
    finished(fork(replace(play, missing="endpoint", keeps=True)))
    assert finished(fork(play)).fork is not None
    assert finished(playing(bench, kept)).answer == made.answer


def test_a_graph_is_built_from_a_recording(
    bench: Workbench, scripted: ScriptedServer, tmp_path: Path
) -> None:
    bench.corpora.index([small_corpus(tmp_path, 3)], "Three").result()
    kept = recording(bench, "triples")
    quote = {"subject": "it", "relation": "is", "object": "a film", "quote": "is a"}
    scripted.script(Rule(skill="extract", reply=json.dumps({"triples": [quote]})))

    def build(name: str, play: RecordedModel) -> Any:
        job = BuildJob(bench.corpora, bench.graphs.graphs, "Three", name, chat=play)
        return job.result(60)

    made = build("Kept", RecordedModel(kept, "endpoint", keeps=True))
    asked = len(scripted.requests)
    assert asked >= 3
    again = build("Played", RecordedModel(kept))
    assert len(scripted.requests) == asked
    assert (again.triples, again.chunks) == (made.triples, made.chunks)


def test_at_the_cap_on_calls_a_played_run_ends_as_another(bench: Workbench, scripted: ScriptedServer) -> None:
    kept = recording(bench, "capped")
    finished(keeping(bench, kept))
    low = open_bench(bench.settings.rag_loupe_home, max_calls=1)
    run = record(playing(low, kept))
    assert (run.state, run.totals.calls) == ("stopped", 1)
    assert "Limit reached" in run.error
    low.backends.supervisor.release()
