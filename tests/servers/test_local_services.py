"""The two local services themselves: llama.cpp with the built-in model, and Chroma's server."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import chromadb
import httpx
import numpy as np
import pytest
from chromadb.config import Settings as ChromaSettings
from numpy.typing import NDArray

from core.models.chat_models import CONFIGURED
from core.models.endpoint import ChatEndpoint, probe
from core.models.host import ModelHost
from core.services.chat import BUILTIN_CHAT, MODEL, SLOTS
from core.services.chroma import LOCAL_CHROMA
from core.services.service import Running
from core.services.supervisor import Supervisor
from core.settings import Settings
from tests.commands import until
from tests.graphs import Place
from tests.homes import Homes


@pytest.fixture(scope="module")
def shared(homes: Homes) -> Iterator[Place]:
    place = Place(homes.new())
    yield place
    place.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a Chroma of its own, which is killed."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def supervisor(home: Path) -> Iterator[Supervisor]:
    supervisor = Supervisor(home)
    yield supervisor
    supervisor.release()


@pytest.fixture(scope="module")
def endpoint(shared: Place) -> ChatEndpoint:
    unset = Settings(openai_base_url="", chat_model="", rag_loupe_home=shared.settings.rag_loupe_home)
    return asyncio.run(CONFIGURED.open(ModelHost(unset, shared.supervisor)))


async def ask(endpoint: ChatEndpoint, key: str, question: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        return await client.post(
            f"{endpoint.base_url}/chat/completions",
            headers={"Authorization": f"Bearer {key}"},
            json={
                "model": endpoint.model,
                "messages": [{"role": "user", "content": question}],
                "max_tokens": 24,
                "temperature": 0,
            },
        )


async def test_builtin_model_answers_with_its_key_only(endpoint: ChatEndpoint) -> None:
    assert (endpoint.builtin, endpoint.model) == (True, MODEL)
    assert endpoint.api_key.get_secret_value() not in repr(endpoint)
    reply = await ask(endpoint, endpoint.api_key.get_secret_value(), "What is the capital of France?")
    assert reply.json()["choices"][0]["message"]["content"].strip()
    assert reply.json()["usage"]["completion_tokens"] > 3
    assert (await ask(endpoint, "guessed", "Hello")).status_code == 401


async def test_builtin_model_answers_several_at_once(endpoint: ChatEndpoint) -> None:
    key = endpoint.api_key.get_secret_value()
    replies = await asyncio.gather(*(ask(endpoint, key, f"Name {n} rivers.") for n in range(2 * SLOTS)))
    assert {reply.status_code for reply in replies} == {200}


async def test_builtin_model_listens_on_loopback_only(endpoint: ChatEndpoint) -> None:
    assert endpoint.base_url.startswith("http://127.0.0.1:")
    await probe(endpoint)


async def test_configured_endpoint_comes_before_the_builtin_one(
    endpoint: ChatEndpoint, tmp_path: Path
) -> None:
    """Any OpenAI-compatible server will do: here the built-in one plays the configured one."""
    settings = Settings(openai_base_url=endpoint.base_url, openai_api_key=endpoint.api_key, chat_model="")
    unused = Supervisor(tmp_path)
    found = await CONFIGURED.open(ModelHost(settings, unused))
    assert found == ChatEndpoint(endpoint.base_url, endpoint.api_key, MODEL, builtin=False)
    assert unused.status(BUILTIN_CHAT).state == "stopped"


def collection(running: Running) -> chromadb.Collection:
    host, port = running.url.removeprefix("http://").split(":")
    settings = ChromaSettings(anonymized_telemetry=False)
    client = chromadb.HttpClient(host=host, port=int(port), settings=settings)
    return client.get_or_create_collection("plants", embedding_function=None)


def vectors(*rows: list[float]) -> NDArray[np.float32]:
    return np.array(rows, np.float32)


def test_chroma_keeps_its_index_when_killed(supervisor: Supervisor, home: Path) -> None:
    running = supervisor.ensure(LOCAL_CHROMA)
    plants = collection(running)
    plants.add(ids=["oak", "elm", "fir"], embeddings=vectors([1.0, 0.0], [0.0, 1.0], [0.7, 0.7]))
    plants.delete(ids=["elm"])
    os.kill(running.pid, signal.SIGKILL)
    until(lambda: supervisor.status(LOCAL_CHROMA).state != "ready")
    plants = collection(supervisor.ensure(LOCAL_CHROMA))
    found = plants.query(query_embeddings=vectors([0.1, 1.0]), n_results=2)
    assert found["ids"] == [["fir", "oak"]]
    assert (home / "chroma" / "chroma.sqlite3").exists()


def test_chroma_is_quiet(supervisor: Supervisor, home: Path) -> None:
    plants = collection(supervisor.ensure(LOCAL_CHROMA))
    for _ in range(50):
        plants.count()
    assert (home / "logs" / "chroma.log").stat().st_size < 5_000
