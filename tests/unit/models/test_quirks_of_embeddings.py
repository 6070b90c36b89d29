"""Quirks of servers in embeddings: whose vector is whose, what a server says where it gives none, and vectors that are
none. As those of `test_quirks.py`."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import ModelError
from core.models.endpoint_embeddings import EndpointEmbeddings
from core.settings import Settings
from tests.scripted import ScriptedServer
from tests.unit.models.quirks import situations

KEY = "sk-key-of-the-endpoint"
TEXTS = [f"{'a' * number} of the harbour" for number in range(1, 41)]
VECTORS = [[float(len(text)), 1.0] for text in TEXTS]


def rows(texts: list[str]) -> list[dict[str, Any]]:
    return [{"index": place, "embedding": [float(len(text)), 1.0]} for place, text in enumerate(texts)]


def embeddings(scripted: ScriptedServer) -> EndpointEmbeddings:
    return EndpointEmbeddings(
        Settings(
            embedding_base_url=scripted.base_url,
            embedding_model="m",
            embedding_api_key=SecretStr(KEY),
            model_attempts=1,
            model_timeout_seconds=5,
        )
    )


def refusal(scripted: ScriptedServer) -> str:
    """The sentence with which embedding three texts ends; it never holds the key."""
    with pytest.raises(ModelError) as error:
        embeddings(scripted).embed_documents(TEXTS[:3])
    assert KEY not in str(error.value)
    return str(error.value)


FORMS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "in another order": lambda rows: {"data": rows[::-1]},
    "numbered from 1": lambda rows: {"data": [row | {"index": row["index"] + 1} for row in rows]},
    "numbered in texts": lambda rows: {"data": [row | {"index": str(row["index"])} for row in rows]},
    "all numbered 0": lambda rows: {"data": [row | {"index": 0} for row in rows]},
    "numbered null": lambda rows: {"data": [row | {"index": None} for row in rows]},
    "without numbers": lambda rows: {"data": [{"embedding": row["embedding"]} for row in rows]},
    "each in a list of one": lambda rows: {"data": [row | {"embedding": [row["embedding"]]} for row in rows]},
    "of whole numbers": lambda rows: {"data": [row | {"embedding": [*map(int, row["embedding"])]} for row in rows]},
    "in Base64": lambda rows: {
        "data": [
            row | {"embedding": base64.b64encode(struct.pack("<2f", *row["embedding"])).decode()} for row in rows
        ]
    },
    "a list without its object": lambda rows: rows,
}  # fmt: skip


@situations(FORMS, "form")
def test_each_text_gets_its_own_vector(
    scripted: ScriptedServer, form: Callable[[list[dict[str, Any]]], Any]
) -> None:
    scripted.vectors = lambda texts: (200, form(rows(texts)))
    assert embeddings(scripted).embed_documents(TEXTS) == VECTORS


def test_a_server_that_takes_fewer_texts_is_sent_fewer_from_then_on(scripted: ScriptedServer) -> None:
    words = "batch size is invalid, it should not be larger than 10"
    scripted.vectors = lambda texts: (
        (400, {"error": {"message": words}}) if len(texts) > 10 else (200, {"data": rows(texts)})
    )
    model = embeddings(scripted)
    assert model.embed_documents(TEXTS) == VECTORS
    assert [*map(len, scripted.embedded)] == [32, 16, 8, 8, 16, 8, 8, 8]
    scripted.embedded.clear()
    model.embed_documents(TEXTS)
    assert [*map(len, scripted.embedded)] == [8] * 5


REFUSED = {
    "Ollama: a vector of NaN": (500, "failed to encode response: json: unsupported value: NaN", "Try again later"),
    "llama.cpp: a text too long": (500, "input is too large to process", "Use smaller chunks"),
    "Ollama: a text too long": (400, "the input length exceeds the context length", "Use smaller chunks"),
    "TEI: a text too long": (413, "inputs must have less than 512 tokens", "Use smaller chunks"),
    "anything else": (422, "this input is refused", "Check EMBEDDING_MODEL"),
}  # fmt: skip


@situations(REFUSED, "status", "words", "todo")
def test_the_one_text_that_is_refused_is_named_with_the_server_s_words(
    scripted: ScriptedServer, status: int, words: str, todo: str
) -> None:
    scripted.vectors = lambda texts: (
        (status, {"error": {"message": f"{words} {KEY}"}})
        if TEXTS[20] in texts
        else (200, {"data": rows(texts)})
    )
    with pytest.raises(ModelError) as error:
        embeddings(scripted).embed_documents(TEXTS)
    assert f"status {status}" in str(error.value)
    assert f"the text that begins “{TEXTS[20]}”" in str(error.value)
    assert f": “{words} •••”" in str(error.value)
    assert todo in str(error.value)


WITHOUT_VECTORS = {
    "too many requests": (429, {"error": "slow down"}, "no more requests for now (status 429): “slow down”"),
    "the model is being loaded": (503, {"detail": "Loading model"}, "status 503 at 3 texts, the first of them"),
    "an error with status 200": (200, {"error": {"message": "out of memory"}}, "failed: “out of memory”"),
    "as vLLM says it": (200, {"object": "error", "message": "out of memory"}, "failed: “out of memory”"),
    "no vectors": (200, {"data": []}, "0 vectors for 3 texts"),
    "too few vectors": (200, {"data": rows(["a", "b"])}, "2 vectors for 3 texts"),
    "too many vectors": (200, {"data": rows(TEXTS[:4])}, "4 vectors for 3 texts"),
    "no list": (200, {"data": None}, "does not answer like an embeddings endpoint"),
    "a list of something else": (200, {"data": ["a"]}, "does not answer like an embeddings endpoint"),
    "an unknown model": (404, {"error": "model 'm' not found"}, "OpenAI-compatible: “model 'm' not found”"),
}  # fmt: skip


@situations(WITHOUT_VECTORS, "status", "answer", "said")
def test_a_server_without_vectors_is_quoted(
    scripted: ScriptedServer, status: int, answer: Any, said: str
) -> None:
    scripted.vectors = lambda _: (status, answer)
    assert said in refusal(scripted)


BROKEN = {
    "NaN": ([float("nan"), 1.0], "values that are no numbers (NaN or infinite)"),
    "infinite": ([float("inf"), 1.0], "values that are no numbers"),
    "null": ([None, 1.0], "values that are no numbers"),
    "zeros": ([0.0, 0.0], "gave a vector of zeros"),
    "empty": ([], "gave no vector"),
    "one for each token": ([[1.0], [2.0]], "gave more than one vector"),
    "longer than the others": ([1.0, 2.0, 3.0], "vectors of different lengths (2 and 3 numbers)"),
    "no Base64": ("no Base64!", "does not answer like an embeddings endpoint"),
    "an object": ({"a": 1}, "does not answer like an embeddings endpoint"),
}


@situations(BROKEN, "vector", "said")
def test_a_vector_that_is_none_is_said_to_be_the_model_s(
    scripted: ScriptedServer, vector: Any, said: str
) -> None:
    scripted.vectors = lambda texts: (200, {"data": [*rows(texts)[:-1], {"index": 2, "embedding": vector}]})
    assert said in refusal(scripted)


def test_vectors_of_another_length_later_on_are_refused(scripted: ScriptedServer) -> None:
    scripted.vectors = lambda texts: (200, {"data": rows(texts)})
    model = embeddings(scripted)
    model.embed_query("a")
    scripted.vectors = lambda texts: (200, {"data": [{"embedding": [1.0, 2.0, 3.0]} for _ in texts]})
    with pytest.raises(ModelError, match=r"different lengths \(2 and 3 numbers\)"):
        model.embed_query("a")
