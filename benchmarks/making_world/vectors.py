"""The vectors of all passages by the built-in embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.making_world.parsing import passages_of
from core.corpora.documents import Document
from core.corpora.splitting import embedded_text, short_title
from core.models.embeddings import Embedder
from core.models.precomputed import PrecomputedEmbeddings, load_vectors, save_vectors


def make_vectors(file: Path, corpora: Mapping[str, Sequence[Document]], embedder: Embedder) -> int:
    """Write the vectors unless those of exactly these texts are there; the number of texts."""
    texts = [text for documents in corpora.values() for text in texts_of(documents, embedder)]
    texts = list(dict.fromkeys(texts))
    known = load_vectors(file, embedder.key)
    if len(known) != len(texts) or not PrecomputedEmbeddings(embedder.embeddings, known).knows(texts):
        save_vectors(file, embedder.key, texts, embedder.embeddings.embed_documents(texts))
    return len(texts)


def texts_of(documents: Sequence[Document], embedder: Embedder) -> list[str]:
    """What is embedded for each passage of documents."""
    titles = {one.id: short_title(one.title, embedder.tokenizer, embedder.max_tokens) for one in documents}
    return [embedded_text(titles[one.document], one.text) for one in passages_of(documents, embedder)]
