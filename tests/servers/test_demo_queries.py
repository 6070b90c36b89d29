"""The queries that questions about the demo world call ideal, on its real graph: they give the answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from core.corpora.chunk_store import ChunkStore
from core.corpora.demo import DEMO_CORPUS, WORLD
from core.corpora.entries import Corpus
from core.errors import StoreError
from core.knowledge.ask.asking import Asker
from core.runs.gallery import DEMO_GRAPH
from core.runs.workbench import Workbench
from core.trace.artefacts import Table
from tests.bench import leave, open_bench
from tests.homes import Homes
from tools.explorables.agentic import RESULTS
from tools.explorables.graph_tools import results

QUESTIONS = [
    json.loads(line) for line in (WORLD / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
QUERIED = [one for one in QUESTIONS if one["ideal"].keys() & {"cypher", "graph"}]


@pytest.fixture(scope="module")
def bench(homes: Homes) -> Iterator[Workbench]:
    opened = open_bench(homes.demo())
    yield opened
    leave(opened)


@pytest.fixture(scope="module")
def asker(bench: Workbench) -> Asker:
    return Asker(bench.graphs.prepare(DEMO_GRAPH).result())


async def _answered(asker: Asker, ideal: dict[str, Any]) -> Table:
    if "cypher" in ideal:
        return await asker.run_query(ideal["cypher"])
    wanted = ideal["graph"]
    template = next(one for one in asker.templates if one.name == wanted["template"])
    return (await asker.run_template(template, wanted["arguments"]))[0]


@pytest.mark.parametrize("question", QUERIED, ids=lambda question: str(question["id"]))
def test_the_ideal_query_gives_the_answer(asker: Asker, question: dict[str, Any]) -> None:
    table = asyncio.run(_answered(asker, question["ideal"]))
    cells = " | ".join(str(value) for row in table.rows for value in row)
    if names := question["ideal"].get("names"):  # the answer is a list
        assert [name for name in names if name not in cells] == []
    else:
        assert any(answer in cells for answer in question["answers"]), cells


def test_the_results_that_an_explorable_shows_are_those_of_the_tools(asker: Asker) -> None:
    assert asyncio.run(results(asker)) == json.loads(RESULTS.read_text(encoding="utf-8"))


def test_the_graph_is_held_against_its_corpus_only_when_that_has_changed(
    bench: Workbench, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unread(corpus: Corpus) -> ChunkStore:
        raise StoreError(f"All of {corpus.name} would be read.")

    monkeypatch.setattr(bench.corpora, "chunk_store", unread)
    graph = asker.explorer.graph
    assert bench.graphs.prepare(DEMO_GRAPH).result().graph.id == graph.id
    corpus = bench.corpora.catalogue.corpus(DEMO_CORPUS)
    bench.corpora.catalogue.rename(corpus.id, f"{DEMO_CORPUS} once")  # raises its version, as all changes do
    bench.corpora.catalogue.rename(corpus.id, DEMO_CORPUS)
    with pytest.raises(StoreError, match="would be read"):
        bench.graphs.prepare(DEMO_GRAPH).result()
    monkeypatch.undo()
    assert bench.graphs.prepare(DEMO_GRAPH).result().graph.id == graph.id


def test_counting_is_for_the_graph() -> None:
    assert {one["id"] for one in QUESTIONS if one["kind"] == "counting"} <= {one["id"] for one in QUERIED}
