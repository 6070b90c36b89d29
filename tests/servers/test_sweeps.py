"""Sweeps on real Chroma, real embeddings and the scripted endpoint: what is recomputed is what a run would give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InputError
from core.evaluation.dataset_indexing import index
from core.evaluation.datasets import DataSet, read_folder
from core.evaluation.plan import Budget, Evaluation, GoldTrace, Outcomes, Setting, Sweep, Value
from core.evaluation.results import report
from core.evaluation.runner import Evaluations, New
from core.evaluation.sweep_results import read_sweep, recomputed_values, same_rankings, sweepable
from core.evaluation.sweeps import label_of, new_sweep, sweep_of, with_value
from core.jobs import run_blocking
from core.runs.workbench import Workbench
from core.users import User
from tests.bench import open_bench
from tests.commands import core_here
from tests.homes import Homes
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

ME = User("me")
QUESTIONS = 3
FUSION = Setting(label="rag-fusion", strategy="rag-fusion")
MULTI = Setting(label="multi-query", strategy="multi-query")
STEP_BACK = Setting(label="step", strategy="step-back")
PLAIN = Setting(label="plain", strategy="plain")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data_set(tmp_path_factory.mktemp("data") / "small", questions=QUESTIONS)


@pytest.fixture(scope="module")
def dataset(folder: Path) -> DataSet:
    return read_folder(folder)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """Fewer questions and documents, where each value needs an index of its own."""
    return read_folder(small_data_set(tmp_path_factory.mktemp("data") / "few", questions=3, distracting=4))


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.new(), scripted_server, model_attempts=1)
    yield bench
    bench.backends.supervisor.release()


@pytest.fixture
def evaluations(bench: Workbench) -> Evaluations:
    return Evaluations(bench.launcher)


def finished(evaluations: Evaluations, what: New) -> tuple[Evaluation, Outcomes]:
    found = evaluations.start(what, ME).result(60)
    assert found.state == "finished"
    return found, evaluations.store.outcomes(found.id)


def begun(bench: Workbench, dataset: DataSet, base: Setting, key: str, *values: object) -> New:
    sweep = sweep_of(base, key, values, bench.backends.embedder.max_tokens)
    return new_sweep(dataset, base, sweep, seed=None, retrieval_only=True)


def swept(bench: Workbench, evaluations: Evaluations, what: New) -> tuple[Evaluation, Outcomes]:
    evaluation, outcomes = finished(evaluations, what)
    assert evaluation.spec.sweep is not None
    return read_sweep(bench, evaluation, outcomes, evaluation.spec.settings[0], evaluation.spec.sweep)


def labels(evaluation: Evaluation) -> list[str]:
    return [one.label for one in evaluation.spec.settings]


def rankings(outcomes: Outcomes, place: int) -> dict[str, tuple[str, ...]]:
    return {question: one.ranking for (at, question), one in outcomes.done.items() if at == place}


def trails(outcomes: Outcomes, place: int) -> dict[str, GoldTrace | None]:
    return {question: one.trail for (at, question), one in outcomes.done.items() if at == place}


def budgets(outcomes: Outcomes, place: int, retriever: str) -> dict[str, Budget]:
    """Hybrid search ranks otherwise when it looks deeper: what plain retrieval finds is left out there."""
    found = {question: one.budget for (at, question), one in outcomes.done.items() if at == place}
    told = {question: one for question, one in found.items() if one and one.plain}
    assert len(told) == len(found)
    if retriever != "hybrid":
        return told
    return {question: Budget(given=one.given, found=one.found) for question, one in told.items()}


@pytest.mark.parametrize(
    ("base", "key", "values"),
    [
        (FUSION, "rrf_k", (1, 10, 60, 1000)),
        (FUSION.model_copy(update={"params": {"rrf_k": 1}}), "first_rank", (0, 1)),
        (FUSION, "n", (1, 2, 4)),
        (FUSION.model_copy(update={"retriever": "hybrid"}), "k", (1, 4, 10)),
        (FUSION, "include_original", (True, False)),
        (MULTI.model_copy(update={"retriever": "hybrid"}), "n", (1, 2, 5)),
        (STEP_BACK, "include_original", (True, False)),
        (STEP_BACK, "k", (1, 4)),
        (Setting(label="hyde", strategy="hyde"), "k", (1, 4)),
    ],
)
def test_recomputed_equals_really_run(
    bench: Workbench,
    evaluations: Evaluations,
    scripted: ScriptedServer,
    dataset: DataSet,
    base: Setting,
    key: str,
    values: tuple[Value, ...],
) -> None:
    # Queries that find different things, so that it matters how their rankings are put together.
    queries = ["director of a film", "nationality", "born in", "1943"]
    scripted.script(Rule(skill="reword search_queries", reply=json.dumps({"queries": queries})))
    evaluation, found = swept(bench, evaluations, begun(bench, dataset, base, key, *values))
    assert len(scripted.requests) == QUESTIONS  # one call a question, however many values
    assert labels(evaluation) == [label_of(key, value) for value in values]
    assert len(recomputed_values(evaluation, found)) == len(values) - 1
    assert same_rankings(found) == (
        base.strategy == "hyde"
    )  # its rankings are judged to depth 10 whatever k is
    settings = tuple(with_value(base, key, value) for value in values)
    _, outcomes = finished(evaluations, New(dataset, settings, retrieval_only=True))
    for place in range(len(values)):
        assert rankings(found, place) == rankings(outcomes, place)
        assert budgets(found, place, base.retriever) == budgets(outcomes, place, base.retriever)
        assert trails(found, place) == trails(outcomes, place)
        assert len(rankings(outcomes, place)) == QUESTIONS


def test_what_cannot_be_recomputed_is_run(
    bench: Workbench, evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    """A list of 10 does not tell what one of 12 would hold."""
    what = begun(bench, dataset, FUSION, "k", 2, 4, 12, 16)
    assert [one.label for one in what.settings] == ["k = 4", "k = 12", "k = 16"]
    assert what.baseline == "k = 4"
    assert recomputed_values(*swept(bench, evaluations, what)) == ("k = 2",)
    assert len(scripted.requests) == 3 * QUESTIONS


def test_swept_from_a_stored_evaluation_without_calls(
    bench: Workbench, evaluations: Evaluations, scripted: ScriptedServer, dataset: DataSet
) -> None:
    evaluation, outcomes = finished(evaluations, New(dataset, (PLAIN, FUSION)))
    asked = len(scripted.requests)
    assert sweepable(evaluation).keys() == {"rag-fusion"}
    base, sweep = evaluation.spec.settings[1], Sweep(parameter="rrf_k", values=(1, 60), default=60)
    read, found = read_sweep(bench, evaluation, outcomes, base, sweep)
    assert len(scripted.requests) == asked
    assert (read.spec.baseline, recomputed_values(read, found)) == ("rrf_k = 60", ("rrf_k = 1",))
    # Answers belong to the runs, not to what was recomputed from them.
    told = report(read, found)
    assert told["retrieval_only"]
    assert told["sweep"]["recomputed"] == ["rrf_k = 1"]
    assert {"nDCG@10"} <= set(told["strategies"]["rrf_k = 60"]["metrics"])
    assert "F1" not in told["strategies"]["rrf_k = 60"]["metrics"]
    assert (
        told["strategies"]["rrf_k = 1"]["calls"] == told["strategies"]["rrf_k = 60"]["calls"] == 2 * QUESTIONS
    )
    assert rankings(found, 1) == rankings(outcomes, 1)
    # A run that is gone is a failure of its question, and of no other.
    gone = outcomes.done[1, dataset.questions[0].id].run
    bench.store.delete(gone)
    _, found = read_sweep(bench, evaluation, outcomes, base, sweep)
    assert list(found.failed) == [(0, dataset.questions[0].id)]
    assert len(rankings(found, 0)) == QUESTIONS - 1
    assert len(rankings(found, 1)) == QUESTIONS
    with pytest.raises(InputError, match="n = 9 needs new searches or model calls"):
        read_sweep(bench, evaluation, outcomes, base, Sweep(parameter="n", values=(4, 9), default=4))


def test_chunk_sizes_have_a_corpus_each(
    bench: Workbench, evaluations: Evaluations, scripted: ScriptedServer, few: DataSet
) -> None:
    usual = bench.backends.embedder.max_tokens
    evaluation, found = swept(bench, evaluations, begun(bench, few, PLAIN, "chunk_tokens", 32, 64, usual))
    assert not scripted.requests
    assert (recomputed_values(evaluation, found), evaluation.spec.baseline) == ((), f"chunk_tokens = {usual}")
    catalogue = bench.corpora.catalogue
    corpora = [catalogue.corpus(evaluation.spec.corpus_of(one).name) for one in evaluation.spec.settings]
    assert [(one.chunk_tokens, one.overlap_tokens) for one in corpora] == [(32, 16), (64, 32), (usual, 50)]
    assert corpora[0].chunks > corpora[1].chunks > corpora[2].chunks
    run_blocking(index(few, bench.corpora))
    assert catalogue.corpus(corpora[2].name) == corpora[2]  # the usual chunks are the usual corpus
    assert corpora[0].name.endswith(", chunks 32-16)")
    documents = {document.id for document in few.documents}
    for place in range(3):
        mine = rankings(found, place)
        assert len(mine) == 3
        assert {one for ranking in mine.values() for one in ranking} <= documents
    # Ten chunks of few documents: judged by documents, each at its best chunk.
    assert any(len(one.ranking) < one.passages for (at, _), one in found.done.items() if at == 0)
    again, _ = swept(bench, evaluations, begun(bench, few, PLAIN, "chunk_tokens", 32, 64))
    assert [one.indexed for one in again.spec.settings] == [one.indexed for one in evaluation.spec.settings][
        :2
    ]


def test_the_command_sweeps(bench: Workbench, folder: Path) -> None:
    home = bench.settings.rag_loupe_home
    words = ("--dataset", str(folder), "--strategy", "plain", "--retrieval-only", "--json")
    done = core_here(home, "evaluate", *words, "--sweep", "retriever=dense,keyword,hybrid")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert list(told["strategies"]) == ["retriever = dense", "retriever = keyword", "retriever = hybrid"]
    assert told["baseline"] == "retriever = dense"
    assert told["sweep"]["values"]["retriever = hybrid"] == "hybrid"
    assert told["sweep"]["recomputed"] == []
    shown = core_here(home, "evaluate", "--continue", told["evaluation"])
    assert "retriever = keyword" in shown.stdout
    same = core_here(home, "evaluate", *words[:-1], "--sweep", "k=2,6")
    assert "Every value gives the same ranking for every question" in same.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--strategy", "plain", "--sweep", "rrf_k=1,2"), "'plain' has no parameter 'rrf_k' to sweep"),
        (("--strategy", "rag-fusion", "--sweep", "rrf_k=0,2"), "Parameter 'rrf_k'"),
        (("--strategy", "rag-fusion", "--sweep", "rrf_k=2,2"), "from 2 to 20 different values"),
        (("--strategy", "rag-fusion", "--sweep", "rrf_k"), "NAME=VALUE,VALUE"),
        (
            ("--strategy", "plain", "--sweep", "chunk_tokens=64,9999"),
            "A chunk of 9999 tokens is not possible",
        ),
        (("--strategy", "plain", "--sweep", "chunk_tokens=64,big"), "whole numbers of tokens"),
        (("--strategy", "plain", "--sweep", "retriever=dense,sparse"), "no retriever 'sparse'"),
        (("--strategy", "plain", "hyde", "--sweep", "k=1,2"), "one strategy"),
        (("--strategy", "closed-book", "--sweep", "retriever=dense,keyword"), "no parameter 'retriever'"),
        (("--strategy", "plain", "--sweep", "k=1,2", "--baseline", "k = 2"), "Leave out --baseline"),
    ],
)
def test_what_cannot_be_swept(bench: Workbench, folder: Path, words: tuple[str, ...], message: str) -> None:
    done = core_here(bench.settings.rag_loupe_home, "evaluate", "--dataset", str(folder), *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
