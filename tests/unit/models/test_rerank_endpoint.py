"""The client of rerankers: shapes of replies, and each failure in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import ModelError
from core.models.rerank_endpoint import RerankEndpoint
from core.settings import Settings
from tests.reranker import Reranker

QUERY = "who wrote it"
TEXTS = ["nobody knows", "Ann wrote it", "it rains"]


@pytest.fixture
def server() -> Iterator[Reranker]:
    server = Reranker()
    yield server
    server.close()


def client(server: Reranker, **settings: Any) -> RerankEndpoint:
    values: dict[str, Any] = {
        "rerank_base_url": server.url,
        "rerank_api_key": SecretStr("right"),
        "rerank_model": "judge-1",
        "openai_api_key": SecretStr("chat-key"),
        "model_attempts": 2,
        "model_timeout_seconds": 5.0,
        "retry_base_seconds": 0.001,
    }
    return RerankEndpoint(Settings(_env_file=None, **(values | settings)))


def test_without_an_address_there_is_none() -> None:
    assert not Settings(_env_file=None, rerank_base_url=" ", rerank_model="m").has_reranker


@pytest.mark.parametrize("shape", ["", "data", "tei"])
async def test_scores_come_in_the_order_of_the_documents(server: Reranker, shape: str) -> None:
    server.shape = shape
    assert await client(server).scores(QUERY, TEXTS) == [0.0, 2.0, 1.0]
    assert server.bodies[0] == {"query": QUERY, "documents": TEXTS, "top_n": 3, "model": "judge-1"}
    assert set(server.keys) == {"Bearer right"}


@pytest.mark.parametrize(
    ("address", "path"),
    [("/v1", "/v1/rerank"), ("/v1/rerank/", "/v1/rerank"), ("/rerank", "/rerank"), ("", "/v1/rerank")],
)
async def test_the_address_may_be_written_with_or_without_its_end(
    server: Reranker, address: str, path: str
) -> None:
    await client(server, rerank_base_url=server.url.removesuffix("/v1") + address).scores(QUERY, TEXTS)
    assert server.paths == [path]


async def test_without_a_key_or_a_model_none_is_sent(server: Reranker) -> None:
    await client(server, rerank_api_key=SecretStr(""), rerank_model="").scores(QUERY, TEXTS)
    assert server.keys == [""]
    assert "model" not in server.bodies[0]


@pytest.mark.parametrize(
    ("fault", "message", "requests"),
    [
        ("500", "failed with status 500: “.*too large to process.*tried 2 times", 2),
        ("429", "failed with status 429", 2),
        ("404", "is not there, or does not know the model “judge-1”", 1),
        ("400", "refused the request .status 400.: “.*documents is too long", 1),
        ("forward", "is not there", 1),
        ("html", "does not answer like a reranker", 1),
        ("words", "does not answer like a reranker", 1),
        ("huge", "does not answer like a reranker", 1),
        ("deep", "does not answer like a reranker", 1),
        ("null", "does not answer like a reranker", 1),
        ("few", "gave scores for 1 of 3 passages", 1),
        ("beyond", "gave scores for 2 of 3 passages", 1),
        ("twice", "gave scores for 1 of 3 passages", 1),
        ("nan", "scores that are no numbers", 1),
    ],
)
async def test_a_failure_is_a_sentence_without_the_key(
    server: Reranker, fault: str, message: str, requests: int
) -> None:
    server.fault = fault
    with pytest.raises(ModelError, match=message) as raised:
        await client(server).scores(QUERY, TEXTS)
    assert "right" not in str(raised.value)
    assert "chat-key" not in "".join(server.keys)
    assert len(server.bodies) == requests


async def test_one_that_says_nothing_is_not_waited_for_again(server: Reranker) -> None:
    server.fault = "silent"
    with pytest.raises(ModelError, match=r"sent nothing for 0\.1 s"):
        await client(server, model_timeout_seconds=0.1).scores(QUERY, TEXTS)
    server.go_on.set()
    assert len(server.bodies) == 1


async def test_what_fails_once_is_asked_again(server: Reranker) -> None:
    server.fault, server.faulty = "500", 1
    assert await client(server).scores(QUERY, TEXTS) == [0.0, 2.0, 1.0]


async def test_a_wrong_key_no_server_and_no_address_are_told_apart(server: Reranker) -> None:
    with pytest.raises(ModelError, match="refused the key. Check RERANK_API_KEY"):
        await client(server, rerank_api_key=SecretStr("wrong-key")).scores(QUERY, TEXTS)
    with pytest.raises(ModelError, match="characters that no key has"):
        await client(server, rerank_api_key=SecretStr("wr…ong")).scores(QUERY, TEXTS)
    with pytest.raises(ModelError, match="RERANK_BASE_URL cannot be used"):
        await client(server, rerank_base_url="judge").scores(QUERY, TEXTS)
    server.close()
    with pytest.raises(ModelError, match="cannot be reached"):
        await client(server).scores(QUERY, TEXTS)
