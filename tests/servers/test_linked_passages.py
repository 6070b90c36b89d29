"""Linked passages: real graph, real Chroma, real embeddings, a scripted endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.retrieval.linked import NO_LINKS, NOWHERE
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.trace.artefacts import Context, Ranking, Walk
from tests.bench import open_bench
from tests.embedder import word_counts
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer, told

TEXTS = {
    "anna": "# Anna Dacre (chemist)\n\nAnna Dacre wrote many letters. Her letters to Bert Olsen are lost.",
    "bert": "# Bert Olsen\n\nHe was born in a town by the sea, Port Carrick. He flew.",
    "carrick": "# Port Carrick\n\nFounded in 1802 by fishermen.",
    **{f"letters-{number}": f"# Letters {number}\n\nLetters about wool and wood." for number in range(9)},
}
QUESTION = "When was the town founded in which the man was born to whom Anna Dacre wrote letters?"
NAMES = ["Anna Dacre (chemist)", "Bert Olsen", "Port Carrick"]


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.new(), scripted_server)
    files = [(f"{name}.md", text.encode()) for name, text in TEXTS.items()]
    bench.corpora.index(files, "Linked").result()
    bare = [(name, text) for name, text in files if name.startswith("letters")]
    bench.corpora.index(bare, "Bare").result()
    yield bench
    bench.backends.supervisor.release()


def ask(bench: Workbench, question: str = QUESTION, **options: Any) -> Record:
    request = RunRequest(question, **{"strategy": "linked-passages", "corpus": "Linked"} | options)
    run = record(bench.launcher.start(request).result(60))
    assert run.state == "finished", run.error
    return run


def test_mentions_lead_from_passage_to_passage(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, retriever="dense", params={"seeds": 1, "k": 3})
    (found,), (walk,), (context,) = run.find(Ranking), run.find(Walk), run.find(Context)
    assert found.retriever == "hybrid"  # the only way in which it searches, whatever is chosen for others
    assert run.started is not None
    assert run.started.retriever == "hybrid"
    assert found.hits[0].passage.title == NAMES[0]
    ways = {one.passage.title: one for one in walk.passages}
    chunks = [ways[name].passage.chunk for name in NAMES]
    assert [ways[name].via for name in NAMES] == ["", *chunks[:2]]
    assert [next(step for step, chance in enumerate(ways[name].visits) if chance) for name in NAMES] == [
        0,
        1,
        2,
    ]
    links = {(link.source, link.target): link for link in walk.links}
    assert {ends: link.name for ends, link in links.items()} == {
        (chunks[0], chunks[1]): "Bert Olsen",
        (chunks[1], chunks[2]): "Port Carrick",
    }
    assert links[chunks[0], chunks[1]].sentence == "Her letters to Bert Olsen are lost."
    assert sum(one.chance for one in walk.passages) == pytest.approx(1, abs=1e-4)
    assert walk.reached == 3
    # The first by both are given, and read by the model.
    best = [one.passage.title for one in walk.passages if one.rank <= 3]
    assert sorted(best) == sorted(NAMES)
    assert [item.passage.title for item in context.passages if item.given] == best
    scores = [item.score or 0.0 for item in context.passages]
    assert scores == sorted(scores, reverse=True)
    assert "Founded in 1802" in told(scripted.requests[0]["body"]["messages"], "context")
    assert (run.totals.calls, run.totals.rounds) == (1, 1)


def test_without_the_walk_or_the_cosine(bench: Workbench, scripted: ScriptedServer) -> None:
    all_stop = ask(bench, params={"seeds": 1, "restart": 1.0}).find(Walk)[0]
    assert [one.chance for one in all_stop.passages if one.chance] == [1.0]
    no_cosine = ask(bench, params={"seeds": 1, "weight": 0}).find(Walk)[0]
    chances = [one.chance for one in no_cosine.passages]
    assert chances == sorted(chances, reverse=True)


def test_where_nothing_is_mentioned_it_is_the_search_alone(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    for corpus, question, note in (
        ("Bare", "Letters 3", NO_LINKS),
        ("Linked", "wool and wood, letters 3", NOWHERE),
    ):
        options: dict[str, Any] = {"corpus": corpus, "retriever": "hybrid"}
        run = ask(bench, question, params={"seeds": 2}, **options)
        plain = ask(bench, question, strategy="plain", **options)
        assert run.context == plain.context
        (walk,) = run.find(Walk)
        assert (walk.note, walk.passages) == (note, ())


def test_a_corpus_of_another_embedding_model(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    monkeypatch.setitem(vars(bench.backends), "embedder", word_counts())
    monkeypatch.setattr(bench.corpora, "_retrievers", {})
    request = RunRequest(QUESTION, "linked-passages", corpus="Linked")
    run = record(bench.launcher.start(request).result(60))
    assert run.state == "failed"
    assert "embedding model" in run.error


def test_a_walk_begins_at_what_was_moved_up(bench: Workbench, scripted: ScriptedServer) -> None:
    (before,) = ask(bench, params={"seeds": 1}).find(Ranking)
    bert = next(hit.rank for hit in before.hits if hit.passage.title == "Bert Olsen")
    scripted.script(Rule(skill="rerank", reply=f'{{"order": [{bert}]}}'))
    run = ask(bench, params={"seeds": 1, "rerank": 10})
    (found,), (walk,) = run.find(Ranking), run.find(Walk)
    assert (found.hits[0].passage.title, found.hits[0].before) == ("Bert Olsen", bert)
    assert [one.passage.title for one in walk.passages if one.visits[0]] == ["Bert Olsen"]
