"""A reranker behind `/v1/rerank`, as vLLM, llama.cpp, Jina, Cohere and others serve it.

They agree on the request, but for Text Embeddings Inference, which calls the documents `texts`. Replies differ: the
list is called `results` or `data` or stands alone, a score `relevance_score` or `score`, in the order of scores or as
sent.
"""

from __future__ import annotations

import asyncio
import math
import random
from typing import TYPE_CHECKING, Any

from core.errors import InputError, ModelError
from core.logs import redact, watch
from core.models.bounds import LIST_BYTES, WAITS, Bounds, OutOfBounds
from core.models.endpoint import is_loopback, normalise_url
from core.models.server_words import quoted, words_in
from core.settings import Settings
from core.strict_json import read_json

if TYPE_CHECKING:
    import httpx2

    from core.models.bounded_client import BoundedClient

PATH = "/rerank"
JITTER = 0.1


class _Again(Exception):
    """Worth another try; the argument is the sentence if none is left."""


class RerankEndpoint:
    """The reranker that the settings name; every failure is a `ModelError` that says what to do."""

    def __init__(self, settings: Settings) -> None:
        """Keep its key out of the log."""
        self._settings = settings
        self.model = settings.rerank_model.strip()
        """Empty: the server has one model."""
        watch(settings.rerank_api_key)

    @property
    def url(self) -> str:
        """Where requests go; the address may be configured with or without `/rerank`.

        Raises:
            ModelError: The address is not usable.
        """
        try:
            return normalise_url(self._settings.rerank_base_url).removesuffix(PATH) + PATH
        except InputError as error:
            raise ModelError(f"RERANK_BASE_URL cannot be used. {error}") from None

    @property
    def _key(self) -> str:
        return self._settings.rerank_api_key.get_secret_value().strip()

    async def scores(self, query: str, documents: list[str]) -> list[float]:
        """How relevant each document is to a query, in their order; larger is better, in the server's own unit.

        Raises:
            ModelError: No usable reply, after the retries that make sense.
        """
        url, headers = self.url, {}
        if key := self._key:
            if not (key.isascii() and key.isprintable()):
                raise ModelError("RERANK_API_KEY holds characters that no key has. Copy the whole key.")
            headers["Authorization"] = f"Bearer {key}"
        body: dict[str, Any] = {"query": query, "documents": documents, "top_n": len(documents)}
        if self.model:
            body["model"] = self.model
        from core.models.bounded_client import BoundedClient

        trust_env, attempts = not is_loopback(url), self._settings.model_attempts
        silence = self._settings.model_timeout_seconds
        bounds = Bounds(LIST_BYTES, silence, WAITS * silence, "MODEL_TIMEOUT_SECONDS")
        async with BoundedClient(bounds, trust_env=trust_env, headers=headers) as client:
            for attempt in range(1, attempts + 1):
                try:
                    return _read(await self._ask(client, url, body), len(documents), url)
                except _Again as failure:
                    if attempt == attempts:
                        tried = f" It was tried {attempt} times." if attempt > 1 else ""
                        raise ModelError(f"{failure}{tried}") from None
                    wait = self._settings.retry_base_seconds * 2.0 ** (attempt - 1)
                    await asyncio.sleep(wait * random.uniform(1, 1 + JITTER))  # noqa: S311  # no secret depends on it
        raise AssertionError("there is at least one attempt")

    async def _ask(self, client: BoundedClient, url: str, body: dict[str, Any]) -> httpx2.Response:
        import httpx2

        name = f"The reranker {url}"
        try:
            reply = await client.post(url, json=body)
            if reply.status_code == 422 and "texts" in reply.text:  # Text Embeddings Inference
                reply = await client.post(url, json={"query": body["query"], "texts": body["documents"]})
        except OutOfBounds as error:
            raise ModelError(f"{name} {error.message}. {error.advice}") from None
        except httpx2.ReadTimeout:  # not again: there is an order to go on with, and each try takes as long
            raise ModelError(
                f"{name} sent nothing for {client.bounds.silence:g} s. Try again, or raise MODEL_TIMEOUT_SECONDS."
            ) from None
        except httpx2.HTTPError:
            raise _Again(f"{name} cannot be reached. Check RERANK_BASE_URL, and that it runs.") from None
        status = reply.status_code
        if status == 200:
            return reply
        if status in (401, 403):
            what = "refused the key. Check" if self._key else "wants a key, and none was given. Set"
            raise ModelError(f"{name} {what} RERANK_API_KEY.")
        if status in (404, 405) or status < 400:
            raise ModelError(
                f"{name} is not there, or does not know the model “{self.model}” (status {status}). "
                "Check RERANK_BASE_URL and RERANK_MODEL."
            )
        words = quoted(redact(words_in(reply.text)))
        if status in (408, 429) or status >= 500:
            raise _Again(f"{name} failed with status {status}{words}. Try again later.")
        raise ModelError(f"{name} refused the request (status {status}){words}.")


def _read(reply: httpx2.Response, count: int, url: str) -> list[float]:
    """The score of each document from a reply.

    Raises:
        ModelError: It is none, or not every document has exactly one finite score.
    """
    try:
        body = read_json(reply.content, finite=False)
        rows = body if isinstance(body, list) else body.get("results", body.get("data"))
        pairs = [
            (row["index"], row["relevance_score" if "relevance_score" in row else "score"]) for row in rows
        ]
        scores = {place: float(score) for place, score in pairs if type(place) is int}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ModelError(
            f"{url} does not answer like a reranker. Check RERANK_BASE_URL; many addresses end in /v1."
        ) from None
    if len(pairs) != count or scores.keys() != set(range(count)):
        known = len(scores.keys() & set(range(count)))
        raise ModelError(
            f"The reranker {url} gave scores for {known} of {count} passages. Try another model."
        )
    if not all(map(math.isfinite, scores.values())):
        raise ModelError(f"The reranker {url} gave scores that are no numbers. Try another model.")
    return [scores[place] for place in range(count)]
