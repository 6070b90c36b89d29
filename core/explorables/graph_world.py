"""The demo world as its explorables need it: passages, vectors and triples, without an index or a server."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from core.corpora.demo import DEMOS, OVERLAP, own_documents, with_known_vectors
from core.corpora.splitting import Splitter, chunk_sizes, embedded_text, short_title
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.importing import demo_triples
from core.knowledge.triples import Triple
from core.models.embedding_vectors import cosine_matrix
from core.models.embeddings import Embedder, open_embedder
from core.settings import Settings
from core.trace.passages import Passage


@cache
def embedder() -> Embedder:
    """The built-in embeddings, with the stored vectors of the world's passages."""
    return with_known_vectors(
        open_embedder(Settings(_env_file=None, embedding_base_url="", embedding_model=""))
    )


@cache
def passages() -> tuple[Passage, ...]:
    """All passages of the English documents, by document and position."""
    model = embedder()
    sizes = chunk_sizes(model.max_tokens, overlap=OVERLAP)
    splitter = Splitter(model.tokenizer, model.max_tokens, *sizes)
    found = (passage for document in own_documents(DEMOS[0]) for passage in splitter.split(document))
    return tuple(sorted(found, key=lambda one: (one.document, one.position)))


def titles() -> dict[str, str]:
    """Id of each document -> its own title; empty where it has none."""
    return {document.id: document.title for document in own_documents(DEMOS[0])}


def cosines(question: str, asked: Sequence[Passage]) -> list[float]:
    """Of each passage with a question."""
    model = embedder()
    short = {key: short_title(title, model.tokenizer, model.max_tokens) for key, title in titles().items()}
    texts = [embedded_text(short[one.document], one.text) for one in asked]
    vectors = model.embeddings.embed_documents(texts)
    found: list[float] = cosine_matrix([model.embeddings.embed_query(question)], vectors)[0].tolist()
    return found


@cache
def triples() -> tuple[Triple, ...]:
    """The graph of the world."""
    return tuple(demo_triples(DEMO_GRAPHS[0], None))
