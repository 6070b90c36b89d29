"""Whole runs with reranking: real graphs, Chroma and embeddings; a scripted chat endpoint and a scripted reranker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import InputError
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Setting
from core.evaluation.sweeps import recomputable
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import get_strategy, strategies
from core.trace.artefacts import Fusion, Ranking
from core.trace.events import ModelStarted
from tests.bench import CORPUS, open_bench
from tests.homes import Homes
from tests.reranker import Reranker
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.holding import FOR_EVER, a, wait_for

QUESTION = "Who directed A Dangerous Age?"
LAST = Rule(skill="rerank", reply=json.dumps({"order": [20, 19, 19, 77]}))
VARIANTS = Rule(
    skill="reword search_queries sub_questions",
    reply=json.dumps({"queries": ["Films of 1957", "Canadian directors", "Dangerous Age"]}),
)


@pytest.fixture(scope="module")
def reranker() -> Iterator[Reranker]:
    server = Reranker()
    yield server
    server.close()


@pytest.fixture(scope="module")
def served(scripted_server: ScriptedServer, reranker: Reranker, homes: Homes) -> Iterator[Workbench]:
    """A workbench with a reranker."""
    settings = {"rerank_base_url": reranker.url, "rerank_api_key": "right", "rerank_model": "judge-1"}
    bench = open_bench(homes.indexed(), scripted_server, model_attempts=1, **settings)
    yield bench
    bench.backends.supervisor.release()


SEARCHES = Rule(skill="route", reply='{"reason": "It asks for a fact.", "way": "one-search"}')
"""The way of a strategy that chooses one."""


def ask(bench: Workbench, strategy: str = "plain", question: str = QUESTION, **options: Any) -> Record:
    options = {"params": {"rerank": 20}, "corpus": CORPUS} | options
    run = record(bench.launcher.start(RunRequest(question, strategy, **options)).result(120))
    assert run.state == "finished", run.error
    return run


def searched(bench: Workbench, retriever: str = "dense", **options: Any) -> Ranking:
    """What the same question finds without another judge, as deep."""
    return ask(bench, retriever=retriever, params={"k": 20}, **options).find(Ranking)[0]


def test_the_model_turns_the_order_round(bench: Workbench, scripted: ScriptedServer) -> None:
    before = searched(bench)
    scripted.reset()
    scripted.script(LAST.model_copy())
    run = ask(bench)
    (found,) = run.find(Ranking)
    assert (found.skill, found.method, found.k, len(found.hits)) == ("rerank", "model", 6, 20)
    assert [hit.before for hit in found.hits] == [20, 19, *range(1, 19)]
    chunks = [hit.passage.chunk for hit in before.hits]
    assert [chunks[(hit.before or 0) - 1] for hit in found.hits] == [hit.passage.chunk for hit in found.hits]
    context = run.context
    assert context is not None
    assert [item.passage.chunk for item in context.passages if item.given] == [
        hit.passage.chunk for hit in found.used
    ]
    assert [call.skill for call in run.calls] == ["rerank", "answer"]
    assert run.calls[0].step == next(step.id for step in run.steps if step.node == "retrieve")
    assert found.hits[0].passage.text in told(scripted.requests[1]["body"]["messages"], "context")
    started = run.started
    assert started is not None
    assert started.methods["rerank"] == "model"
    assert "rerank.model" in started.prompts


def test_a_run_without_it_says_nothing_of_it(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, params={})
    started = run.started
    assert started is not None
    assert started.params["rerank"] == 0
    assert not {"rerank", "rerank.model"} & {*started.methods, *started.prompts}
    assert "before" not in run.find(Ranking)[0].model_dump_json()


@pytest.mark.parametrize("retriever", ["dense", "keyword", "hybrid", "linked"])
def test_token_by_token_with_every_retriever(
    bench: Workbench, scripted: ScriptedServer, retriever: str
) -> None:
    run = ask(bench, retriever=retriever, methods={"rerank": "tokens"})
    (found,) = run.find(Ranking)
    assert (found.retriever, found.method) == (retriever, "tokens")
    assert found.hits[0].passage.title == "A Dangerous Age"
    before = sorted(hit.before or 0 for hit in found.hits)
    assert before == list(range(1, len(before) + 1))
    assert [call.skill for call in run.calls] == ["answer"]


@pytest.mark.parametrize(
    "strategy", [key for key, one in strategies().items() if one.retrieves and not one.explores]
)
def test_every_search_of_a_strategy_is_reranked(
    bench: Workbench, scripted: ScriptedServer, strategy: str
) -> None:
    scripted.script(VARIANTS.model_copy(), Rule(skill="resolve", reply=QUESTION), SEARCHES)
    run = ask(bench, strategy, retriever="hybrid", methods={"rerank": "tokens"})
    rankings = run.find(Ranking)
    assert rankings
    assert {ranking.method for ranking in rankings} == {"tokens"}
    assert all(hit.before for ranking in rankings for hit in ranking.hits)
    assert {ranking.retriever for ranking in rankings} == {"hybrid"}, "one list per query, no fusion of two"


def test_fusion_takes_the_new_ranks(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(VARIANTS.model_copy(), LAST.model_copy())
    run = ask(bench, "rag-fusion")
    (fusion,) = run.find(Fusion)
    ranks = {
        (place, hit.passage.chunk): hit.rank
        for place, ranking in enumerate(run.find(Ranking))
        for hit in ranking.used
    }
    queries = [ranking.query for ranking in run.find(Ranking)]
    assert sorted(queries) == sorted(column.query for column in fusion.lists)
    for row in fusion.rows:
        for column, rank in zip(fusion.lists, row.ranks, strict=True):
            assert ranks.get((queries.index(column.query), row.passage.chunk)) == rank


def test_a_reranker_is_asked_by_default_where_there_is_one(
    served: Workbench, scripted: ScriptedServer, reranker: Reranker
) -> None:
    reranker.reset()
    run = ask(served)
    (found,) = run.find(Ranking)
    assert (found.method, found.score_name) == ("server", "score of judge-1")
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(reranker.bodies[0]["documents"]) == 20
    assert reranker.bodies[0]["query"] == QUESTION
    assert [call.skill for call in run.calls] == ["answer"]
    reranker.reset()
    ask(served, "hyde")
    assert {body["query"] for body in reranker.bodies} == {QUESTION}, "judged by the question"


def test_a_reranker_that_fails_loses_no_run(
    served: Workbench, scripted: ScriptedServer, reranker: Reranker
) -> None:
    plain = searched(served)
    reranker.reset()
    reranker.fault = "500"
    (found,) = ask(served).find(Ranking)
    assert [hit.passage.chunk for hit in found.hits] == [hit.passage.chunk for hit in plain.hits]
    assert {hit.before for hit in found.hits} == {None}
    assert "Not reranked" in found.note
    assert "status 500" in found.note
    assert (found.skill, found.method) == ("rerank", "server")
    reranker.reset()


def test_none_can_be_chosen_where_there_is_none(bench: Workbench) -> None:
    request = RunRequest(QUESTION, "plain", corpus=CORPUS, methods={"rerank": "server"})
    with pytest.raises(InputError, match="none is configured. Set RERANK_BASE_URL"):
        bench.launcher.start(request)


def test_a_stop_in_the_middle_keeps_what_there_is(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="rerank", delay=FOR_EVER))
    job = bench.launcher.start(RunRequest(QUESTION, "plain", corpus=CORPUS, params={"rerank": 20}))
    wait_for(job, a(ModelStarted))
    job.stop()
    run = record(job.result(60))
    assert run.state == "stopped"
    assert [(call.skill, call.state) for call in run.calls] == [("rerank", "stopped")]
    assert not run.find(Ranking)


def test_the_cap_on_calls_counts_windows(bench: Workbench, scripted: ScriptedServer) -> None:
    capped = open_bench(bench.settings.rag_loupe_home, scripted, max_calls=2)
    request = RunRequest(QUESTION, "plain", corpus=CORPUS, params={"rerank": 40})
    run = record(capped.launcher.start(request).result(60))
    assert (run.state, run.totals.calls) == ("stopped", 2)
    assert "used up its 2 model calls" in run.error


def test_windows_are_in_the_forecast(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, params={"rerank": 40})
    plain = get_strategy("plain")
    expected = plain.forecast(plain.parse({"rerank": 40}), {"rerank": "model", "answer": "model"})
    assert (expected.rounds, expected.calls_expected) == (4, 4) == (run.totals.rounds, run.totals.calls)
    tokens = plain.forecast(plain.parse({"rerank": 40}), {"rerank": "tokens", "answer": "model"})
    assert (tokens.rounds, tokens.calls_expected) == (1, 1)


def test_plain_retrieval_beside_it_is_not_reranked(bench: Workbench, scripted: ScriptedServer) -> None:
    before = searched(bench)
    scripted.reset()
    scripted.script(LAST.model_copy())
    beside = ask(bench).baseline
    assert beside is not None
    assert [hit.passage for hit in beside.hits] == [hit.passage for hit in before.hits[:6]]


def test_no_other_depth_is_told_from_a_reranked_run() -> None:
    def setting(method: str = "", **params: Any) -> Setting:
        methods = {"rerank": method} if method else {}
        return Setting(label="s", strategy="rag-fusion", params=params, methods=methods)

    assert recomputable(setting(rerank=20), setting(rerank=20, rrf_k=10))
    assert not recomputable(setting(), setting(rerank=20))
    assert not recomputable(setting(rerank=20), setting(rerank=30))
    assert not recomputable(setting(rerank=20), setting())
    assert not recomputable(setting("tokens", rerank=20), setting("model", rerank=20))
    plain = Setting(label="p", strategy="plain")
    assert not asks_model(plain, retrieval_only=True)
    assert asks_model(plain.model_copy(update={"params": {"rerank": 20}}), retrieval_only=True)
    tokens = {"params": {"rerank": 20}, "methods": {"rerank": "tokens"}}
    assert not asks_model(plain.model_copy(update=tokens), retrieval_only=True)
