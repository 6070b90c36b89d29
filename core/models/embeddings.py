"""Embeddings: the built-in ones, or those of an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.certificates import certificates
from core.errors import ModelError
from core.models.builtin_embeddings import WORKERS, BuiltinEmbeddings, builtin_tokenizer
from core.models.embedding_vectors import Embeddings
from core.models.endpoint import NO_KEY, OPENAI_URL, is_loopback, normalise_url

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings
    from tokenizers import Tokenizer

    from core.settings import Settings

BUILTIN_NAME = "Built-in: MiniLM and multilingual sentence encoder"
BUILTIN_MAX_TOKENS = 240
ENDPOINT_MAX_TOKENS = 300
ENDPOINT_BATCH = 32
"""Texts per request; some servers refuse more."""
ENDPOINT_REQUESTS = 16
"""Requests for the vectors of queries under way at once."""


KEPT_QUERIES = 256
"""Queries whose vectors stay in memory: about 7 MB with the built-in model."""

Vectors = list[list[float]]


class QueryVectors:
    """Embeds queries in threads of its own, so that a question never waits behind an ingestion. Thread-safe.

    Each query is embedded once: several strategies ask the same question, and a fan-out repeats it.
    """

    def __init__(self, embeddings: Embeddings, *, threads: int, together: bool) -> None:
        """
        Args:
            embeddings: The model.
            threads: Requests, or with the built-in model texts, under way at once.
            together: Whether queries that come together go out in one request.
        """
        self._embeddings = embeddings
        self._together = together
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="rag-loupe-query")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[Future[Vectors], int]] = OrderedDict()
        """Query -> the work that embeds it, and its place in that work's result."""

    def expect(self, queries: Iterable[str]) -> list[tuple[Future[Vectors], int]]:
        """Begin to embed what is not embedded yet; returns at once."""
        with self._lock:
            wanted = list(queries)
            fresh = [query for query in dict.fromkeys(wanted) if not self._usable(query)]
            for group in [fresh] if self._together and fresh else [[query] for query in fresh]:
                work = self._pool.submit(self._embed, group)
                self._known.update({query: (work, place) for place, query in enumerate(group)})
            found = [self._known[query] for query in wanted]
            for query in wanted:
                self._known.move_to_end(query)
            while len(self._known) > KEPT_QUERIES:
                self._known.popitem(last=False)
            return found

    async def vectors(self, queries: Sequence[str]) -> Vectors:
        """One vector per query, in their order.

        Raises:
            ModelError: The endpoint does not answer as it should.
        """
        found = self.expect(queries)
        for work, _ in found:
            if not work.done():
                # Shielded: another run may wait for the same vector when this one is stopped.
                await asyncio.shield(asyncio.wrap_future(work))
        return [work.result()[place] for work, place in found]

    def _usable(self, query: str) -> bool:
        work, _ = self._known.get(query, (None, 0))
        return work is not None and not (work.done() and work.exception())

    def _embed(self, queries: list[str]) -> Vectors:
        if self._together:
            return self._embeddings.embed_documents(queries)
        return [self._embeddings.embed_query(query) for query in queries]


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
        """One vector per question, in their order; one request to an endpoint, none for recently embedded questions.

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
        trust_env = not is_loopback(self._url)
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
            http_client=openai.DefaultHttpxClient(trust_env=trust_env, verify=certificates(trust_env)),
        )

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        import openai

        given = self._settings.embedding_api_key.get_secret_value()
        refused = "refused the key. Check" if given else "wants a key, and none was given. Set"
        # Most special first: a timeout is a connection error, too.
        known: dict[type[openai.APIError], str] = {
            openai.AuthenticationError: f"{refused} EMBEDDING_API_KEY.",
            openai.NotFoundError: f"does not know the model “{self._model}”, or is not OpenAI-compatible. "
            "Check EMBEDDING_MODEL and EMBEDDING_BASE_URL.",
            openai.APITimeoutError: "did not answer in time. Try again.",
            openai.APIConnectionError: "cannot be reached. Check that it runs.",
        }
        try:
            vectors = self._client.embed_documents(texts)
        except tuple(known) as error:
            what = next(text for kind, text in known.items() if isinstance(error, kind))
            raise ModelError(f"The embeddings endpoint {self._url} {what}") from None
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
        self.dimensions = len(vectors[0]) if vectors else self.dimensions
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
