"""Whose replies with contexts are used again for whom."""

from __future__ import annotations

from pydantic import SecretStr

from core.corpora.contexts import request_key
from core.models.choice import AS_CONFIGURED, ChatChoice
from core.models.endpoint import ChatEndpoint
from core.runs.sources.context_writing import who_answers
from core.settings import Settings
from core.users import User

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
            (AS_CONFIGURED, own, ANN),
            (ChatChoice(endpoint=own), own, ANN),
            (ChatChoice(endpoint=own), own, BO),
            (ChatChoice(endpoint=typed), typed, ANN),
            (ChatChoice(endpoint=typed), typed, BO),
        ]
    }
    assert len(keys) == 5
    shared = [request_key(who_answers(settings, AS_CONFIGURED, own, user), MESSAGES) for user in (ANN, BO)]
    assert shared[0] == shared[1], "what the server's own model wrote is not paid for twice"
