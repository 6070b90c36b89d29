"""Which model a choice names, before it is asked."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from core.models.choice import AS_CONFIGURED, BUILTIN, ChatChoice, builtin_answers, model_name
from core.models.endpoint import ChatEndpoint
from core.services.chat import MODEL
from core.settings import Settings

TYPED = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("sesame"), "typed")
FIRST = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("sesame"), "")


@pytest.mark.parametrize(
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
        ("server's", ChatChoice(model=BUILTIN, as_it_came=True), MODEL),
    ],
)
def test_the_name_of_the_model(configured: str, chat: ChatChoice, name: str) -> None:
    settings = Settings(_env_file=None, openai_base_url="", chat_model=configured)
    assert model_name(settings, chat) == name
    assert builtin_answers(settings, chat) == (name == MODEL)


def test_the_key_is_not_shown() -> None:
    assert "sesame" not in repr(ChatChoice(TYPED))
