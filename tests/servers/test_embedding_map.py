"""The vectors behind a run, read from the real Chroma; and the sentence where they cannot be had."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.charts.embedding_map import embedding_map
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.errors import InputError, LoupeError
from core.jobs import run_blocking
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.vectors import run_vectors
from core.runs.workbench import Workbench
from core.trace.artefacts import Ranking
from tests.bench import CORPUS, open_bench, small_corpus
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    """Of its own: a corpus is made and deleted."""
    bench = open_bench(homes.indexed(), scripted_server)
    yield bench
    bench.backends.supervisor.release()


def ask(bench: Workbench, strategy: str, corpus: str = CORPUS) -> Record:
    return record(bench.launcher.start(RunRequest(QUESTION, strategy, corpus=corpus)).result(60))


def test_a_sample_is_spread_over_the_corpus_and_the_same_each_time(bench: Workbench) -> None:
    corpus = bench.corpora.catalogue.corpus(CORPUS)
    store = ChunkStore(open_vectors(run_blocking(bench.backends.vectors_url())), corpus)
    ready = frozenset(bench.corpora.catalogue.ready(corpus.id))
    whole = store.sample(400, ready)
    assert len(whole) == corpus.chunks
    few = store.sample(20, ready)
    assert len(few) == 20
    assert few == store.sample(20, ready)
    places = [[passage.chunk for passage, _ in whole].index(passage.chunk) for passage, _ in few]
    assert max(places) > corpus.chunks // 3
    assert len(store.sample(3, ready)) == 3
    passage, vector = whole[5]
    assert store.vectors([passage.chunk, "unknown"]) == {passage.chunk: vector}
    assert store.vectors([]) == {}
    hidden = store.sample(400, ready - {passage.document})
    assert passage.document not in {other.document for other, _ in hidden}


def test_the_mean_on_the_map_is_what_was_searched_with(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="passage", reply="A Dangerous Age is a film by Sidney J. Furie."))
    run = ask(bench, "hyde")
    vectors = run_blocking(run_vectors(bench.corpora, [run]))
    assert [item.role for item in vectors.searched] == ["question", "passage", "mean"]
    best = run.find(Ranking)[-1].hits[0]
    place = [passage.chunk for passage in vectors.hits].index(best.passage.chunk)
    mean, hit = vectors.searched_vectors[-1], vectors.hit_vectors[place]
    assert sum(a * b for a, b in zip(mean, hit, strict=True)) == pytest.approx(best.score, abs=1e-3)
    assert vectors.gone == 0
    assert not {p.chunk for p in vectors.hits} & {p.chunk for p in vectors.others}
    assert 0 < (embedding_map(vectors).kept or 0) < 1


@pytest.mark.parametrize("strategy", ["multi-query", "rag-fusion"])
def test_every_query_is_on_the_map_with_what_it_found(
    bench: Workbench, scripted: ScriptedServer, strategy: str
) -> None:
    run = ask(bench, strategy)
    vectors = run_blocking(run_vectors(bench.corpora, [run]))
    assert len(vectors.searched) == len({ranking.query for ranking in run.find(Ranking)}) > 2
    assert all(len(item.chunks) == 4 for item in vectors.searched)
    both = run_blocking(run_vectors(bench.corpora, [ask(bench, "plain"), run]))
    (question, *_) = both.searched
    assert both.chunks_by_run == {
        0: question.chunks,
        1: tuple(sorted({chunk for item in vectors.searched for chunk in item.chunks})),
    }


def test_a_deleted_corpus_and_another_model_are_sentences(bench: Workbench, scripted: ScriptedServer) -> None:
    home = bench.settings.rag_loupe_home
    bench.corpora.index([small_corpus(home, 3)], "Soon gone").result()
    run = ask(bench, "multi-query", "Soon gone")
    other = open_bench(home, embedding_model="other", embedding_base_url="http://127.0.0.1:9/v1")
    with pytest.raises(InputError, match="embedding model"):
        run_blocking(run_vectors(other.corpora, [run]))
    bench.corpora.delete("Soon gone")
    with pytest.raises(LoupeError, match="no corpus named “Soon gone”"):
        run_blocking(run_vectors(bench.corpora, [run]))
    with pytest.raises(InputError, match="searched no corpus"):
        run_blocking(run_vectors(bench.corpora, [ask(bench, "closed-book")]))
    other.backends.supervisor.release()
