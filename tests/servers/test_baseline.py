"""The baseline that runs are compared with, with the real Chroma and embeddings and a scripted endpoint."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from core.cards.outcome import outcome
from core.corpora.entries import Question
from core.errors import ServiceError
from core.retrieval.retriever import Retriever
from core.runs.budget import chunks_given, given_passages
from core.runs.record import Record, record
from core.runs.request import EVALUATION, RunRequest
from core.runs.workbench import Workbench
from core.trace.artefacts import EVAL_CUTOFF, Baseline, Rewrite, SubQuestions
from core.trace.events import ArtefactMade, RunFinished
from tests.bench import CORPUS
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"
FERRY = (
    "The ferry sails at dawn from the harbour of Lanark. The ferry carries cars and people to the islands. Tickets for "
    "the ferry are sold on board, and children travel free. In a storm the ferry rests in the harbour all day."
)


def ask(bench: Workbench, strategy: str, **options: Any) -> Record:
    request = RunRequest(
        **{"question": QUESTION, "strategy": strategy, "corpus": CORPUS, "owner": "me", **options}
    )
    return record(bench.launcher.start(request).result(60))


def baseline_of(run: Record) -> Baseline:
    assert run.state == "finished", run.error
    assert run.baseline is not None
    return run.baseline


@pytest.mark.parametrize("retriever", ["dense", "keyword", "hybrid"])
def test_it_is_plain_retrieval_with_as_many_passages(
    bench: Workbench, scripted: ScriptedServer, retriever: str
) -> None:
    run = ask(bench, "multi-query", retriever=retriever)
    held = baseline_of(run)
    # A search of its own with that many gives the same.
    itself = ask(bench, "plain", retriever=retriever, params={"k": chunks_given(run)})
    assert [hit.passage.chunk for hit in held.hits] == [one.chunk for one in given_passages(itself)]
    assert held.retriever == retriever


def test_versions_of_a_page_take_one_place_in_a_run_and_in_what_it_is_held_against(
    bench: Workbench, scripted: ScriptedServer, tmp_path: Path
) -> None:
    for number, text in enumerate(
        (FERRY, FERRY.replace(". ", ".\n\n"), FERRY.replace("free", "at 5 pounds"))
    ):
        (tmp_path / f"ferry-{number}.md").write_text(f"# Ferry {number}\n\n{text}")
    (tmp_path / "wren.md").write_text("# The wren\n\nIt sings in winter.")
    bench.corpora.index([tmp_path], "versions").result(60)
    asked = {"question": "Do children pay on the ferry?", "corpus": "versions", "params": {"k": 2}}
    plain, pooled = (
        ask(bench, "plain", **asked),
        ask(bench, "multi-query", **asked | {"params": {"context_size": 2}}),
    )
    for run in (plain, pooled):
        given = given_passages(run)
        assert len({one.document for one in given}) == len(given) == 2
        assert (
            max(len(one.documents) for one in given) == 2
        )  # three versions, of which one says something else
        held = baseline_of(run)
        assert [len(held.passages), len(held.hits)] == [2, 3]
        assert {chunk for one in held.passages for chunk in one.ids} == {
            chunk for one in given for chunk in one.ids
        }


def test_it_comes_right_before_the_end_and_costs_nothing(bench: Workbench, scripted: ScriptedServer) -> None:
    job = bench.launcher.start(RunRequest(QUESTION, "multi-query", corpus=CORPUS, owner="me"))
    events = job.result(60)
    *_, made, end = events
    assert isinstance(made, ArtefactMade)
    assert isinstance(made.artefact, Baseline)
    assert isinstance(end, RunFinished)
    assert made.at == end.at
    assert [event.seq for event in events] == list(range(len(events)))
    without = record([*events[:-2], end.model_copy(update={"seq": made.seq})])
    assert record(events).totals == without.totals
    assert bench.store.events(job.run) == events


def test_it_knows_the_labels_of_the_corpus(bench: Workbench, scripted: ScriptedServer) -> None:
    corpus = bench.corpora.catalogue.corpus(CORPUS)
    document = next(
        one.id for one in bench.corpora.catalogue.documents(corpus.id) if "Dangerous Age" in (one.title or "")
    )
    before = corpus.questions
    known = Question(text=QUESTION, gold=(document,), answers=("Sidney J. Furie",))
    bench.corpora.catalogue.set_questions(corpus.id, [*before, known])
    try:
        scripted.script(Rule(skill="answer", reply="Sidney J. Furie [1]."))
        found = outcome(ask(bench, "multi-query"))
    finally:
        bench.corpora.catalogue.set_questions(corpus.id, before)
    assert found is not None
    assert (found.found, found.of, found.plain, found.verdict) == (1, 1, 1, "right")


def test_where_no_documents_are_searched_only_what_is_right_is_known(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(bench, "closed-book").baseline is None  # nobody knows that either
    monkeypatch.setattr("core.corpora.demo.DEMO_CORPORA", (CORPUS,))
    corpus = bench.corpora.catalogue.corpus(CORPUS)
    before = corpus.questions
    known = Question(text=QUESTION, gold=("any",), answers=("Sidney J. Furie",))
    bench.corpora.catalogue.set_questions(corpus.id, [*before, known])
    try:
        scripted.script(Rule(skill="recall", reply="Sidney J. Furie."))
        found = outcome(ask(bench, "closed-book"))
    finally:
        bench.corpora.catalogue.set_questions(corpus.id, before)
    assert found is not None
    assert (found.of, found.plain, found.shared, found.line) == (0, None, None, "Answer right")


def test_evaluations_keep_what_they_are_held_against_themselves(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    assert ask(bench, "plain", owner=EVALUATION).baseline is None


def test_a_run_is_whole_without_it(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(bench, "plain").baseline is not None
    real = Retriever.search

    async def once(self: Retriever, query: str, k: int, depth: int = EVAL_CUTOFF, **more: Any) -> Any:
        if depth >= 40:  # plain retrieval, as deep as it is searched for this
            raise ServiceError("Chroma has gone.")
        return await real(self, query, k, depth=depth, **more)

    monkeypatch.setattr(Retriever, "search", once)
    run = ask(bench, "plain")
    assert (run.state, run.baseline) == ("finished", None)
    assert run.answer is not None


def test_a_stop_that_comes_while_it_is_searched_does_not_take_the_end_of_the_run(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, reached = Retriever.search, threading.Event()

    async def waits(self: Retriever, query: str, k: int, depth: int = EVAL_CUTOFF) -> Any:
        if depth >= 40:
            reached.set()
            await asyncio.Event().wait()
        return await real(self, query, k, depth=depth)

    monkeypatch.setattr(Retriever, "search", waits)
    job = bench.launcher.start(RunRequest(QUESTION, "plain", corpus=CORPUS, owner="me"))
    assert reached.wait(60)
    job.stop()
    run = record(job.result(60))
    assert (run.state, run.baseline) == ("finished", None)
    assert run.answer is not None


def test_a_fork_is_held_against_it_too(bench: Workbench, scripted: ScriptedServer) -> None:
    first = ask(bench, "decomposition-independent")
    assert first.started is not None
    step, made = next((step, one) for step, one in first.artefacts if isinstance(one, SubQuestions | Rewrite))
    changed = made.model_copy(update={"questions": ("Who directed A Dangerous Age?",)})
    job = bench.launcher.fork(first.started.run, step.id, changed, "me")
    fork = record(job.result(60))
    assert baseline_of(fork).hits
    assert len(fork.find(Baseline)) == 1
