"""Makes data/2wiki_demo60/vectors.npz anew: the built-in vectors of the Wikipedia set, so that it is indexed quickly.

    python -m tools.dataset_vectors

To be run when that data set, the way documents are split or the built-in embeddings change; a test fails until then.
"""

from __future__ import annotations

from core.corpora.entries import chunk_sizes
from core.corpora.loaders.structured import load_jsonl
from core.evaluation.dataset_lines import CORPUS
from core.evaluation.datasets import WIKIPEDIA
from tools.demo_world.vectors import builtin, make_vectors, texts_of


def main() -> None:
    """Compute, write, and say how many."""
    embedder, file = builtin(), WIKIPEDIA / "vectors.npz"
    documents = load_jsonl(CORPUS, (WIKIPEDIA / CORPUS).read_bytes())
    texts = texts_of(documents, embedder, chunk_sizes(embedder.max_tokens))
    print(f"{make_vectors(file, texts, embedder)} vectors, {file.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
