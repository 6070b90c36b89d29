"""Embeddings over HTTP: whose vector is whose, what a server says where it gives none, and vectors that are none."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import ModelError
from core.models.endpoint_embeddings import EndpointEmbeddings
from core.settings import Settings
from tests.unit.models.plain_endpoint import PlainEndpoint

pytestmark = pytest.mark.over_http

KEY = "sk-key-of-the-endpoint"
TEXTS = [f"{'a' * number} of the harbour" for number in range(1, 41)]
Answer = Callable[[list[str]], tuple[int, Any]]


class Server(PlainEndpoint):
    """Answers as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answer = lambda texts: (200, {"data": rows(texts)})
        self.sizes: list[int] = []

    def reply(self, path: str, key: str, body: dict[str, Any]) -> tuple[int, str, Any]:
        self.sizes.append(len(body["input"]))
        status, answer = self.answer(body["input"])
        return status, "application/json", answer


def rows(texts: list[str]) -> list[dict[str, Any]]:
    return [{"index": place, "embedding": [float(len(text)), 1.0]} for place, text in enumerate(texts)]


@pytest.fixture(scope="module")
def kept_server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def server(kept_server: Server) -> Server:
    kept_server.sizes.clear()
    return kept_server


def embeddings(server: Server) -> EndpointEmbeddings:
    return EndpointEmbeddings(
        Settings(
            embedding_base_url=server.url,
            embedding_model="m",
            embedding_api_key=SecretStr(KEY),
            model_attempts=1,
            model_timeout_seconds=5,
        )
    )


def test_each_text_gets_its_own_vector_whatever_their_order(server: Server) -> None:
    server.answer = lambda texts: (200, {"data": rows(texts)[::-1]})
    assert embeddings(server).embed_documents(TEXTS) == [[float(len(text)), 1.0] for text in TEXTS]


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row | {"index": row["index"] + 1},
        lambda row: row | {"index": str(row["index"])},
        lambda row: row | {"index": 0},
        lambda row: row | {"index": None},
        lambda row: {"embedding": row["embedding"]},
        lambda row: row | {"embedding": [row["embedding"]]},
        lambda row: row | {"embedding": [int(number) for number in row["embedding"]]},
        lambda row: row | {"embedding": base64.b64encode(struct.pack("<2f", *row["embedding"])).decode()},
    ],
)
def test_vectors_in_another_form(server: Server, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    server.answer = lambda texts: (200, {"data": [change(row) for row in rows(texts)]})
    assert embeddings(server).embed_documents(TEXTS[:3]) == [[float(len(text)), 1.0] for text in TEXTS[:3]]


def test_a_list_without_its_object_is_read(server: Server) -> None:
    server.answer = lambda texts: (200, rows(texts))
    assert embeddings(server).embed_query("ab") == [2.0, 1.0]


def test_a_server_that_takes_fewer_texts_is_sent_fewer_from_then_on(server: Server) -> None:
    words = "batch size is invalid, it should not be larger than 10"
    server.answer = lambda texts: (
        (400, {"error": {"message": words}}) if len(texts) > 10 else (200, {"data": rows(texts)})
    )
    model = embeddings(server)
    assert model.embed_documents(TEXTS) == [[float(len(text)), 1.0] for text in TEXTS]
    assert server.sizes == [32, 16, 8, 8, 16, 8, 8, 8]
    server.sizes.clear()
    model.embed_documents(TEXTS)
    assert server.sizes == [8] * 5


@pytest.mark.parametrize(
    ("status", "words", "todo"),
    [
        (500, "failed to encode response: json: unsupported value: NaN", "Try again later"),
        (400, "input is larger than the max context size (128 tokens)", "Use smaller chunks"),
        (413, "inputs must have less than 512 tokens", "Use smaller chunks"),
        (422, "this input is refused", "Check EMBEDDING_MODEL"),
    ],
)
def test_the_one_text_that_is_refused_is_named_with_the_server_s_words(
    server: Server, status: int, words: str, todo: str
) -> None:
    server.answer = lambda texts: (
        (status, {"error": {"message": f"{words} {KEY}"}})
        if TEXTS[20] in texts
        else (200, {"data": rows(texts)})
    )
    with pytest.raises(ModelError) as error:
        embeddings(server).embed_documents(TEXTS)
    assert f"status {status}" in str(error.value)
    assert f"the text that begins “{TEXTS[20]}”" in str(error.value)
    assert f": “{words} •••”" in str(error.value)
    assert todo in str(error.value)


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (429, {"error": "slow down"}, "no more requests for now (status 429): “slow down”"),
        (
            503,
            {"detail": "loading"},
            "failed with status 503 at 3 texts, the first of them the text that begins",
        ),
        (200, {"error": {"message": "out of memory"}}, "failed: “out of memory”"),
        (200, {"object": "error", "message": "out of memory"}, "failed: “out of memory”"),
        (200, {"data": []}, "0 vectors for 3 texts"),
        (200, {"data": None}, "does not answer like an embeddings endpoint"),
        (200, {"data": ["a"]}, "does not answer like an embeddings endpoint"),
        (404, {"error": "model 'm' not found"}, "OpenAI-compatible: “model 'm' not found”"),
    ],
)
def test_a_server_without_vectors_is_quoted(server: Server, status: int, answer: Any, said: str) -> None:
    server.answer = lambda _: (status, answer)
    with pytest.raises(ModelError) as error:
        embeddings(server).embed_documents(TEXTS[:3])
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        ([float("nan"), 1.0], "values that are no numbers (NaN or infinite)"),
        ([float("inf"), 1.0], "values that are no numbers"),
        ([None, 1.0], "values that are no numbers"),
        ([], "gave no vector"),
        ([[1.0], [2.0]], "gave more than one vector"),
        ([1.0, 2.0, 3.0], "vectors of different lengths (2 and 3 numbers)"),
        ("no Base64!", "does not answer like an embeddings endpoint"),
        ({"a": 1}, "does not answer like an embeddings endpoint"),
    ],
)
def test_a_vector_that_is_none_is_said_to_be_the_model_s(server: Server, vector: Any, said: str) -> None:
    server.answer = lambda texts: (200, {"data": [*rows(texts)[:-1], {"index": 2, "embedding": vector}]})
    with pytest.raises(ModelError) as error:
        embeddings(server).embed_documents(TEXTS[:3])
    assert said in str(error.value)
    assert "Chroma" not in str(error.value)


def test_vectors_of_another_length_later_on_are_refused(server: Server) -> None:
    server.answer = lambda texts: (200, {"data": rows(texts)})
    model = embeddings(server)
    model.embed_query("a")
    server.answer = lambda texts: (200, {"data": [{"embedding": [1.0, 2.0, 3.0]} for _ in texts]})
    with pytest.raises(ModelError, match=r"different lengths \(2 and 3 numbers\)"):
        model.embed_query("a")
