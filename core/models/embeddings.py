"""Embeddings: the built-in ones, or those of an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.errors import ModelError
from core.models.builtin_embeddings import WORKERS, BuiltinEmbeddings, builtin_tokenizer
from core.models.embedding_vectors import Embeddings, KeptVectors
from core.models.endpoint_embeddings import EndpointEmbeddings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from core.settings import Settings

BUILTIN_NAME = "Built-in: MiniLM and multilingual sentence encoder"
BUILTIN_MAX_TOKENS = 240
ENDPOINT_MAX_TOKENS = 300
ENDPOINT_REQUESTS = 16
"""Requests for the vectors of queries under way at once."""


KEPT_QUERIES = 256
"""Queries whose vectors stay in memory: about 7 MB with the built-in model."""


@dataclass(frozen=True)
class Embedder:
    """An embedding model and what others need to know of it."""

    key: str
    """Names model and version; ASCII letters, digits and `-`, fit for a part of a collection's name."""
    name: str
    """For people."""
    embeddings: Embeddings
    max_tokens: int
    """Largest chunk, in tokens of `tokenizer`, that is certainly read to its end."""
    builtin: bool

    @property
    def tokenizer(self) -> Tokenizer:
        """Counts tokens when text is split; neither truncates nor pads. Read from its file when first used.

        An endpoint does not say how it counts: chunks of at most `ENDPOINT_MAX_TOKENS` of these tokens are safely
        below the 512 that the smallest usual models read.

        Raises:
            ModelError: It is not installed.
        """
        return builtin_tokenizer()

    def token_count(self, text: str) -> int:
        """How many tokens of `tokenizer` a text has, without special ones."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _queries(self) -> KeptVectors[list[float]]:
        """In threads of their own, so that a question never waits behind an ingestion."""
        model, threads = self.embeddings, WORKERS if self.builtin else ENDPOINT_REQUESTS
        pool = ThreadPoolExecutor(threads, thread_name_prefix="rag-loupe-query")

        def embed(queries: list[str]) -> list[list[float]]:
            return [*map(model.embed_query, queries)] if self.builtin else model.embed_documents(queries)

        return KeptVectors(embed, pool, KEPT_QUERIES, together=not self.builtin)

    def expect(self, query: str) -> None:
        """Begin to embed a query that will be needed soon; returns at once."""
        self._queries.expect([query])

    async def embed_query(self, text: str) -> list[float]:
        """The question's vector.

        Raises:
            ModelError: The endpoint does not answer as it should.
        """
        return (await self.embed_queries([text]))[0]

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """One vector per question, in their order; one request to an endpoint, none for recently embedded questions.

        Raises:
            ModelError: The endpoint does not answer as it should.
        """
        return await self._queries.of(texts)

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, in their order.

        Raises:
            ModelError: The endpoint does not answer as it should.
        """
        return await asyncio.to_thread(self.embeddings.embed_documents, texts)


def open_embedder(settings: Settings) -> Embedder:
    """The embedding model that the settings name; the built-in model where they name none.

    Raises:
        ModelError: The settings contradict each other.
    """
    model = settings.embedding_model
    if model:
        # The model alone: the same model at another address gives the same vectors.
        slug = re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")[:32]
        key = f"{slug}-{hashlib.sha256(model.encode()).hexdigest()[:8]}".lstrip("-")
        return Embedder(key, model, EndpointEmbeddings(settings), ENDPOINT_MAX_TOKENS, builtin=False)
    if settings.embedding_base_url:
        raise ModelError(
            "EMBEDDING_BASE_URL is set, but not EMBEDDING_MODEL. Set both, or none for the built-in model."
        )
    return builtin_embedder()


def builtin_embedder() -> Embedder:
    """The model that comes with the app, whatever the settings name."""
    return Embedder("minilm-use-1", BUILTIN_NAME, BuiltinEmbeddings(), BUILTIN_MAX_TOKENS, builtin=True)
