"""Makes data/2wiki_demo60/vectors.npz anew: the built-in vectors of the demo corpus, which make the first start quick.

    python -m benchmarks.demo_vectors

To be run when the demo corpus, the way it is split or the built-in embeddings change; a test fails until then. Prints
how long indexing takes without and with the file.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from core.corpora.demo import VECTORS
from core.models.embedding_vectors import Embeddings
from core.models.embeddings import Embedder
from core.models.precomputed import save_vectors
from core.runs.backends import Backends
from core.runs.sources.corpora import CorpusService
from core.settings import Settings


class _Recorder(Embeddings):
    """Remembers every text and its vector."""

    def __init__(self, model: Embeddings) -> None:
        self._model = model
        self.seen: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors = self._model.embed_documents(texts)
        self.seen |= dict(zip(texts, vectors, strict=True))
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self._model.embed_query(text)


def _index(recorded: bool) -> tuple[float, _Recorder, Embedder]:
    """Seconds for the demo corpus in a new home; `recorded`: every vector is computed and noted."""
    with tempfile.TemporaryDirectory() as home:
        backends = Backends(Settings(_env_file=None, rag_loupe_home=Path(home)))
        embedder = backends.embedder
        embedder.embeddings.embed_query("The models are loaded before the clock starts.")
        recorder = _Recorder(embedder.embeddings)
        if recorded:
            backends.embedder = replace(embedder, embeddings=recorder)
        begin = time.perf_counter()
        CorpusService(backends).demo().result()
        seconds = time.perf_counter() - begin
        backends.supervisor.release()
    return seconds, recorder, embedder


def main() -> None:
    """Compute, write, and compare."""
    VECTORS.unlink(missing_ok=True)
    slow, recorder, embedder = _index(recorded=True)
    save_vectors(VECTORS, embedder.key, list(recorder.seen), list(recorder.seen.values()))
    quick, _, _ = _index(recorded=False)
    print(f"{len(recorder.seen)} vectors, {VECTORS.stat().st_size / 1e6:.2f} MB")
    print(f"indexing: {slow:.1f} s computed, {quick:.1f} s with the file, ratio {slow / quick:.1f}")


if __name__ == "__main__":
    main()
