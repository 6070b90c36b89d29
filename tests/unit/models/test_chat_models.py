"""What the chat models that may answer are called, before they are asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, ConfiguredModel, EndpointModel, FileModel
from core.models.endpoint import ChatEndpoint
from core.services.chat import MODEL
from core.services.gguf_header import read_header
from core.settings import Settings
from tests.cases import cases
from tests.gguf_files import write_gguf

TYPED = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("sesame"), "typed")
FIRST = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("sesame"), "")


@cases(
    ("configured", "chat", "name"),
    [
        ("", CONFIGURED, MODEL),
        ("", EndpointModel(TYPED), "typed"),
        ("", EndpointModel(FIRST), ""),
        ("", BUILTIN, MODEL),
        ("server's", CONFIGURED, "server's"),
        ("server's", ConfiguredModel("another"), "another"),
        ("server's", EndpointModel(FIRST), ""),
        ("server's", BUILTIN, MODEL),
    ],
)
def test_the_name_of_the_model(configured: str, chat: ChatModel, name: str) -> None:
    settings = Settings(_env_file=None, openai_base_url="", chat_model=configured)
    assert chat.name(settings) == name
    assert chat.is_builtin(settings) == (name == MODEL)


def test_the_key_is_not_shown() -> None:
    assert "sesame" not in repr(EndpointModel(TYPED))


FILE = "small.gguf"


@pytest.mark.parametrize(
    ("endpoint", "file", "chat", "name"),
    [
        ("", FILE, CONFIGURED, FILE),
        ("", FILE, BUILTIN, MODEL),
        ("", FILE, EndpointModel(TYPED), "typed"),
        ("server's", FILE, CONFIGURED, "server's"),
        ("server's", FILE, FileModel(FILE), FILE),
        ("server's", "", FileModel(FILE), FILE),
        ("", "", FileModel(FILE), FILE),
        ("", "", CONFIGURED, MODEL),
    ],
)
def test_a_model_file_answers_where_it_is_chosen_or_configured_and_no_endpoint_is(
    tmp_path: Path, endpoint: str, file: str, chat: ChatModel, name: str
) -> None:
    path = write_gguf(tmp_path / "models" / FILE)
    settings = Settings(
        _env_file=None,
        chat_model=endpoint,
        builtin_model_file=str(path) if file else "",
        rag_loupe_home=tmp_path,
    )
    assert chat.is_builtin(settings) == (name == MODEL)
    mark = f" ({read_header(path).fingerprint[:8]})" if name == FILE else ""
    assert chat.name(settings) == name + mark


def test_a_file_that_is_gone_still_has_a_name(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path, builtin_model_file=str(tmp_path / FILE))
    assert FileModel("other.gguf").name(settings) == "other.gguf"
    assert CONFIGURED.name(settings) == FILE
