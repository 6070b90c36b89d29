"""Embeddings: the built-in ones, or those of an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.errors import ModelError
from core.models.builtin import WORKERS, BuiltinEmbeddings, builtin_tokenizer
from core.models.endpoint import NO_KEY, OPENAI_URL, is_loopback, normalise_url
from core.models.queries import QueryVectors
from core.models.vectors import Embeddings, cosine_matrix, normalise

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings
    from tokenizers import Tokenizer

    from core.settings import Settings

__all__ = ["BuiltinEmbeddings", "Embedder", "cosine_matrix", "normalise", "open_embedder"]

BUILTIN_NAME = "Built-in: MiniLM and multilingual sentence encoder"
BUILTIN_MAX_TOKENS = 240
ENDPOINT_MAX_TOKENS = 300
ENDPOINT_BATCH = 32
"""Texts per request; some servers refuse more."""
ENDPOINT_REQUESTS = 16
"""Requests for the vectors of queries under way at once."""


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

    @cached_property
    def _queries(self) -> QueryVectors:
        threads = WORKERS if self.builtin else ENDPOINT_REQUESTS
        return QueryVectors(self.embeddings, threads=threads, together=not self.builtin)

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
        """One vector per question, in their order; one request at an endpoint, none for what it was asked lately.

        Raises:
            ModelError: The endpoint does not answer as it should.
        """
        return await self._queries.vectors(texts)

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, in their order.

        Raises:
            ModelError: The endpoint does not answer as it should.
        """
        return await asyncio.to_thread(self.embeddings.embed_documents, texts)


def open_embedder(settings: Settings) -> Embedder:
    """The embedding model that the settings name; the built-in one where they name none.

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
    return Embedder("minilm-use-1", BUILTIN_NAME, BuiltinEmbeddings(), BUILTIN_MAX_TOKENS, builtin=True)


class EndpointEmbeddings(Embeddings):
    """Embeddings of the configured endpoint; every failure is a ModelError that says what to do."""

    def __init__(self, settings: Settings) -> None:
        self._url = normalise_url(settings.embedding_base_url or OPENAI_URL)
        self._model = settings.embedding_model
        self._settings = settings

    @cached_property
    def _client(self) -> OpenAIEmbeddings:
        import openai
        from langchain_openai import OpenAIEmbeddings

        key = self._settings.embedding_api_key
        return OpenAIEmbeddings(
            model=self._model,
            openai_api_base=self._url,
            # Never empty: the client would look for a key elsewhere and send it to this endpoint.
            openai_api_key=key if key.get_secret_value() else NO_KEY,
            openai_proxy="",  # the proxy variables of the system count, except on loopback
            check_embedding_ctx_length=False,
            chunk_size=ENDPOINT_BATCH,
            request_timeout=self._settings.model_timeout_seconds,
            max_retries=self._settings.model_attempts - 1,
            model_kwargs={"encoding_format": "float"},
            http_client=openai.DefaultHttpxClient(trust_env=not is_loopback(self._url)),
        )

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        import openai

        try:
            vectors = self._client.embed_documents(texts)
        except openai.AuthenticationError:
            raise ModelError(
                f"The embeddings endpoint {self._url} refused the key. Check EMBEDDING_API_KEY."
            ) from None
        except openai.NotFoundError:
            raise ModelError(
                f"The embeddings endpoint {self._url} does not know the model “{self._model}”, or is not "
                "OpenAI-compatible. Check EMBEDDING_MODEL and EMBEDDING_BASE_URL."
            ) from None
        except openai.APITimeoutError:
            raise ModelError(
                f"The embeddings endpoint {self._url} did not answer in time. Try again."
            ) from None
        except openai.APIConnectionError:
            raise ModelError(
                f"The embeddings endpoint {self._url} cannot be reached. Check that it runs."
            ) from None
        except openai.APIStatusError as error:
            raise ModelError(
                f"The embeddings endpoint {self._url} answered with status {error.status_code}. Try later."
            ) from error
        except (openai.OpenAIError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelError(
                f"{self._url} does not answer like an embeddings endpoint. Check its address."
            ) from error
        if len(vectors) != len(texts) or any(not vector for vector in vectors):
            raise ModelError(
                f"{self._url} gave {len(vectors)} vectors for {len(texts)} texts. Try another model."
            )
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
