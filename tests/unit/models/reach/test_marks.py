"""By what a model is known again, and what is never in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from core.models.choice import BUILTIN, ChatChoice, Play
from core.models.endpoint import ChatEndpoint
from core.models.reach.marks import FILE, ModelMark, mark_of
from core.models.recordings.items import Recording
from core.settings import Settings
from tests.gguf_files import write_gguf


def settings(home: Path, **values: Any) -> Settings:
    return Settings(_env_file=None, rag_loupe_home=home, **values)


def test_a_server_is_its_host_and_port_without_key_and_path(tmp_path: Path) -> None:
    typed = ChatEndpoint("https://models.example/secret-7/v1/", SecretStr("sk-very-secret"), " qwen3 ")
    assert mark_of(settings(tmp_path), ChatChoice(typed)) == ModelMark("models.example:443", "qwen3")
    local = settings(tmp_path, openai_base_url="http://localhost:11434", chat_model="a")
    assert mark_of(local, ChatChoice()) == ModelMark("localhost:11434", "a")
    assert mark_of(local, ChatChoice(model="b")) == ModelMark("localhost:11434", "b")
    assert mark_of(settings(tmp_path, chat_model="gpt"), ChatChoice()) == ModelMark(
        "api.openai.com:443", "gpt"
    )


def test_a_model_without_a_name_is_known_when_it_was_asked(tmp_path: Path) -> None:
    unnamed = settings(tmp_path, openai_base_url="http://localhost:8000/v1")
    mark = mark_of(unnamed, ChatChoice())
    assert mark is not None
    assert not mark.known
    found = ChatEndpoint("http://localhost:8000/v1", SecretStr("x" * 8), "granite")
    assert mark_of(unnamed, ChatChoice(), found) == ModelMark("localhost:8000", "granite")


def test_what_is_known_has_no_mark(tmp_path: Path) -> None:
    configured = settings(tmp_path, chat_model="gpt")
    assert mark_of(settings(tmp_path), ChatChoice()) is None
    assert mark_of(configured, ChatChoice(model=BUILTIN)) is None
    recording = Recording("r", "", datetime.now(UTC), "Lesson", "gpt", "", True, False, 1, 1)
    assert mark_of(configured, ChatChoice(play=Play(recording, "endpoint"))) is None


def test_a_file_is_known_whatever_it_is_called(tmp_path: Path) -> None:
    here = settings(tmp_path)
    first = write_gguf(tmp_path / "models" / "first.gguf")
    mark = mark_of(here, ChatChoice(file="first.gguf"))
    assert mark is not None
    assert (mark.place, len(mark.model)) == (FILE, 64)
    first.rename(first.with_name("renamed.gguf"))
    assert mark_of(here, ChatChoice(file="renamed.gguf")) == mark
    write_gguf(tmp_path / "models" / "other.gguf", tensors=2)
    assert mark_of(here, ChatChoice(file="other.gguf")) != mark
