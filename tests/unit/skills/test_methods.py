"""Which method a skill uses: by the model that answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import InputError
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, EndpointModel
from core.models.endpoint import ChatEndpoint
from core.runs.request import RunRequest, check
from core.settings import Settings
from core.skills import SKILLS, methods_in_force
from core.skills.base import CAPABLE, MODEL, TAUGHT, TINY, Method, Skill
from core.trace.events import RunStarted, now
from tests.skill_context import skill_context

TRIED = Skill(
    "tried",
    "Try it",
    (
        Method(MODEL, "The model tries", ""),
        Method("rule", "A rule", ""),
        Method(TAUGHT, "The taught model tries", ""),
    ),
    builtin=TAUGHT,
)
PLAIN = Skill("plain", "Do it", TRIED.methods[:2], builtin="rule")
ELSEWHERE = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("none"), "other")


@pytest.fixture(autouse=True)
def skills(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SKILLS.known, TRIED.key, TRIED)
    monkeypatch.setitem(SKILLS.known, "recall", TRIED)  # of the strategy that is asked here


@pytest.mark.parametrize(("builtin", "tried", "plain"), [(True, TAUGHT, "rule"), (False, MODEL, MODEL)])
def test_the_default_follows_the_model(builtin: bool, tried: str, plain: str) -> None:
    kind = TINY if builtin else CAPABLE
    assert TRIED.default_method(kind) == tried
    assert PLAIN.default_method(kind) == plain
    assert methods_in_force(["tried"], kind, {}) == {"tried": tried}
    context = skill_context(builtin=builtin)
    assert context.method(TRIED) == tried
    assert replace(context, methods={"tried": MODEL}).method(TRIED) == MODEL


def test_what_was_taught_is_offered_where_it_can_be_used() -> None:
    assert [method.key for method in TRIED.offered(TINY)] == [MODEL, "rule", TAUGHT]
    assert [method.key for method in TRIED.offered(CAPABLE)] == [MODEL, "rule"]


def test_what_was_taught_is_refused_elsewhere_with_the_reason() -> None:
    assert methods_in_force(["tried"], TINY, {"tried": TAUGHT}) == {"tried": TAUGHT}
    with pytest.raises(InputError, match="“The taught model tries” needs .* but another model answers"):
        methods_in_force(["tried"], CAPABLE, {"tried": TAUGHT})


def nothing() -> Any:
    """In place of a catalogue, where no documents and no graph are asked for."""
    raise AssertionError


def refused(settings: Settings, chat: ChatModel = CONFIGURED) -> str:
    """Why a request for the taught method cannot be run; empty: it can."""
    request = RunRequest("Why?", "closed-book", methods={"recall": TAUGHT}, chat=chat)
    try:
        check(request, settings, nothing, nothing)
    except InputError as error:
        return str(error)
    return ""


def test_a_run_is_refused_before_it_begins() -> None:
    offline = Settings(_env_file=None, openai_base_url="", chat_model="")
    online = Settings(_env_file=None, openai_base_url=ELSEWHERE.base_url, chat_model="other")
    assert refused(offline) == refused(online, BUILTIN) == ""
    assert "another model answers" in refused(online)
    assert "another model answers" in refused(offline, EndpointModel(ELSEWHERE))


def test_a_run_of_another_version_is_asked_again_without_what_is_not_known() -> None:
    started = RunStarted(
        run="r", created=now(), question="q", strategy="plain", params={}, chat_model="m", builtin=True,
        methods={"by_rule": "rule", "answer": "span", "rerank": "tokens"},
        prompts={"answer.span": "Gone", "by_rule.model": "Gone", "answer.model": "Kept"},
    )  # fmt: skip
    again = RunRequest.of(started, owner="me", chat=CONFIGURED)
    assert (again.methods, again.prompts) == ({"rerank": "tokens"}, {"answer.model": "Kept"})
