"""Embeddings of an OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.errors import ModelError
from core.logs import without
from core.models.bounds import VECTORS_BYTES, WAITS, Bounds, OutOfBounds
from core.models.embedding_vectors import Embeddings
from core.models.endpoint import NO_KEY, OPENAI_URL, is_loopback, normalise_url
from core.models.server_words import quoted, words_in

if TYPE_CHECKING:
    import openai

    from core.settings import Settings

BATCH = 32
"""Texts per request, at first: where a server refuses so many, or fails at them, half as many are sent."""
_PERHAPS_TOO_MANY = (400, 413, 422, 500)
"""Statuses of a request that may do with fewer texts; 500 is what some servers say where one text is too much."""
_TOO_LONG = ("too long", "too large", "context", "max_seq", "maximum", "exceed", "larger than", "tokens")
_TEXT_CHARS = 60


class EndpointEmbeddings(Embeddings):
    """Embeddings of the configured endpoint; every failure is a ModelError that says what to do."""

    def __init__(self, settings: Settings) -> None:
        self._url = normalise_url(settings.embedding_base_url or OPENAI_URL)
        self._name = f"The embeddings endpoint {self._url}"
        self._model = settings.embedding_model
        self._settings = settings
        self._batch = BATCH

    @cached_property
    def _client(self) -> openai.OpenAI:
        import openai

        from core.models.bounded_client import BlockingClient

        silence = self._settings.model_timeout_seconds
        bounds = Bounds(VECTORS_BYTES, silence, WAITS * silence, "MODEL_TIMEOUT_SECONDS")
        return openai.OpenAI(
            base_url=self._url,
            # Never empty: the client would look for a key elsewhere and send it to this endpoint.
            api_key=self._key or NO_KEY.get_secret_value(),
            timeout=silence,
            max_retries=self._settings.model_attempts - 1,
            # The proxy variables of the system count, except on loopback.
            http_client=BlockingClient(bounds, trust_env=not is_loopback(self._url)),
        )

    @property
    def _key(self) -> str:
        return self._settings.embedding_api_key.get_secret_value()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        while len(vectors) < len(texts):
            vectors += self._embed(texts[len(vectors) : len(vectors) + self._batch], self._client)
        lengths = dict.fromkeys([*([self.dimensions] if self.dimensions else []), *map(len, vectors)])
        if len(lengths) > 1:
            raise ModelError(
                f"The embedding model “{self._model}” gave vectors of different lengths "
                f"({' and '.join(map(str, lengths))} numbers). Try another model."
            )
        self.dimensions = next(iter(lengths), 0)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _embed(self, texts: list[str], client: openai.OpenAI) -> list[list[float]]:
        """The vectors of one batch; in halves where it may have been too much."""
        import openai

        try:
            answer = self._ask(texts, client)
        except openai.APIStatusError as error:
            if len(texts) == 1 or error.status_code not in _PERHAPS_TOO_MANY:
                raise ModelError(self._status(error, texts)) from None
            # At once: what failed after all tries needs no more of them, only the text that it failed at.
            half, once = (len(texts) + 1) // 2, client.with_options(max_retries=0)
            vectors = [*self._embed(texts[:half], once), *self._embed(texts[half:], once)]
            self._batch = min(self._batch, half)
            return vectors
        except OutOfBounds as error:
            raise ModelError(f"{self._name} {error.message}. {error.advice}") from None
        except openai.APITimeoutError:  # before the connection error, which it is, too
            raise ModelError(f"{self._name} did not answer in time. Try again.") from None
        except openai.APIConnectionError:
            raise ModelError(f"{self._name} cannot be reached. Check that it runs.") from None
        except (openai.OpenAIError, ValueError, RecursionError):
            raise ModelError(self._nonsense) from None
        return self._vectors(answer, texts)

    def _ask(self, texts: list[str], client: openai.OpenAI) -> Any:
        """The decoded answer, whatever it is: the client's own reading would keep neither order nor words."""
        response = client.embeddings.with_raw_response.create(
            input=texts, model=self._model, encoding_format="float"
        )
        return response.http_response.json()

    def _vectors(self, answer: Any, texts: list[str]) -> list[list[float]]:
        rows = answer if isinstance(answer, list) else None
        if isinstance(answer, dict):
            rows = answer.get("data")
            if not isinstance(rows, list) and (words := words_in(answer)):
                raise ModelError(f"{self._name} failed{self._quoted(words)}. Try again later.")
        if not isinstance(rows, list) or not all(
            isinstance(row, dict) and "embedding" in row for row in rows
        ):
            raise ModelError(self._nonsense)
        if len(rows) != len(texts):
            raise ModelError(
                f"{self._url} gave {len(rows)} vectors for {len(texts)} texts. Try another model."
            )
        return [
            self._vector(row["embedding"], text) for row, text in zip(_in_order(rows), texts, strict=True)
        ]

    def _vector(self, written: Any, text: str) -> list[float]:
        """A vector as the endpoint wrote it: numbers, a list with the one list of numbers, or OpenAI's Base64."""
        import numpy as np

        name = f"The embedding model “{self._model}”"
        try:
            if isinstance(written, str):
                written = np.frombuffer(base64.b64decode(written), dtype="<f4")
            vector = np.asarray(written, dtype=np.float64)  # null is NaN
        except (ValueError, TypeError):
            raise ModelError(self._nonsense) from None
        vector = vector[0] if vector.ndim == 2 and len(vector) == 1 else vector
        if vector.ndim != 1 or not vector.size:
            raise ModelError(
                f"{name} gave {'no' if not vector.size else 'more than one'} vector for {_begins(text)}. "
                "Try another model."
            )
        if not np.isfinite(vector).all():
            raise ModelError(
                f"{name} gave a vector with values that are no numbers (NaN or infinite) for {_begins(text)}. "
                "Try another model, or another version of it."
            )
        if not vector.any():
            raise ModelError(
                f"{name} gave a vector of zeros, which is near to nothing, for {_begins(text)}. Try another model."
            )
        numbers: list[float] = vector.tolist()
        return numbers

    def _status(self, error: openai.APIStatusError, texts: list[str]) -> str:
        """Explain a status, in the server's own words where it has any."""
        status, words = error.status_code, words_in(error.body) or error.response.text
        quotation, which = self._quoted(words), _begins(texts[0])
        which = which if len(texts) == 1 else f"{len(texts)} texts, the first of them {which}"
        if status in (401, 403):
            refused = "refused the key. Check" if self._key else "wants a key, and none was given. Set"
            return f"{self._name} {refused} EMBEDDING_API_KEY."
        if status == 404:
            return (
                f"{self._name} does not know the model “{self._model}”, or is not OpenAI-compatible{quotation}. "
                "Check EMBEDDING_MODEL and EMBEDDING_BASE_URL."
            )
        if status == 429:
            return f"{self._name} takes no more requests for now (status 429){quotation}. Wait, or check the account."
        if status in _PERHAPS_TOO_MANY and any(sign in words.lower() for sign in _TOO_LONG):
            return (
                f"{self._name} refused {which} (status {status}){quotation}. "
                "Use smaller chunks, or a model that reads longer texts."
            )
        if status < 500:
            return f"{self._name} refused {which} (status {status}){quotation}. Check EMBEDDING_MODEL."
        return f"{self._name} failed with status {status} at {which}{quotation}. Try again later, or another model."

    @property
    def _nonsense(self) -> str:
        return f"{self._url} does not answer like an embeddings endpoint. Check its address."

    def _quoted(self, words: str) -> str:
        return quoted(without(words, [self._settings.embedding_api_key]))


def _in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows in the order of the texts: by their index, where each has one of its own."""
    try:
        places = [int(row["index"]) for row in rows]
    except (LookupError, TypeError, ValueError):
        return rows
    if len(set(places)) < len(rows):  # some servers give each text the index of a request of its own
        return rows
    return [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]


def _begins(text: str) -> str:
    return f"the text that begins “{' '.join(text.split())[:_TEXT_CHARS]}”"
