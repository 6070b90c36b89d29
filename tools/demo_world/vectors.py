"""The vectors of all passages by the built-in embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from core.corpora.documents import Document
from core.corpora.splitting import embedded_text, short_title
from core.models.embedding_vectors import DIGEST, PrecomputedEmbeddings, load_vectors, text_digest
from core.models.embeddings import Embedder, open_embedder
from core.settings import Settings
from tools.demo_world.parsing import passages_of


def make_vectors(file: Path, texts: Iterable[str], embedder: Embedder, *, coarse: bool = False) -> int:
    """Write their vectors, unless those of exactly these texts are there; the number of different texts."""
    wanted = list(dict.fromkeys(texts))
    known = load_vectors(file, embedder.key)
    if len(known) != len(wanted) or not PrecomputedEmbeddings(embedder.embeddings, known).knows(wanted):
        vectors = embedder.embeddings.embed_documents(wanted)
        save_vectors(file, embedder.key, wanted, vectors, coarse=coarse)
    return len(wanted)


def texts_of(
    documents: Sequence[Document], embedder: Embedder, sizes: tuple[int, int] | None = None
) -> list[str]:
    """What is embedded for each passage of documents.

    Args:
        documents: To be cut.
        embedder: The model.
        sizes: Size and overlap of passages in tokens; None: those of the demo corpora.
    """
    titles = {one.id: short_title(one.title, embedder.tokenizer, embedder.max_tokens) for one in documents}
    passages = passages_of(documents, embedder, sizes)
    return [embedded_text(titles[one.document], one.text) for one in passages]


def builtin() -> Embedder:
    """The built-in embeddings, whatever the environment says."""
    return open_embedder(Settings(_env_file=None, embedding_base_url="", embedding_model=""))


def save_vectors(
    path: Path, key: str, texts: Sequence[str], vectors: Sequence[Sequence[float]], *, coarse: bool = False
) -> None:
    """Write vectors with half precision, which moves a cosine by less than 0.0001.

    Args:
        path: The file.
        key: Of the model.
        texts: What they are the vectors of.
        vectors: In the order of the texts.
        coarse: In half of that space, with whole numbers up to 127: a cosine moves by less than 0.002.
    """
    digests = np.frombuffer(b"".join(map(text_digest, texts)), dtype=np.uint8).reshape(-1, DIGEST)
    rows = np.array(vectors, dtype=np.float16)
    if coarse:
        largest = np.abs(rows).max(axis=1, keepdims=True, initial=1e-6).astype(np.float32)
        rows = np.rint(rows / largest * 127).astype(np.int8)
    np.savez(path, model=np.array(key), texts=digests, vectors=rows)
