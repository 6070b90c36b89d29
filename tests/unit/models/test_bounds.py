"""No endpoint holds up the others: whatever it sends, the call ends with a sentence, in bounded time and memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import ModelError
from core.models import bounded_client, bounds, wire
from core.models.bounds import Bounds
from core.models.calling import PATIENCE_HERE, CallBudget
from core.models.chat import Chat
from core.models.endpoint import NO_KEY, ChatEndpoint, completed, probe
from core.models.endpoint_embeddings import EndpointEmbeddings
from core.models.rerank_endpoint import RerankEndpoint
from core.settings import Settings
from core.trace.events import ListTracer, Message, ModelFailed
from tests.unit.models.hostile_endpoint import HostileEndpoint

ASK = (Message(role="user", content="Why?"),)
TAKEN = 20 * 2**20
"""Bytes that an endpoint gets rid of at most, those included that wait on their way."""


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileEndpoint]:
    monkeypatch.setattr(bounds, "REPLY_BYTES", 3 * 2**19)
    monkeypatch.setattr(bounded_client, "PIECE_BYTES", 2**10)
    monkeypatch.setattr(wire, "TEXT_CHARACTERS", 2**16)
    monkeypatch.setattr(bounded_client, "CONNECT_SECONDS", 0.2)
    monkeypatch.setattr(bounded_client, "ERROR_SECONDS", 0.2)
    endpoint = HostileEndpoint()
    yield endpoint
    endpoint.close()


def settings(silence: float) -> Settings:
    return Settings(
        _env_file=None,
        retry_base_seconds=0.001,
        model_timeout_seconds=silence / PATIENCE_HERE,
        model_attempts=2,
    )


async def say(endpoint: HostileEndpoint, silence: float = 20.0) -> tuple[str, ListTracer]:
    """Why a call ended."""
    tracer = ListTracer()
    chat = Chat(ChatEndpoint(endpoint.url, NO_KEY, "m"), tracer, settings(silence), CallBudget(10))
    with pytest.raises(ModelError) as raised:
        await chat.text(ASK, skill="answer", method="model", show=True)
    return str(raised.value), tracer


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("endless-stream", "wrote more than 65,536 characters"),
        ("endless-thought", "sent more than 1 MB in one reply"),
        ("endless-comments", "sent more than 1 MB in one reply"),
        ("endless-line", "sent more than 1 MB in one piece"),
        ("endless-json", "sent more than 1 MB in one piece|sent more than 50,000 values"),
        ("endless-error", "failed with status 500: “.*it broke xxx"),
        ("endless-headers", "cut the connection|does not answer"),
        ("packed", "sent its reply compressed.*Switch compression off"),
        ("packed-error", "failed with status 500[.]"),
        ("tiny-chunks", "sent more than 1 MB in one reply"),
        ("deep-event", "nested more than 100 deep|sent more than 50,000 values"),
        ("deep-error", "refused the request .status 400.[.]"),
        ("many-values", "sent more than 50,000 values"),
        ("digits", "does not answer like an OpenAI-compatible endpoint"),
        ("many-calls", "called more than 100 tools at once"),
        ("long-arguments", "more than 50,000 values|arguments of more than 65,536 characters"),
        ("arguments-in-parts", "arguments of more than 65,536 characters|sent more than 1 MB"),
        ("no-choices", "does not answer like an OpenAI-compatible endpoint"),
    ],
)
async def test_a_reply_without_end_or_measure_ends_with_a_sentence(
    hostile: HostileEndpoint, mode: str, sentence: str
) -> None:
    hostile.mode = mode
    said, tracer = await say(hostile)
    assert re.search(sentence, said), said
    assert hostile.sent < TAKEN
    assert any(isinstance(event, ModelFailed) for event in tracer.events)


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("slow-headers", "kept the connection busy for 0.4 s without saying anything"),
        ("slow-comments", "kept the connection busy for 0.4 s without saying anything"),
        ("slow-pings", "kept the connection busy for 0.4 s without saying anything"),
        ("slow-bytes", "kept the connection busy for 0.4 s without saying anything"),
        ("slow-chunk-size", "kept the connection busy for 0.4 s without saying anything"),
        ("slow-reply", "did not come to an end within 2 s"),
        ("slow-error", "failed with status 503: “later"),
        ("endless-informational", "kept the connection busy for 0.4 s without saying anything"),
    ],
)
async def test_bytes_that_say_nothing_are_not_waited_for_for_ever(
    hostile: HostileEndpoint, mode: str, sentence: str
) -> None:
    hostile.mode = mode
    said, _ = await say(hostile, 0.2)
    assert sentence in said
    assert hostile.requests <= 2


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("endless-json", "sent more than 1 MB in one reply"),
        ("endless-error", "answered with status 500"),
        ("packed", "sent its reply compressed"),
        ("packed-error", "answered with status 500"),
        ("deep-error", "answered with status 400"),
        ("deep-event", "does not say which models it has"),
    ],
)
async def test_a_list_of_models_is_bounded(hostile: HostileEndpoint, mode: str, sentence: str) -> None:
    hostile.mode = mode
    with pytest.raises(ModelError, match=sentence):
        await completed(hostile.url, SecretStr(""), "")


@pytest.mark.parametrize(
    ("mode", "sentence"), [("endless-error", "answered with status 500"), ("packed", "compressed")]
)
async def test_a_test_of_an_endpoint_is_bounded(hostile: HostileEndpoint, mode: str, sentence: str) -> None:
    hostile.mode = mode
    with pytest.raises(ModelError, match=sentence):
        await probe(ChatEndpoint(hostile.url, NO_KEY, "m"))


@pytest.mark.parametrize("mode", ["endless-json", "packed", "slow-headers", "endless-error"])
async def test_rerankers_and_embeddings_are_bounded(hostile: HostileEndpoint, mode: str) -> None:
    hostile.mode = mode
    silence = 0.2 if mode.startswith("slow") else 20.0
    wanted = r"sent more than \d MB|compressed|kept the connection busy|status 500"
    known = settings(silence).model_copy(
        update={
            "embedding_base_url": hostile.url,
            "embedding_model": "m",
            "rerank_base_url": hostile.url,
            "model_attempts": 1,
            "model_timeout_seconds": silence,
        }
    )
    with pytest.raises(ModelError, match=wanted):
        await RerankEndpoint(known).scores("q", ["a", "b"])
    with pytest.raises(ModelError, match=wanted):
        EndpointEmbeddings(known).embed_documents(["a"])


def test_limits_are_told_as_they_are() -> None:
    limits = Bounds.of_reply(60.0)
    assert limits.wait == 120
    assert "within 600 s" in limits.too_slow().message
    assert "MODEL_TIMEOUT_SECONDS" in limits.too_slow().advice
    assert "raise" not in replace(limits, setting="").too_slow().advice


@pytest.mark.parametrize(
    "event",
    [
        {"choices": [{"delta": {"content": "[" * 5000 + '\\"{'}}]},
        {"choices": [{"delta": {"content": "a"}, "logprobs": {"content": [{"top": [{}] * 20}] * 200}}]},
    ],
)
def test_brackets_in_a_text_are_no_nesting(event: Any) -> None:
    bounds.check_event(b"data: " + json.dumps(event).encode())
