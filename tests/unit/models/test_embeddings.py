"""The built-in embeddings as they are, and those of an endpoint over HTTP."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import numpy as np
import pytest
from pydantic import SecretStr

from core.errors import ModelError
from core.models.embedding_vectors import cosine_matrix
from core.models.embeddings import Embedder, open_embedder
from core.settings import Settings
from tests.unit.models.plain_endpoint import PlainEndpoint

SENTENCES = [
    "Photosynthesis turns light, water and carbon dioxide into sugar.",
    "The Treaty of Westphalia ended the Thirty Years' War in 1648.",
    "광합성은 빛과 물과 이산화탄소를 당으로 바꾼다.",
    "서울은 대한민국의 수도이다.",
    "A binary search halves the sorted list in every step.",
]


@pytest.fixture(scope="module")
def builtin() -> Embedder:
    return open_embedder(Settings(embedding_model="", embedding_base_url=""))


async def test_shape_and_length(builtin: Embedder) -> None:
    vectors = np.array(await builtin.embed_documents(["", "word", "x " * 5000, *SENTENCES]))
    assert vectors.shape == (8, 896)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_same_text_same_vector_in_any_company(builtin: Embedder) -> None:
    alone = await builtin.embed_query(SENTENCES[0])
    assert (await builtin.embed_documents(SENTENCES))[0] == alone
    assert (await builtin.embed_documents(["long " * 200, SENTENCES[0]]))[1] == alone


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How do plants make sugar?", 0),
        ("Which agreement ended a long European war?", 1),
        ("한국의 수도는 어디인가?", 3),
        ("How can I find an item in ordered data quickly?", 4),
    ],
)
async def test_question_finds_its_sentence(builtin: Embedder, question: str, wanted: int) -> None:
    likeness = cosine_matrix([await builtin.embed_query(question)], await builtin.embed_documents(SENTENCES))
    assert int(likeness[0].argmax()) == wanted


async def test_both_models_have_a_part(builtin: Embedder) -> None:
    """The Korean sentence is near its English translation: only the multilingual half can see that."""
    english, _, korean, other, _ = np.array(await builtin.embed_documents(SENTENCES))
    assert english[384:] @ korean[384:] > english[384:] @ other[384:] + 0.1
    assert np.isclose(np.linalg.norm(english[:384]), 0.5**0.5, atol=1e-5)


async def test_threads_do_not_disturb_each_other(builtin: Embedder) -> None:
    expected = await builtin.embed_documents(SENTENCES)
    results = await asyncio.gather(*(builtin.embed_documents(SENTENCES) for _ in range(6)))
    assert all(result == expected for result in results)


def test_tokenizer_counts_without_limit(builtin: Embedder) -> None:
    assert len(builtin.tokenizer.encode("tree " * 1000).ids) == 1002
    assert len(builtin.tokenizer.encode("tree").ids) == 3


@pytest.fixture
def endpoint() -> Iterator[PlainEndpoint]:
    server = PlainEndpoint()
    yield server
    server.stop()


def settings_for(endpoint: PlainEndpoint, model: str = "embed/Ünï-1", key: str = "right") -> Settings:
    return Settings(
        embedding_base_url=endpoint.url,
        embedding_model=model,
        embedding_api_key=SecretStr(key),
        openai_api_key=SecretStr("chat-key"),
        model_attempts=1,
        model_timeout_seconds=5,
    )


async def test_endpoint(endpoint: PlainEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_PROXY", "http://127.0.0.1:9")
    endpoint.models = ["embed/Ünï-1"]
    embedder = open_embedder(settings_for(endpoint))
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{3,60}[a-z0-9]", embedder.key)
    assert (embedder.builtin, embedder.max_tokens) == (False, 300)
    vectors = await embedder.embed_documents(["ab", "abc"] * 40)
    assert vectors == [[2.0, 1.0], [3.0, 1.0]] * 40
    assert await embedder.embed_query("abcd") == [4.0, 1.0]


async def test_chat_key_is_not_sent_to_the_embeddings_endpoint(
    endpoint: PlainEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "chat-key")
    with pytest.raises(ModelError, match="wants a key, and none was given"):
        await open_embedder(settings_for(endpoint, key="")).embed_query("a")
    assert endpoint.keys
    assert "chat-key" not in " ".join(endpoint.keys)


@pytest.mark.parametrize(
    ("fault", "model", "key", "message"),
    [
        ("", "m", "wrong", "refused the key"),
        ("", "unknown", "right", "does not know the model “unknown”"),
        ("html", "m", "right", "does not answer like an embeddings endpoint"),
        ("500", "m", "right", "status 500"),
        ("short", "m", "right", "0 vectors for 1 texts"),
        ("down", "m", "right", "cannot be reached"),
    ],
)
async def test_endpoint_failures_are_sentences(
    endpoint: PlainEndpoint, fault: str, model: str, key: str, message: str
) -> None:
    endpoint.models = ["m"]
    endpoint.fault = fault
    if fault == "down":
        endpoint.stop()
    with pytest.raises(ModelError, match=message) as failure:
        await open_embedder(settings_for(endpoint, model, key)).embed_query("a")
    assert not {"right", "wrong"} & set(str(failure.value).split())


def test_address_without_model_is_an_error() -> None:
    with pytest.raises(ModelError, match="EMBEDDING_MODEL"):
        open_embedder(Settings(embedding_base_url="http://localhost:1", embedding_model=""))
