"""A home made by an earlier version, with its engines: asked, searched, continued, forked, brought in elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InputError
from core.evaluation import pairs
from core.evaluation.datasets import read_upload
from core.evaluation.plan import text_hash
from core.evaluation.runner import Evaluations
from core.jobs import run_blocking
from core.knowledge.store.importing import import_file
from core.runs.notebook import gather, notebook
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.transfer import import_file as import_runs
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.artefacts import Queries, Query, Ranking
from core.trace.events import RunStarted
from core.users import User
from tests.bench import leave, open_bench
from tests.commands import core_here
from tests.home import CORPUS, FOLDER, GRAPH, GRAPH_QUESTION, OWNER, QUESTION, contents, unpack
from tests.home.make import COMPUTED
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

CONTENTS = contents()
EXPORTS = FOLDER / "exports"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With services of its own: they have to read what older ones wrote."""
    return unpack(tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def kept(home: Path, scripted_server: ScriptedServer) -> Iterator[Workbench]:
    bench = open_bench(home, scripted_server)
    yield bench
    leave(bench)


@pytest.mark.parametrize("retriever", ["dense", "keyword"])
def test_its_corpus_is_searched(kept: Workbench, scripted: ScriptedServer, retriever: str) -> None:
    run = record(
        kept.launcher.start(RunRequest(QUESTION, "plain", corpus=CORPUS, retriever=retriever)).result(60)
    )
    assert run.state == "finished", run.error
    assert run.find(Ranking)[0].hits[0].passage.title == "A Dangerous Age"


def test_its_graph_is_walked_and_asked(kept: Workbench, home: Path) -> None:
    request = RunRequest(GRAPH_QUESTION, "kg-rag", graph=GRAPH, methods=COMPUTED["kg-rag"])
    run = record(kept.launcher.start(request).result(60))
    assert run.answer is not None
    assert run.answer.text == "Michael Wilding"
    query = "MATCH (n:Entity {name: 'Michael Wilding'}) RETURN count(n) AS n"
    asked = core_here(home, "graph", "query", query, "--graph", GRAPH, "--json")
    assert json.loads(asked.stdout)["rows"] == [[1]]


def test_its_stopped_run_goes_on(kept: Workbench, scripted: ScriptedServer) -> None:
    # Not by its skill: it goes on with the prompts of its time.
    scripted.script(Rule(reply="It goes on after all [1]."))
    run = record(kept.launcher.resume(CONTENTS.stopped, OWNER).result(60))
    assert run.state == "finished", run.error
    assert run.answer is not None
    assert run.answer.text == "It goes on after all [1]."
    assert len(scripted.requests) == 1, "what it had is not asked again"


def test_one_can_run_on_from_its_checkpoints(kept: Workbench, scripted: ScriptedServer) -> None:
    parent = CONTENTS.runs["rag-fusion"]
    past = record(kept.store.events(parent))
    step, queries = next((step, one) for step, one in past.artefacts if isinstance(one, Queries))
    edited = queries.model_copy(update={"queries": (Query(text="Films of Furie", origin="user"),)})
    run = record(kept.launcher.fork(parent, step.id, edited, OWNER).result(60))
    assert run.state == "finished", run.error
    assert [ranking.query for ranking in run.find(Ranking)] == ["Films of Furie"]


def test_a_paused_evaluation_whose_prompts_have_changed_says_what_can_be_done(
    kept: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "text_hash", lambda text: text_hash(f"{text} Worded anew."))
    evaluations = Evaluations(kept.launcher)
    before = evaluations.store.outcomes(CONTENTS.paused)
    with pytest.raises(InputError) as said:
        evaluations.start(CONTENTS.paused, User(OWNER)).result(60)
    assert "“Dense” have changed since this evaluation began (answer.model)" in str(said.value)
    assert "those that are done, which stay" in str(said.value)
    assert "begin a new evaluation" in str(said.value)
    assert evaluations.store.outcomes(CONTENTS.paused) == before
    assert evaluations.store.get(CONTENTS.paused).state == "paused"


def test_every_strategy_that_it_has_is_still_here(kept: Workbench) -> None:
    assert set(CONTENTS.runs) <= set(strategies())


@pytest.mark.parametrize("strategy", CONTENTS.runs)
def test_a_run_becomes_a_notebook(kept: Workbench, strategy: str) -> None:
    run = record(kept.store.events(CONTENTS.runs[strategy]))
    assert '"nbformat": 4' in notebook(run, gather(run, kept.corpora, kept.graphs))


@pytest.fixture
def elsewhere(homes: Homes) -> Iterator[Workbench]:
    """A new home of this version."""
    bench = open_bench(homes.new())
    yield bench
    leave(bench)


@pytest.mark.parametrize("name", ["run.jsonl", "comparison.jsonl"])
def test_its_files_are_brought_in_elsewhere(elsewhere: Workbench, name: str) -> None:
    import_runs(name, (EXPORTS / name).read_bytes(), elsewhere.store, elsewhere.comparisons, OWNER)
    runs = elsewhere.store.list()
    assert len(runs) == (1 if name == "run.jsonl" else 3)
    for entry in runs:
        events = elsewhere.store.events(entry.id)
        assert isinstance(events[0], RunStarted)
        assert record(events).state == "finished"


@pytest.mark.parametrize("name", ["graph.tsv", "graph.jsonl"])
def test_its_triples_are_brought_in_elsewhere(elsewhere: Workbench, kept: Workbench, name: str) -> None:
    made = import_file(elsewhere.graphs.graphs, EXPORTS / name, "Brought in")
    assert made.edges == kept.graphs.graphs.catalogue.graph(GRAPH).edges


def test_its_data_set_is_brought_in_elsewhere() -> None:
    found = read_upload([("data-set.zip", (EXPORTS / "data-set.zip").read_bytes())], 25)
    assert [question.text for question in found.questions] == [QUESTION]


def test_nothing_is_left_to_do_in_it(kept: Workbench) -> None:
    assert run_blocking(kept.corpora.clear_up().ended()) == 0
