"""Which method a skill uses: by the model that answers, with what it was taught or as it came."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import InputError
from core.models.choice import AS_CONFIGURED, BUILTIN, ChatChoice
from core.models.endpoint import ChatEndpoint
from core.runs.request import RunRequest, check
from core.services import chat
from core.settings import Settings
from core.skills import SKILLS, methods_in_force
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext
from core.skills.model_kind import CAPABLE, TINY, ModelKind
from core.trace.events import RunStarted, now

TRIED = Skill(
    "tried",
    "Try it",
    (
        Method(MODEL, "The model tries", ""),
        Method("rule", "A rule", ""),
        Method(TAUGHT, "The taught model tries", ""),
    ),
    builtin=TAUGHT,
    untaught="rule",
)
PLAIN = Skill("plain", "Do it", TRIED.methods[:2], builtin="rule")
ELSEWHERE = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("none"), "other")


@pytest.fixture(autouse=True)
def skills(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SKILLS.known, TRIED.key, TRIED)
    monkeypatch.setitem(SKILLS.known, "recall", TRIED)  # of the strategy that is asked here


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "adapter.gguf"
    path.touch()
    monkeypatch.setattr(chat, "ADAPTER", path)
    return path


def context(*, builtin: bool, as_it_came: bool, **methods: str) -> SkillContext:
    return SkillContext(None, None, None, builtin, methods, as_it_came=as_it_came)  # type: ignore[arg-type]  # not used


@pytest.mark.parametrize(
    ("builtin", "as_it_came", "tried", "plain"),
    [
        (True, False, TAUGHT, "rule"),
        (True, True, "rule", "rule"),
        (False, False, MODEL, MODEL),
        (False, True, MODEL, MODEL),
    ],
)
def test_the_default_follows_the_model(builtin: bool, as_it_came: bool, tried: str, plain: str) -> None:
    assert TRIED.default_method(ModelKind(builtin, as_it_came)) == tried
    assert PLAIN.default_method(ModelKind(builtin, as_it_came)) == plain
    assert methods_in_force(["tried"], ModelKind(builtin, as_it_came), {}) == {"tried": tried}
    assert context(builtin=builtin, as_it_came=as_it_came).method(TRIED) == tried
    assert context(builtin=builtin, as_it_came=as_it_came, tried=MODEL).method(TRIED) == MODEL


def test_what_was_taught_is_offered_where_it_can_be_used() -> None:
    assert [method.key for method in TRIED.offered(TINY)] == [MODEL, "rule", TAUGHT]
    for builtin, as_it_came in ((True, True), (False, False), (False, True)):
        assert [method.key for method in TRIED.offered(ModelKind(builtin, as_it_came))] == [MODEL, "rule"]


def test_what_was_taught_is_refused_elsewhere_with_the_reason() -> None:
    assert methods_in_force(["tried"], TINY, {"tried": TAUGHT}) == {"tried": TAUGHT}
    with pytest.raises(
        InputError, match="but that model answers as it came. Choose another method for “Try it”"
    ):
        methods_in_force(["tried"], ModelKind(True, True), {"tried": TAUGHT})
    with pytest.raises(InputError, match="“The taught model tries” needs .* but another model answers"):
        methods_in_force(["tried"], CAPABLE, {"tried": TAUGHT})


def nothing() -> Any:
    """In place of a catalogue, where no documents and no graph are asked for."""
    raise AssertionError


def refused(settings: Settings, chat: ChatChoice = AS_CONFIGURED) -> str:
    """Why a request for the taught method cannot be run; empty: it can."""
    request = RunRequest("Why?", "closed-book", methods={"recall": TAUGHT}, chat=chat)
    try:
        check(request, settings, nothing, nothing)
    except InputError as error:
        return str(error)
    return ""


def test_a_run_is_refused_before_it_begins(adapter: Path) -> None:
    offline = Settings(_env_file=None, openai_base_url="", chat_model="")
    online = Settings(_env_file=None, openai_base_url=ELSEWHERE.base_url, chat_model="other")
    assert refused(offline) == refused(online, ChatChoice(model=BUILTIN)) == ""
    assert "another model answers" in refused(online)
    assert "another model answers" in refused(offline, ChatChoice(ELSEWHERE))
    assert "answers as it came" in refused(offline, ChatChoice(as_it_came=True))
    assert "answers as it came" in refused(offline.model_copy(update={"builtin_adapter": False}))
    adapter.unlink()
    assert "answers as it came" in refused(offline)


@pytest.mark.parametrize(
    ("builtin", "adapted", "came"), [(True, True, False), (True, False, True), (False, False, False)]
)
def test_a_run_is_repeated_as_it_was(builtin: bool, adapted: bool, came: bool) -> None:
    started = RunStarted(
        run="r", created=now(), question="q", strategy="plain", params={}, chat_model="m", builtin=builtin,
        adapter=adapted,
    )  # fmt: skip
    assert RunRequest.of(started, owner="me", chat=ChatChoice(ELSEWHERE)).chat == ChatChoice(
        ELSEWHERE, as_it_came=came
    )
