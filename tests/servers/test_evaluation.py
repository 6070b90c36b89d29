"""Evaluations on real Chroma, real embeddings and the scripted endpoint: nothing lost, nothing paid twice."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import bm25s
import numpy as np
import pytest

from core.corpora.splitting import embedded_text
from core.errors import InputError
from core.evaluation import runner
from core.evaluation.dataset_indexing import index
from core.evaluation.datasets import DataSet, read_folder, sample
from core.evaluation.forecast import forecast
from core.evaluation.plan import Evaluation, Outcomes, Setting
from core.evaluation.ranking_scores import means, ranking_scores
from core.evaluation.results import report, scores, stages
from core.evaluation.runner import EvaluationJob, Evaluations, New
from core.jobs import run_blocking
from core.models.endpoint import name_for_endpoint
from core.retrieval.keyword import K1, B
from core.retrieval.tokens import tokens
from core.runs.beginnings import ANSWER_NODE
from core.runs.notebook.materials import corpus_sources
from core.runs.record import record
from core.runs.request import EVALUATION, RunRequest
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import Edge, RunContext
from core.trace.artefacts import Answer
from core.trace.events import RunStarted
from core.users import User
from tests.bench import open_bench
from tests.homes import Homes
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

ME = User("me")
PLAIN = Setting(label="plain", strategy="plain")
KEYWORD = Setting(label="keyword", strategy="plain", retriever="keyword")
FUSION = Setting(label="rag-fusion", strategy="rag-fusion")
CLOSED = Setting(label="closed-book", strategy="closed-book")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    return read_folder(small_data_set(tmp_path_factory.mktemp("data") / "small"))


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes, dataset: DataSet) -> Iterator[Workbench]:
    bench = open_bench(homes.new(), scripted_server, model_attempts=1)
    run_blocking(index(dataset, bench.corpora))
    yield bench
    bench.backends.supervisor.release()


@pytest.fixture
def evaluations(bench: Workbench) -> Evaluations:
    return Evaluations(bench.launcher)


def finished(job: EvaluationJob, evaluations: Evaluations) -> tuple[Evaluation, Outcomes]:
    found = job.result(60)
    assert found.state == "finished"
    return found, evaluations.store.outcomes(found.id)


def paid(server: ScriptedServer) -> Counter[str]:
    """How often each prompt was sent."""
    return Counter(json.dumps(request["body"]["messages"]) for request in server.requests)


def test_retrieval_alone_asks_no_model_and_is_judged(
    evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    job = evaluations.start(New(dataset, (PLAIN, KEYWORD), retrieval_only=True), ME)
    found, outcomes = finished(job, evaluations)
    assert not scripted.requests
    assert len(outcomes.done) == found.total == 10
    assert not outcomes.failed
    assert all((one.passages, one.answer, one.run) == (10, None, "") for one in outcomes.done.values())
    assert {document for one in outcomes.done.values() for document in one.ranking} <= {
        document.id for document in dataset.documents
    }
    told = report(found, outcomes)
    assert (told["model"], told["failed"], told["baseline"]) == ("", [], "plain")
    plain, keyword = told["strategies"]["plain"], told["strategies"]["keyword"]
    assert 0.3 < plain["metrics"]["nDCG@10"] <= 1
    low, high = plain["intervals"]["nDCG@10"]
    assert low <= plain["metrics"]["nDCG@10"] <= high
    assert plain["differences"] == {}
    assert keyword["differences"]["nDCG@10"]["verdict"] == "no significant difference"
    # Finished: the same again is a new evaluation, with the same numbers.
    again, same = finished(
        evaluations.start(New(dataset, (PLAIN, KEYWORD), retrieval_only=True), ME), evaluations
    )
    assert again.id != found.id
    assert report(again, same)["strategies"]["plain"]["metrics"] == plain["metrics"]


def test_each_setting_is_prepared_once(
    bench: Workbench, evaluations: Evaluations, dataset: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, retrievers = bench.launcher.prepare, list[str]()

    async def counted(request: RunRequest) -> tuple[RunStarted, RunContext[Any]]:
        retrievers.append(request.retriever)
        return await prepare(request)

    monkeypatch.setattr(bench.launcher, "prepare", counted)
    finished(evaluations.start(New(dataset, (PLAIN, KEYWORD), retrieval_only=True), ME), evaluations)
    assert retrievers == ["dense", "keyword"]


def test_keyword_retrieval_equals_the_library_on_the_same_tokens(
    bench: Workbench, evaluations: Evaluations, dataset: DataSet
) -> None:
    found, outcomes = finished(
        evaluations.start(New(dataset, (KEYWORD,), retrieval_only=True), ME), evaluations
    )
    corpus = bench.corpora.catalogue.corpus(found.spec.corpus)
    keys = {entry.id: entry.key for entry in bench.corpora.catalogue.documents(corpus.id)}
    chunks = corpus_sources(bench.corpora, corpus.name, 10_000)
    library = bm25s.BM25(method="lucene", k1=K1, b=B)
    library.index(
        [tokens(embedded_text(chunk.title, chunk.passage.text)) for chunk in chunks], show_progress=False
    )
    rankings = {}
    for question in dataset.questions:
        best = np.argsort(-library.get_scores(tokens(question.text)), kind="stable")[:10]
        rankings[question.id] = [keys[chunks[place].passage.document] for place in best]
    direct = means(ranking_scores(rankings, {one.id: one.gold for one in dataset.questions}).values())
    ours = means(scores(found, outcomes)["keyword"].values())
    assert ours["nDCG@10"] == pytest.approx(direct["nDCG@10"], abs=0.001)


@pytest.mark.parametrize("retriever", ["dense", "keyword", "hybrid", "linked"])
def test_what_was_given_is_held_against_plain_retrieval_with_as_many_passages(
    bench: Workbench, evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet, retriever: str
) -> None:
    parts = ["Where was the director born?", "nationality", "Which film came out in 1943?", "age"]
    scripted.script(Rule(skill="sub_questions", reply=json.dumps({"queries": parts})))
    few = sample(dataset, 3, 0)
    split = Setting(label="split", strategy="decomposition-independent", retriever=retriever)
    plain = PLAIN.model_copy(update={"retriever": retriever})
    found, outcomes = finished(
        evaluations.start(New(few, (plain, split), retrieval_only=True), ME), evaluations
    )
    judged = scores(found, outcomes)
    for question in few.questions:
        mine, other = (judged[label][question.id] for label in ("plain", "split"))
        given = int(other["passages_given"])
        assert (mine["passages_given"], "evidence_beyond" in mine) == (6, False)
        assert given > 6
        # Plain retrieval that really gives as many finds what it is said to find.
        as_many = New(
            replace(few, questions=(question,)), (plain.model_copy(update={"params": {"k": given}}),)
        )
        deep, really = finished(evaluations.start(replace(as_many, retrieval_only=True), ME), evaluations)
        assert scores(deep, really)["plain"][question.id]["evidence_given"] == other["evidence_plain"]
        assert other["evidence_beyond"] == other["evidence_given"] - other["evidence_plain"]
    told = report(found, outcomes)["strategies"]
    assert told["plain"]["plain_with_as_many"] is None
    assert told["plain"]["metrics"]["passages_given"] == 6
    both = told["split"]["plain_with_as_many"]
    against = told["split"]["differences"]["evidence_beyond"]
    assert against["to"] == "plain retrieval with as many passages"
    assert against["mean"] == pytest.approx(both["given"] - both["plain"])
    assert both["questions"] == 3


def test_only_the_answer_is_left_out(
    bench: Workbench, evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    few = sample(dataset, 2, 0)
    _, outcomes = finished(evaluations.start(New(few, (FUSION,), retrieval_only=True), ME), evaluations)
    assert len(scripted.requests) == 2  # the queries of each question
    for one in outcomes.done.values():
        run = record(bench.store.events(one.run))
        assert (run.state, run.find(Answer), one.calls) == ("finished", [], 1)
        assert [step.node for step in run.steps][-1] == "fuse"
        assert one.ranking


def test_gone_on_with_it_still_does_not_answer(
    bench: Workbench, evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    """Its process was killed after the last step, before the end was noted."""
    few = sample(dataset, 1, 0)
    _, outcomes = finished(
        evaluations.start(New(few, (FUSION,), seed=3, retrieval_only=True), ME), evaluations
    )
    run = next(iter(outcomes.done.values())).run
    last = bench.store.events(run)[-1]
    with closing(sqlite3.connect(bench.settings.rag_loupe_home / "rag-loupe.sqlite")) as connection:
        connection.execute("DELETE FROM run_events WHERE run = ? AND seq = ?", (run, last.seq))
        connection.execute("UPDATE runs SET state = 'stopped' WHERE id = ?", (run,))
        connection.commit()
    ended = record(bench.launcher.resume(run, EVALUATION).result(60))
    assert (ended.state, ended.find(Answer)) == ("finished", [])
    assert len(scripted.requests) == 1


def test_every_strategy_ends_in_the_node_that_answers() -> None:
    for strategy in strategies().values():
        assert Edge(ANSWER_NODE, "__end__", False) in strategy.diagram().edges, strategy.key


def test_full_runs_are_stored_and_not_listed(
    bench: Workbench, evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    few = sample(dataset, 2, 0)
    settings = (PLAIN, CLOSED, FUSION)
    scripted.script(Rule(skill="recall answer", reply="Yes, both are from the same country [1]."))
    expected = forecast(bench, settings, 2, retrieval_only=False, owners=["me"])
    found, outcomes = finished(evaluations.start(New(few, settings, seed=0), ME), evaluations)
    assert expected.calls == len(scripted.requests) == 8
    assert {request["body"]["user"] for request in scripted.requests} == {name_for_endpoint(ME.owner)}
    assert max(paid(scripted).values()) == 1
    told = report(found, outcomes, "closed-book")
    assert told["seed"] == 0
    assert [told["strategies"][label]["calls"] for label in ("plain", "closed-book", "rag-fusion")] == [
        2,
        2,
        4,
    ]
    assert not {"nDCG@10", "passages_given", "evidence_given"} & set(
        told["strategies"]["closed-book"]["metrics"]
    )
    # Where each failed is known without reading its run again.
    lost = stages(found, outcomes)
    assert {one.stage for one in lost["closed-book"].values()} == {"wrong from memory"}
    assert all(one.gold and one.retrieved and one.given for one in lost["plain"].values())
    assert all("supported" in one for one in scores(found, outcomes)["plain"].values())
    assert all("supported" not in one for one in scores(found, outcomes)["closed-book"].values())
    assert told["strategies"]["plain"]["differences"]["accuracy"]["verdict"] == "no significant difference"
    listed = {run.id for run in bench.store.list(RunFilter(owners=[EVALUATION]))}
    assert {one.run for one in outcomes.done.values()} <= listed
    assert not listed & {run.id for run in bench.store.list()}
    # Now that these runs are known, a forecast knows tokens and time as well.
    known = forecast(bench, settings, 2, retrieval_only=True, owners=[])
    assert known.calls == 4  # closed book has but its answer
    assert known.tokens_in
    assert known.seconds


def test_a_pause_loses_nothing_and_pays_nothing_twice(
    evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    what = New(dataset, (FUSION,))
    job = evaluations.start(what, ME, limit=1)
    job.pause()  # before anything began: everything is left
    paused = job.result(60)
    assert (paused.state, job.pairs_done) == ("paused", 0)
    scripted.script(Rule(delay=0.2))  # so that a pause comes before the end
    job = evaluations.start(paused.id, ME, limit=2)
    while job.pairs_done < 2:
        assert not job.done
        time.sleep(0.005)
    job.pause()
    assert job.result(60).state == "paused"
    done = len(evaluations.store.outcomes(paused.id).done)
    assert 2 <= done < 5
    assert len(scripted.requests) == 2 * done
    found, outcomes = finished(evaluations.start(what, ME), evaluations)
    assert found.id == paused.id
    assert len(outcomes.done) == 5
    assert len(scripted.requests) == 10
    assert max(paid(scripted).values()) == 1


def test_stopped_at_once_it_goes_on_inside_the_runs(
    evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    """What a run had when it was stopped is not asked again: its queries were written."""
    few = sample(dataset, 1, 0)
    scripted.script(Rule(skill="answer", delay=600.0))
    job = evaluations.start(New(few, (FUSION,), seed=7), ME)
    while len(scripted.requests) < 2:
        assert not job.done
        time.sleep(0.005)
    job.stop()
    with pytest.raises(BaseException):  # noqa: B017  (cancelled)
        job.result(60)
    assert job.evaluation is not None
    scripted.script()
    _, outcomes = finished(evaluations.start(job.evaluation.id, ME), evaluations)
    assert len(outcomes.done) == 1
    assert len(scripted.requests) == 3  # queries, the answer that was cut off, the answer
    assert {request["body"]["user"] for request in scripted.requests} == {name_for_endpoint(ME.owner)}


def test_failures_are_listed_and_tried_again(
    evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    bad = dataset.questions[2]
    scripted.script(Rule(match=bad.text[:30].replace("?", "."), status=400, reply="No."))
    found, outcomes = finished(evaluations.start(New(dataset, (PLAIN,)), ME), evaluations)
    assert list(outcomes.failed) == [(0, bad.id)]
    assert "400" in outcomes.failed[0, bad.id] or "No." in outcomes.failed[0, bad.id]
    assert report(found, outcomes)["failed"][0]["question"] == bad.id
    scripted.script()
    asked = len(scripted.requests)
    again, outcomes = finished(evaluations.start(found.id, ME), evaluations)
    assert again.id == found.id
    assert not outcomes.failed
    assert len(outcomes.done) == 5
    assert len(scripted.requests) == asked + 1


def test_it_pauses_when_everything_fails(
    evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "FAILED_IN_A_ROW", 2)
    scripted.script(Rule(status=400, reply="Out of money."))
    job = evaluations.start(New(dataset, (CLOSED,)), ME, limit=1)
    assert job.result(60).state == "paused"
    assert job.halted.startswith("The last 2 questions all failed")
    assert len(scripted.requests) == 2


def test_what_is_under_way_is_not_begun_again(evaluations: Evaluations, dataset: DataSet) -> None:
    what = New(dataset, (PLAIN,), retrieval_only=True, seed=11)
    job = evaluations.start(what, ME)
    assert evaluations.start(what, ME) is job
    other = evaluations.start(what, User("somebody else"))
    assert len({finished(one, evaluations)[0].id for one in (job, other)}) == 2


def test_one_process_at_a_time(
    evaluations: Evaluations, dataset: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = evaluations.start(New(dataset, (PLAIN,), retrieval_only=True, seed=1), ME)
    job.pause()
    key = job.result(60).id
    assert evaluations.store.hold(key, "another process", 60)
    assert evaluations.store.get(key).state == "running"
    monkeypatch.setattr(runner, "HOLD_SECONDS", -0.9)
    with pytest.raises(InputError, match="Another process"):
        evaluations.start(key, ME).result(60)
    evaluations.store.release(key, "another process")
    _, outcomes = finished(evaluations.start(key, ME), evaluations)
    assert len(outcomes.done) == 5


def test_a_changed_data_set_is_another_corpus_and_a_changed_corpus_ends_what_was_begun(
    bench: Workbench, evaluations: Evaluations, dataset: DataSet
) -> None:
    mine = replace(dataset, name="Changing", documents=dataset.documents[:12])
    job = evaluations.start(New(mine, (PLAIN,), retrieval_only=True), ME)
    job.pause()
    begun = job.result(60)
    corpus = bench.corpora.catalogue.corpus(begun.spec.corpus)
    assert run_blocking(index(mine, bench.corpora)).version == corpus.version  # nothing to do
    assert run_blocking(index(replace(mine, name="Other"), bench.corpora)).id == corpus.id
    changed = replace(mine, documents=dataset.documents[1:13])
    other = run_blocking(index(changed, bench.corpora))
    assert other.id != corpus.id
    there = bench.corpora.catalogue.documents(other.id)
    assert {entry.key for entry in there} == {document.id for document in changed.documents}
    bench.corpora.delete_documents(corpus.name, [bench.corpora.catalogue.documents(corpus.id)[0].id])
    with pytest.raises(InputError, match="has changed since"):
        evaluations.start(begun.id, ME).result(60)
    assert run_blocking(index(mine, bench.corpora)).documents == 12


@pytest.mark.parametrize(
    ("settings", "only", "message"),
    [
        ((), True, "at least one"),
        ((PLAIN, PLAIN), True, "Two settings are called “plain”"),
        ((CLOSED,), True, "retrieves nothing"),
        ((Setting(label="a", strategy="agentic"),), True, "while it answers"),
        ((Setting(label="k", strategy="kg-rag"),), False, "explores a graph"),
        ((Setting(label="p", strategy="plain", params={"k": 99}),), False, "k"),
        ((Setting(label="p", strategy="plain", retriever="x"),), False, "no retriever"),
    ],
)
def test_what_cannot_be_evaluated(
    evaluations: Evaluations, dataset: DataSet, settings: tuple[Setting, ...], only: bool, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        evaluations.start(New(dataset, settings, retrieval_only=only), ME)
