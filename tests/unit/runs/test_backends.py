"""What the sidebar is told of the local databases, and which kind of model answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from pydantic import SecretStr

from core.models.capability import Capability
from core.models.chat_models import (
    CONFIGURED,
    BuiltinModel,
    ChatModel,
    ConfiguredModel,
    EndpointModel,
    FileModel,
)
from core.models.endpoint import ChatEndpoint
from core.models.reach.files import folder
from core.runs.backends import Backends
from core.services.arcadedb import LOCAL_GRAPHS
from core.services.chroma import LOCAL_CHROMA
from core.services.gguf_header import read_header
from core.settings import Settings
from core.skills.base import TINY
from tests.gguf_files import TEMPLATE
from tests.scripted import ScriptedServer


def test_local_databases_that_fail_are_told() -> None:
    home = Path("unused")
    backends = Backends(Settings(_env_file=None, rag_loupe_home=home))
    assert backends.problems() == []
    for service in (LOCAL_CHROMA, LOCAL_GRAPHS):
        backends.supervisor._slot(service).error = f"The {service.title} is broken."
    assert backends.problems() == [
        "The local vector database is broken.",
        "The local graph database is broken.",
    ]
    backends.supervisor._slot(LOCAL_GRAPHS).starting = True
    assert backends.starting() == ["local graph database"]
    configured = Backends(
        Settings(_env_file=None, rag_loupe_home=home, neo4j_uri="bolt://neo4j:7687", chroma_url="http://c:1")
    )
    configured.supervisor._slot(LOCAL_GRAPHS).error = "never looked at"
    assert (configured.problems(), configured.starting()) == ([], [])


def backends_of(home: Path, **settings: Any) -> Backends:
    return Backends(Settings(_env_file=None, rag_loupe_home=home, **settings))


def file_of(path: Path, weights: int) -> Path:
    """A model file with so many weights, which take no place: nothing is written of them."""
    path.parent.mkdir(exist_ok=True)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("model")
    writer.add_chat_template(TEMPLATE)
    writer.add_tensor_info("weights", [weights // 1024, 1024], np.dtype(np.float32), 4 * weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    os.truncate(path, path.stat().st_size + 4 * weights + 64)
    return path


@pytest.mark.parametrize(
    ("weights", "capability"),
    [(135_000_000, "tiny"), (494_000_000, "tiny"), (1_240_000_000, "small"), (7_600_000_000, "capable")],
)
def test_a_file_says_how_large_its_model_is(tmp_path: Path, weights: int, capability: Capability) -> None:
    backends = backends_of(tmp_path)
    file_of(folder(backends.settings) / "it.gguf", weights)
    header = read_header(folder(backends.settings) / "it.gguf")
    assert header.parameters == pytest.approx(weights, rel=0.001)
    assert backends.kind(FileModel("it.gguf")).capability == capability
    assert backends.kind(FileModel("it.gguf", declared="capable")).capability == "capable"
    assert backends.kind(FileModel("gone-1b.gguf")).capability == "capable"


def test_the_kind_follows_name_list_and_choice(tmp_path: Path, scripted_server: ScriptedServer) -> None:
    scripted_server.reset()
    scripted_server.listed = dict.fromkeys(["llama3.2", "qwen3:8b"], "library")
    scripted_server.sizes = {"llama3.2": "3.2B", "qwen3:8b": "8.2B"}
    backends = backends_of(tmp_path, openai_base_url=scripted_server.base_url, chat_model="llama3.2")

    def capability(chat: ChatModel = CONFIGURED, endpoint: ChatEndpoint | None = None) -> Capability:
        return backends.kind(chat, endpoint).capability

    assert capability() == "capable", "nothing is asked while a page is drawn"
    assert capability(ConfiguredModel("llama3.2-1b")) == "small"
    known = ChatEndpoint(scripted_server.base_url, SecretStr("none"), "llama3.2")
    assert capability(endpoint=known) == "small", "the server's own list says so"
    assert capability() == "small", "and it is known from then on"
    assert capability(ConfiguredModel(declared="tiny")) == "tiny"
    typed = ChatEndpoint("https://models.example/v1", SecretStr("none"), "smollm2-135m")
    assert capability(EndpointModel(typed)) == "tiny"
    assert not backends.kind(EndpointModel(typed)).builtin
    assert backends.kind(BuiltinModel(declared="capable")) == TINY
    assert (
        backends_of(tmp_path, openai_base_url="not an address", chat_model="x-1b").kind().capability
        == "small"
    )
