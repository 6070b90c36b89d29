"""The switch for what the built-in model was taught, and what depends on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from core.models.choice import BUILTIN
from core.models.endpoint import ChatEndpoint
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.services import chat
from core.settings import Settings
from core.skills.answer import ANSWER
from core.skills.span_answer import SPAN
from core.trace.events import RunStarted, now
from core.ui.forms.asked import choice_of
from core.ui.playground import form
from core.ui.shell import session
from tests.app.pages import app

TAUGHT = "The taught model answers in few words"


@pytest.fixture
def asked(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> list[RunRequest]:
    """What would be asked for with each drawing, by a built-in model that has its adapter."""
    found: list[RunRequest] = []
    monkeypatch.setattr(chat, "adapter_file", lambda: Path("any"))
    monkeypatch.setattr(Settings, "has_chat_endpoint", False)
    monkeypatch.setattr(form, "_button", lambda _, request, *rest, **options: found.append(request))
    return found


def methods(page: AppTest) -> dict[str, Any]:
    """Titles of the methods of the answer that are offered, by the end of the widget's key."""
    return {
        one.key.rpartition("-")[2]: list(one.options)
        for one in page.selectbox
        if one.key and one.key.startswith(f"method-{ANSWER.key}-")
    }


def test_it_is_on_at_first_and_off_leaves_the_taught_methods_out(asked: list[RunRequest]) -> None:
    page = app(model=BUILTIN)
    assert page.toggle(key=session.USE_TAUGHT).value
    (offered,) = methods(page).values()
    assert TAUGHT in offered
    assert not asked[-1].chat.as_it_came
    page.toggle(key=session.USE_TAUGHT).set_value(False).run()
    assert not page.exception
    ((kind, offered),) = methods(page).items()
    assert (kind, TAUGHT in offered) == ("builtin", False)
    assert asked[-1].chat.as_it_came
    assert asked[-1].methods[ANSWER.key] == SPAN


def test_another_model_was_taught_nothing(asked: list[RunRequest]) -> None:
    page = app()
    page.session_state[session.ENDPOINT] = ChatEndpoint("http://127.0.0.1:9/v1", SecretStr("none"), "other")
    page.run()
    assert not [one for one in page.toggle if one.key == session.USE_TAUGHT]
    ((kind, offered),) = methods(page).items()
    assert (kind, TAUGHT in offered) == ("endpoint", False)


def test_without_an_adapter_there_is_no_switch(
    asked: list[RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "adapter_file", lambda: None)
    page = app(model=BUILTIN)
    assert not [one for one in page.toggle if one.key == session.USE_TAUGHT]
    ((kind, offered),) = methods(page).items()
    assert (kind, TAUGHT in offered) == ("builtin", False)
    assert asked[-1].chat.as_it_came


def test_methods_of_a_run_are_those_of_its_kind_of_model_only(
    bench: Workbench, asked: list[RunRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def filled(*, builtin: bool, adapter: bool) -> bool:
        started = RunStarted(
            run="r", created=now(), question="q", strategy="plain", params={}, chat_model="m",
            builtin=builtin, adapter=adapter, methods={ANSWER.key: "model"},
        )  # fmt: skip
        choice = choice_of(bench, started)
        return choice is not None and bool(choice.methods)

    runs = {"endpoint": (False, False), "taught": (True, True), "builtin": (True, False)}

    def found() -> list[str]:
        return [kind for kind, (builtin, adapter) in runs.items() if filled(builtin=builtin, adapter=adapter)]

    assert found() == ["taught"]
    monkeypatch.setattr(Settings, "has_chat_endpoint", True)
    assert found() == ["endpoint"]
    monkeypatch.setattr(Settings, "has_chat_endpoint", False)
    monkeypatch.setattr(chat, "adapter_file", lambda: None)
    assert found() == ["builtin"]
