"""Homes that were made when the demo was a part of Wikipedia keep that as an ordinary corpus, with its runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.entries import Question
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.trace.artefacts import Ranking
from core.users import User
from tests.bench import leave, open_bench, small_corpus
from tests.commands import core_here
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

FORMER = "Wikipedia demo (60 questions)"
ASKED = "Who directed A Dangerous Age?"


@pytest.fixture
def home(homes: Homes, tmp_path: Path, scripted_server: ScriptedServer) -> Iterator[Workbench]:
    """As an earlier version left it, with a run."""
    bench = open_bench(homes.new(), scripted_server)
    bench.corpora.index([small_corpus(tmp_path)], FORMER).result()
    corpus = bench.corpora.catalogue.corpus(FORMER)
    documents = bench.corpora.catalogue.documents(corpus.id)
    gold = tuple(one.id for one in documents if one.title == "A Dangerous Age")
    bench.corpora.catalogue.set_questions(corpus.id, [Question(text=ASKED, answers=("Furie",), gold=gold)])
    yield bench
    leave(bench)


def ask(bench: Workbench) -> str:
    run = record(bench.launcher.start(RunRequest(ASKED, "plain", corpus=FORMER)).result(60))
    assert run.state == "finished", run.error
    assert run.find(Ranking)[0].hits[0].passage.title == "A Dangerous Age"
    assert run.started is not None
    return run.started.run


def test_it_stays_and_can_be_asked_and_deleted(home: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="Sidney J. Furie [1]."))
    before, run = home.corpora.catalogue.corpus(FORMER), ask(home)
    assert home.corpora.demo().result().moved_to == ""
    assert home.corpora.catalogue.corpus(FORMER) == before
    assert list(home.corpora.offered()) == [*DEMO_CORPORA, FORMER]
    ask(home)
    listed = core_here(home.settings.rag_loupe_home, "corpora").stdout
    assert listed.index(DEMO_CORPUS) < listed.index(FORMER) < listed.index(DEMO_CORPORA[1])

    home.corpora.delete(FORMER, User(teacher=True))
    assert list(home.corpora.offered()) == list(DEMO_CORPORA)
    kept = record(home.store.events(run))
    assert kept.started is not None
    assert (kept.started.corpus, kept.state) == (FORMER, "finished")
