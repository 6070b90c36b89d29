"""The vectors that come with corpora and data sets are those that the built-in embeddings compute."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.demo import DEMO_CORPORA, WORLD, ensure_demo
from core.corpora.splitting import embedded_text
from core.evaluation.dataset_indexing import index
from core.evaluation.datasets import WIKIPEDIA, read_folder
from core.jobs import run_blocking
from core.models.embedding_vectors import Embeddings, PrecomputedEmbeddings, load_vectors
from core.runs.vectors import SAMPLE
from tests.bench import open_bench
from tests.homes import Homes
from tools.demo_world.vectors import save_vectors


class Unasked(Embeddings):
    """A model that must not be needed."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError(f"{len(texts)} vectors are missing: {texts[0]}")

    def embed_query(self, text: str) -> list[float]:
        raise AssertionError(text)


@pytest.mark.parametrize("name", DEMO_CORPORA)
def test_a_demo_corpus_needs_no_computed_vector(homes: Homes, name: str) -> None:
    bench = open_bench(homes.new())
    try:
        corpora, model = bench.corpora, bench.backends.embedder
        stores = replace(run_blocking(corpora.stores()), embedder=replace(model, embeddings=Unasked()))
        report = run_blocking(ensure_demo(name, stores))
        assert report.documents
        assert not report.skipped
        (corpus,) = corpora.catalogue.corpora()
        titles = corpora.catalogue.ready(corpus.id)
        stored = ChunkStore(open_vectors(stores.vectors), corpus).sample(SAMPLE, frozenset(titles))
        for passage, vector in stored[:: max(1, len(stored) // 5)]:
            computed = model.embeddings.embed_query(embedded_text(titles[passage.document], passage.text))
            assert np.dot(computed, vector) > 0.99, "run make demo-world"
    finally:
        bench.backends.supervisor.release()


@pytest.mark.parametrize(
    ("folder", "command"),
    [(WORLD, "make demo-world"), (WIKIPEDIA, "python -m tools.dataset_vectors")],
    ids=["world", "wikipedia"],
)
def test_nor_does_a_data_set(homes: Homes, folder: Path, command: str) -> None:
    bench = open_bench(homes.new())
    vars(bench.backends)["embedder"] = replace(bench.backends.embedder, embeddings=Unasked())
    dataset = read_folder(folder)
    try:
        corpus = run_blocking(index(dataset, bench.corpora))
        assert corpus.documents == len(dataset.documents), f"run {command}"
    finally:
        bench.backends.supervisor.release()


def test_unknown_texts_go_to_the_model(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    save_vectors(path, "one", ["a"], [[3.0, 4.0]])
    assert load_vectors(path, "two") == {}
    assert load_vectors(tmp_path / "none.npz", "one") == {}

    class Model(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[float(len(text)), 0.0] for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    known = PrecomputedEmbeddings(Model(), load_vectors(path, "one"))
    found = known.embed_documents(["bb", "a", "bb"])
    assert found[0] == found[2] == [2.0, 0.0]
    assert np.allclose(found[1], [0.6, 0.8], atol=1e-3)
    assert np.allclose(known.embed_query("a"), [0.6, 0.8], atol=1e-3)
    assert known.embed_query("ccc") == [3.0, 0.0]
