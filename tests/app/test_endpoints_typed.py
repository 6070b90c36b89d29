"""Which chat endpoints a browser may type in, on a server with a teacher's password."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.ui.shell import models
from tests.app.opening import click, drawn, has, keys, open_models
from tests.app.pages import NOWHERE, app, unfolded, workbench
from tests.scripted import ScriptedServer


def use(page: AppTest, url: str) -> AppTest:
    open_models(page).text_input(key="endpoint-url").set_value(url)
    return drawn(page.button(key="endpoint-use").click().run())


def sign_in(page: AppTest) -> AppTest:
    unfolded(page).run().text_input(key="teacher-password").set_value("right")
    return click(page, "teacher-sign-in")


def test_only_the_teacher_s_browser_reaches_the_server_s_own_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right"):
        page = use(app(owner="a" * 32), scripted.base_url)
        assert has(page, "Only endpoints on the public internet can be used from here")
        assert has(page, "only the teacher can use one in its own network")
        assert models.ENDPOINT not in page.session_state
        assert scripted.requests == []
        sign_in(page)
        assert not has(page, "only the teacher can use one in its own network")
        use(page, scripted.base_url)
        assert page.session_state[models.ENDPOINT].base_url == scripted.base_url
        assert len(scripted.requests) == 1


def test_where_none_may_be_typed_only_the_teacher_has_the_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right", BROWSER_ENDPOINTS="none"):
        page = open_models(app(owner="a" * 32))
        assert "endpoint-url" not in keys(page, "text_input")
        assert "endpoint-url" in keys(sign_in(page), "text_input")


def test_without_a_password_any_may_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE):
        page = use(app(owner="a" * 32), scripted.base_url)
        assert page.session_state[models.ENDPOINT].base_url == scripted.base_url
