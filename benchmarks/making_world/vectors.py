"""The vectors of all passages by the built-in embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.making_world.parsing import passages_of
from core.corpora.documents import Document
from core.corpora.splitting import embedded_text, short_title
from core.models.embeddings import Embedder, open_embedder
from core.models.precomputed import PrecomputedEmbeddings, load_vectors, save_vectors
from core.settings import Settings


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
