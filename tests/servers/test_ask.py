"""Asking through the strategies: real graphs, real Chroma, real embeddings, a scripted endpoint."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import InputError
from core.jobs import run_blocking
from core.models import calling, embeddings
from core.models.chat_models import CONFIGURED, ConfiguredModel, EndpointModel, RecordedModel
from core.models.endpoint import ChatEndpoint, name_for_endpoint
from core.runs import engine, launch
from core.runs.checkpoints.opening import open_checkpoints
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.sources import defaults
from core.runs.store import RunFilter
from core.runs.summary import summary
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import strategies
from core.trace.artefacts import Answer, Artefact, Context, Fusion, PooledRanking, Queries, Ranking
from core.trace.events import ModelStarted, Retried, RunFailed, RunStopped, StepFailed, Token
from tests.bench import CORPUS, open_bench
from tests.homes import SHARED
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.holding import FOR_EVER, a, wait_for

QUESTION = "Who directed A Dangerous Age?"


def request(strategy: str, **options: Any) -> RunRequest:
    return RunRequest(**{"question": QUESTION, "strategy": strategy, "corpus": CORPUS, **options})


def ask(bench: Workbench, strategy: str, **options: Any) -> Record:
    job = bench.launcher.start(request(strategy, **options))
    return record(job.result(60))


SPARED = {"ircot": 1}
"""Strategy -> thoughts that the scripted model does not need, though they are usual; each with its search."""


def thinking_on() -> list[Rule]:
    """A reasoning with two searches, one after the other."""
    pieces = [{"searches": ["A Dangerous Age"]}, {"searches": ["Brass Buttons"]}, {"answer": "He did [1]."}]
    return [Rule(skill="reason", reply=json.dumps(one), times=1) for one in pieces]


IN_ROUNDS = ("decomposition-sequential", "least-to-most")
"""Strategies whose forecast says how it is where each part waits for the one before."""
ASKING: list[tuple[str, dict[str, Any]]] = [
    (key, {}) for key, found in strategies().items() if not found.explores
]
RERANKING = [(key, {"rerank": 20}) for key, _ in ASKING if strategies()[key].retrieves]


@pytest.mark.parametrize(("strategy", "params"), [*ASKING, *RERANKING])
def test_each_strategy_answers_and_is_stored(
    bench: Workbench, scripted: ScriptedServer, strategy: str, params: dict[str, Any]
) -> None:
    usual_way = Rule(skill="route", reply='{"reason": "It asks for a fact.", "way": "one-search"}')
    scripted.script(Rule(skill="resolve", reply=QUESTION), usual_way, *thinking_on())
    job = bench.launcher.start(request(strategy, params=params))
    run = record(job.result(60))
    assert run.state == "finished", run.error
    found, spared = strategies()[strategy], SPARED.get(strategy, 0) * (1 + bool(params))
    expected = found.forecast(found.parse(params), methods_in_force(found.skills, CAPABLE, {}))
    assert run.totals.calls == expected.calls_expected - spared
    if strategy in IN_ROUNDS:  # what needs no earlier answer did not wait
        assert run.totals.rounds <= expected.rounds
    else:
        assert run.totals.rounds == expected.rounds - spared
    assert len(scripted.requests) == run.totals.calls
    assert run.answer is not None
    # What ends a chain of reasoning comes in one piece.
    assert run.draft == ("" if run.answer.skill == "reason" else run.answer.text)
    assert bench.store.events(job.run) == job.events
    assert [event.seq for event in job.events] == list(range(len(job.events)))
    times = [event.at for event in job.events]
    assert times == sorted(times)
    assert run.steps[-1].node == "answer"
    assert all(step.state == "finished" for step in run.steps)


def test_plain_retrieval_finds_the_passage_and_cites_it(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="Sidney J. Furie directed it [1]."))
    run = ask(bench, "plain")
    ranking, context = run.find(Ranking)[0], run.find(Context)[0]
    assert ranking.hits[0].passage.title == "A Dangerous Age"
    assert (ranking.k, len(ranking.hits)) == (6, 10)
    assert [item.given for item in context.passages] == [True] * 6 + [False] * 4
    assert run.answer is not None
    assert run.answer.citations[0].chunk == ranking.hits[0].passage.chunk
    assert "Sidney J. Furie" in run.answer.citations[0].quote
    read = told(scripted.requests[0]["body"]["messages"], "context")
    assert read.count("<passage number=") == 6


def test_multi_query_searches_every_variant_at_once(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, "multi-query", params={"n": 3})
    queries, union = run.find(Queries)[0], run.find(PooledRanking)[0]
    assert [query.origin for query in queries.queries] == ["question", "model", "model", "model"]
    branches = [step for step in run.steps if step.node == "retrieve"]
    assert [step.label for step in branches] == [query.text for query in queries.queries]
    assert len({step.layer for step in branches}) == 1
    assert {step.parent for step in branches} == {run.steps[0].id}
    assert [column.query for column in union.lists] == [query.text for query in queries.queries]
    best = [min(rank for rank in row.ranks if rank) for row in union.rows]
    assert best == sorted(best)
    assert len({row.passage.chunk for row in union.rows}) == len(union.rows)


def test_rag_fusion_scores_can_be_checked_by_hand(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, "rag-fusion", params={"rrf_k": 10, "first_rank": 0})
    fusion = run.find(Fusion)[0]
    assert (fusion.k, fusion.first_rank) == (10, 0)
    for row in fusion.rows:
        assert row.score == pytest.approx(sum(1 / (10 + rank - 1) for rank in row.ranks if rank))
    context = run.find(Context)[0]
    assert [item.passage.chunk for item in context.passages] == [row.passage.chunk for row in fusion.rows]


@pytest.mark.parametrize(("weighed", "lists"), [(True, ["hybrid"] * 3), (False, ["dense", "keyword"] * 3)])
def test_fusion_takes_what_weighs_scores_as_one_list_and_else_both_of_each_query(
    bench: Workbench,
    scripted: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    weighed: bool,
    lists: list[str],
) -> None:
    if not weighed:
        monkeypatch.setattr(defaults, "BUILTIN", {})
        monkeypatch.setattr(defaults, "BUILTIN_SHARE", None)
    run = ask(bench, "rag-fusion", retriever="hybrid", params={"n": 2})
    fusion = run.find(Fusion)[0]
    assert [column.retriever for column in fusion.lists] == lists
    assert run.started is not None
    assert (run.started.dense_share is not None) == weighed
    names = {ranking.score_name for ranking in run.find(Ranking)}
    assert any("% BM25" in name for name in names) == weighed


@pytest.mark.parametrize("retriever", ["dense", "keyword", "hybrid"])
def test_every_retriever(bench: Workbench, scripted: ScriptedServer, retriever: str) -> None:
    run = ask(bench, "plain", retriever=retriever)
    assert run.context is not None
    assert run.context.passages[0].passage.title == "A Dangerous Age"


def test_a_failed_run_keeps_everything_up_to_the_failure(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", fault="server_error"))
    job = bench.launcher.start(request("rag-fusion"))
    run = record(job.result(60))
    assert run.state == "failed"
    assert "status 500" in run.error
    assert len(run.find(Fusion)) == 1
    assert sum(isinstance(event, Retried) for event in job.events) == bench.settings.model_attempts - 1
    assert isinstance(job.events[-1], RunFailed)
    assert any(isinstance(event, StepFailed) for event in job.events)
    assert bench.store.events(job.run) == job.events
    assert summary(run)["outcome"] == "failed"


def test_a_rate_limit_passes_visibly(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="rate_limit", times=1, retry_after=0.1))
    run = ask(bench, "closed-book")
    assert run.state == "finished"
    assert [call.state for call in run.calls] == ["failed", "finished"]


def test_nonsense_instead_of_variants(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="reword", reply='{"queries": ["", "1. ", "' + QUESTION + '"]}'))
    run = ask(bench, "multi-query")
    queries = run.find(Queries)[0]
    assert [query.text for query in queries.queries] == [QUESTION]
    assert len(queries.dropped) == 3
    assert "only the question itself is searched" in queries.note
    assert run.state == "finished"


def test_stop_ends_a_run_in_the_middle_of_its_answer_and_keeps_it(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill="answer", reply="word " * 2000, pause=0.2))
    job = bench.launcher.start(request("multi-query"))
    wait_for(job, a(Token))
    job.stop()
    run = record(job.result(60))
    assert isinstance(job.events[-1], RunStopped)
    assert run.state == "stopped"
    assert run.draft.startswith("word word")
    assert run.find(PooledRanking)
    assert bench.store.events(job.run) == job.events
    assert scripted.requests[-1]["cut_off"]


@pytest.mark.over_http
def test_while_the_endpoint_hangs_the_event_loop_is_free_and_stop_ends_the_run(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(fault="hang"))
    patient = open_bench(bench.settings.rag_loupe_home, scripted, model_timeout_seconds=FOR_EVER)
    job = patient.launcher.start(request("plain"))
    wait_for(job, a(ModelStarted))
    run_blocking(asyncio.sleep(0), timeout=60)
    assert not job.done
    job.stop()
    assert isinstance(job.result(60)[-1], RunStopped)


@pytest.mark.parametrize(
    "key", [key for key, found in strategies().items() if not found.explores and key != "self-rag"]
)
def test_at_the_cap_every_strategy_keeps_what_it_has(
    scripted: ScriptedServer, bench: Workbench, key: str
) -> None:
    whole = ask(bench, key)
    most = whole.totals.calls - 1
    capped = open_bench(bench.settings.rag_loupe_home, scripted, max_calls=max(1, most))
    run = ask(capped, key)
    if not most:
        assert run.state == "finished"
        return
    assert run.state == "stopped"
    assert run.error.startswith(f"Limit reached: the run used up its {most} model calls")
    assert run.totals.calls == most
    assert all(call.state == "finished" for call in run.calls)
    kinds = [artefact.kind for _, artefact in whole.artefacts if artefact.kind != "answer"]
    assert [artefact.kind for _, artefact in run.artefacts] == kinds[: len(run.find(Artefact))]
    assert run.find(Artefact)
    assert run.find(Fusion) == whole.find(Fusion)


@pytest.mark.parametrize("keeps", [False, True], ids=["asked", "kept"])
def test_what_is_started_and_loaded_for_a_run_is_not_its_time(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    """As in the first run of a process; here, on a clock of its own, each of both takes a thousand seconds.

    But for what is loaded while a first model call is under way, in a strategy that asks before it searches.
    """
    slow: set[str] = set()

    def slow_once(target: Any, name: str) -> None:
        usual = getattr(target, name)

        def later(*args: Any) -> Any:
            slow.add(name)
            return usual(*args)

        monkeypatch.setattr(target, name, later)

    def now() -> float:
        return monotonic() + 1000 * len(slow)

    monotonic, clock = time.monotonic, SimpleNamespace(monotonic=now, perf_counter=now)
    for module in (launch, engine, calling):
        monkeypatch.setattr(module, "time", clock)
    slow_once(ConfiguredModel, "open")
    slow_once(embeddings, "_load")
    first = open_bench(bench.settings.rag_loupe_home, scripted)
    new = first.recordings.to_keep("New", "scripted", "somebody")
    chat = RecordedModel(new, "endpoint", keeps=True) if keeps else CONFIGURED
    run = ask(first, "plain", chat=chat)
    assert run.state == "finished"
    assert len(slow) == 2
    assert run.totals.seconds < 1000


def test_an_unreachable_endpoint_is_a_failed_run(bench: Workbench, scripted: ScriptedServer) -> None:
    nowhere = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("k"), "m")
    run = ask(bench, "closed-book", chat=EndpointModel(nowhere))
    assert run.state == "failed"
    assert "cannot be reached" in run.error


def test_a_run_that_cannot_begin_has_failed_and_says_why(bench: Workbench, scripted: ScriptedServer) -> None:
    without = open_bench(bench.settings.rag_loupe_home, scripted, chroma_url="http://127.0.0.1:9")
    run = ask(without, "plain")
    assert (run.state, list(run.steps)) == ("failed", [])
    assert "CHROMA_URL" in run.error
    assert not scripted.requests


@pytest.mark.over_http
def test_keys_are_written_nowhere_and_the_servers_key_stays_at_home(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(fault="server_error", times=1))
    mine = scripted.endpoint(key="my-browser-key")
    run = ask(bench, "plain", chat=EndpointModel(mine))
    assert run.state == "finished"
    assert {seen["headers"]["authorization"] for seen in scripted.requests} == {"Bearer my-browser-key"}
    scripted.requests.clear()
    without = ChatEndpoint(scripted.base_url, SecretStr(""), "scripted")
    ask(bench, "plain", chat=EndpointModel(without))
    assert "the-servers-key" not in str(scripted.requests)
    home = bench.settings.rag_loupe_home
    written = 0
    for folder in (home, *(home / name for name in SHARED)):
        for path in folder.resolve().rglob("*"):
            content = b""
            if path.is_file():
                with suppress(FileNotFoundError):  # a service has files for a moment
                    content = path.read_bytes()
            assert b"my-browser-key" not in content, path
            assert b"the-servers-key" not in content, path
            written += QUESTION.encode() in content
    assert written, "the run is there"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"question": "  \n "}, "The question is empty"),
        ({"question": "x" * 100_000}, "has 100,000 characters; at most 4,000"),
        ({"strategy": "nope"}, "There is no strategy 'nope'"),
        ({"corpus": "nope"}, "There is no corpus named “nope”"),
        ({"corpus": None}, "choose a corpus first"),
        ({"retriever": "nope"}, "There is no retriever 'nope'"),
        ({"params": {"nope": 1}}, "has no parameter 'nope'"),
        ({"methods": {"nope": "x"}}, "There is no skill 'nope'"),
        ({"methods": {"answer": "x"}}, "has no method 'x'"),
    ],
)
def test_bad_requests_are_refused_before_anything_runs(
    bench: Workbench, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError) as error:
        bench.launcher.start(request(**{"strategy": "plain", **options}))
    assert sentence in str(error.value)


def test_two_runs_at_once_do_not_mix(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.delay = 0.1
    jobs = [bench.launcher.start(request("multi-query", question=f"Question number {n}?")) for n in range(6)]
    for number, job in enumerate(jobs):
        run = record(job.result(60))
        assert run.started is not None
        assert run.started.question == f"Question number {number}?"
        assert all(f"number {number}?" in query.text for query in run.find(Queries)[0].queries)


def test_the_state_after_each_step_can_be_read_after_a_restart(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    run = ask(bench, "rag-fusion")
    assert run.started is not None
    name, strategy = run.started.run, strategies()["rag-fusion"]

    async def history() -> list[Any]:
        async with open_checkpoints(bench.settings.rag_loupe_home) as saver:
            graph = strategy.build(strategy.params()).compile(checkpointer=saver)
            return [state async for state in graph.aget_state_history({"configurable": {"thread_id": name}})]

    states = run_blocking(history())
    assert states[0].values["answer"] == run.answer
    assert isinstance(states[0].values["answer"], Answer)
    ids = {task.id for state in states for task in state.tasks}
    assert {step.id for step in run.steps} <= ids


def test_prompts_of_the_user_are_used_and_recorded(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, "closed-book", prompts={"recall.model": "My own words: {question}"})
    assert scripted.requests[0]["body"]["messages"][0]["content"] == f"My own words: {QUESTION}"
    assert run.started is not None
    assert run.started.prompts == {"recall.model": "My own words: {question}"}


def test_an_unknown_run_has_no_job(bench: Workbench) -> None:
    assert bench.launcher.job("nope") is None


def test_listing_by_owner(bench: Workbench, scripted: ScriptedServer) -> None:
    job = bench.launcher.start(request("closed-book", owner="ann of this test"))
    job.result(60)
    assert [run.id for run in bench.store.list(RunFilter(owners=["ann of this test"]))] == [job.run]
    assert bench.store.list(RunFilter(owners=["bob of this test"])) == []


def test_the_server_s_endpoint_is_told_who_asks_and_one_of_the_browser_is_not(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    for owner, endpoint in (("a" * 32, None), ("b" * 32, None), ("a" * 32, scripted.endpoint())):
        ask(bench, "plain", owner=owner, chat=EndpointModel(endpoint) if endpoint else CONFIGURED)
    told_of = [one["body"].get("user") for one in scripted.requests]
    assert told_of == [name_for_endpoint("a" * 32), name_for_endpoint("b" * 32), None]
    assert "a" * 32 not in str(scripted.requests)
