"""The stores of corpora, with the embedding model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.corpora.catalogue import Catalogue
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
