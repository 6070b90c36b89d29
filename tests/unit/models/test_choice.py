"""Which model a choice names, before it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from core.models.choice import AS_CONFIGURED, BUILTIN, ChatChoice, builtin_answers, file_chosen, model_name
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
        ("", AS_CONFIGURED, MODEL),
        ("", ChatChoice(TYPED), "typed"),
        ("", ChatChoice(FIRST), ""),
        ("", ChatChoice(TYPED, "another"), "another"),
        ("", ChatChoice(TYPED, BUILTIN), MODEL),
        ("server's", AS_CONFIGURED, "server's"),
        ("server's", ChatChoice(model="another"), "another"),
        ("server's", ChatChoice(FIRST), ""),
        ("server's", ChatChoice(model=BUILTIN), MODEL),
    ],
)
def test_the_name_of_the_model(configured: str, chat: ChatChoice, name: str) -> None:
    settings = Settings(_env_file=None, openai_base_url="", chat_model=configured)
    assert model_name(settings, chat) == name
    assert builtin_answers(settings, chat) == (name == MODEL)


def test_the_key_is_not_shown() -> None:
    assert "sesame" not in repr(ChatChoice(TYPED))


FILE = "small.gguf"


@pytest.mark.parametrize(
    ("endpoint", "file", "chat", "name"),
    [
        ("", FILE, AS_CONFIGURED, FILE),
        ("", FILE, ChatChoice(model=BUILTIN), MODEL),
        ("", FILE, ChatChoice(TYPED), "typed"),
        ("server's", FILE, AS_CONFIGURED, "server's"),
        ("server's", FILE, ChatChoice(file=FILE), FILE),
        ("server's", "", ChatChoice(file=FILE), FILE),
        ("", "", ChatChoice(file=FILE), FILE),
        ("", "", AS_CONFIGURED, MODEL),
    ],
)
def test_a_model_file_answers_where_it_is_chosen_or_configured_and_no_endpoint_is(
    tmp_path: Path, endpoint: str, file: str, chat: ChatChoice, name: str
) -> None:
    path = write_gguf(tmp_path / "models" / FILE)
    settings = Settings(
        _env_file=None,
        chat_model=endpoint,
        builtin_model_file=str(path) if file else "",
        rag_loupe_home=tmp_path,
    )
    assert file_chosen(settings, chat) == (FILE if name == FILE else "")
    assert builtin_answers(settings, chat) == (name == MODEL)
    mark = f" ({read_header(path).fingerprint[:8]})" if name == FILE else ""
    assert model_name(settings, chat) == name + mark


def test_a_file_that_is_gone_still_has_a_name(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path, builtin_model_file=str(tmp_path / FILE))
    assert model_name(settings, ChatChoice(file="other.gguf")) == "other.gguf"
    assert model_name(settings) == FILE
