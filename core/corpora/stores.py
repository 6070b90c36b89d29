"""The stores of corpora, with the embedding model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import InputError

if TYPE_CHECKING:
    from core.corpora.catalogue import Catalogue
    from core.corpora.entries import Corpus
    from core.models.embeddings import Embedder


@dataclass(frozen=True)
class CorpusStores:
    """Catalogue, vectors and embedding model of all corpora; they go together through everything that changes one."""

    catalogue: Catalogue
    """Where corpora and documents are noted."""
    vectors: str
    """URL of the Chroma server."""
    embedder: Embedder
    """Embeds chunks; what is added to a corpus must be embedded by the model that the corpus was made with."""


def check_model(corpus: Corpus, embedder: Embedder) -> None:
    """Refuse to mix vectors of two models.

    Raises:
        InputError: The corpus is indexed with another embedding model.
    """
    if corpus.embedder != embedder.key:
        raise InputError(
            f"“{corpus.name}” is indexed with the embedding model “{corpus.embedder_name}”, but "
            f"“{embedder.name}” is in use. Switch back to it, or index the documents as another corpus."
        )
