"""Whose replies with contexts are used again for whom."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from core.corpora.contexts import request_key
from core.models.chat_models import CONFIGURED, EndpointModel, FileModel, RecordedModel
from core.models.endpoint import ChatEndpoint
from core.models.recordings.items import Recording
from core.runs.sources.context_writing import who_answers
from core.settings import Settings
from core.users import User
from tests.gguf_files import write_gguf

ANN, BO = User("a" * 32), User("b" * 32)
MESSAGES = [("system", "Write a context."), ("user", "The ferry.")]


def endpoint(url: str) -> ChatEndpoint:
    return ChatEndpoint(url, SecretStr("key"), "large")


def test_nobody_writes_contexts_for_somebody_elses_index() -> None:
    """A model has the name that its server gives it, and whoever types an endpoint owns the server."""
    settings = Settings(_env_file=None, openai_base_url="https://models.example/v1", chat_model="large")
    own, typed = endpoint("https://models.example/v1"), endpoint("https://elsewhere.example/v1")
    keys = {
        request_key(who_answers(settings, choice, answers, user), MESSAGES)
        for choice, answers, user in [
            (CONFIGURED, own, ANN),
            (EndpointModel(own), own, ANN),
            (EndpointModel(own), own, BO),
            (EndpointModel(typed), typed, ANN),
            (EndpointModel(typed), typed, BO),
        ]
    }
    assert len(keys) == 5
    shared = [request_key(who_answers(settings, CONFIGURED, own, user), MESSAGES) for user in (ANN, BO)]
    assert shared[0] == shared[1], "what the server's own model wrote is not paid for twice"


def test_a_server_is_its_host_and_port_without_key_and_path() -> None:
    settings = Settings(_env_file=None, openai_base_url="", chat_model="")
    typed = ChatEndpoint("https://models.example/secret-7/v1/", SecretStr("sk-very-secret"), " qwen3 ")
    assert who_answers(settings, EndpointModel(typed), typed, ANN) == (
        "models.example:443",
        "qwen3",
        ANN.owner,
    )
    local = endpoint("http://localhost:8000/v1")
    assert who_answers(settings, CONFIGURED, local, ANN) == ("localhost:8000", "large", "")


def test_what_plays_a_recording_has_no_place() -> None:
    settings = Settings(_env_file=None, openai_base_url="", chat_model="gpt")
    recording = Recording("r", "", datetime.now(UTC), "Lesson", "gpt", "", True, False, 1, 1)
    own = endpoint("https://models.example/v1")
    assert who_answers(settings, RecordedModel(recording, "endpoint"), own, ANN) == ("", "large", "")


def test_a_file_is_known_whatever_it_is_called(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path, openai_base_url="", chat_model="")

    def of(name: str) -> tuple[str, str, str]:
        answers = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("key"), name, file=name)
        return who_answers(settings, FileModel(name), answers, ANN)

    first = write_gguf(tmp_path / "models" / "first.gguf")
    place, model, owner = of("first.gguf")
    assert (place, len(model), owner) == ("file", 64, "")
    first.rename(first.with_name("renamed.gguf"))
    assert of("renamed.gguf") == (place, model, owner)
    write_gguf(tmp_path / "models" / "other.gguf", tensors=2)
    assert of("other.gguf") != (place, model, owner)
