"""Pages for somebody who signed in by name: what is theirs, what a teacher may, the way in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit import user_info
from streamlit.testing.v1 import AppTest

from core.runs.workbench import Workbench
from core.ui.shell import login
from tests.app.opening import has, keys
from tests.app.pages import APP, NOWHERE, app, unfolded, workbench
from tests.unit.ui.shell.test_login import ADA, WHOLE

BROWSER = "a" * 32
SignIn = Callable[..., str]


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    with workbench(
        monkeypatch, tmp_path / "home", **NOWHERE, **WHOLE, OIDC_TEACHER_CLAIM="groups=teachers"
    ) as bench:
        yield bench
    st.cache_resource.clear()


@pytest.fixture
def sign_in(monkeypatch: pytest.MonkeyPatch) -> SignIn:
    """Have all sessions be somebody's with these claims; returns their owner id."""

    def change(**claims: Any) -> str:
        monkeypatch.setattr(user_info, "_get_user_info", lambda: {**ADA, **claims})
        person = login.session_person()
        assert person is not None
        return person.owner

    return change


def owner_of(page: AppTest) -> str:
    """Draw a script that says who it is drawn for; returns that."""

    def script() -> None:
        import streamlit as st

        from core.ui.shell import session

        st.text(session.owner())
        st.text(str(session.known()))

    shown = AppTest.from_function(script, default_timeout=60)
    for key in ("owner", "owner-known"):
        if key in page.session_state:
            shown.session_state[key] = page.session_state[key]
    shown.run()
    owner, known = (text.value for text in shown.text)
    assert known == str(owner.startswith("oidc-"))
    return str(owner)


def test_what_somebody_makes_is_theirs_by_name_and_not_the_browser_s(
    named: Workbench, sign_in: SignIn
) -> None:
    page = app(owner=BROWSER)
    assert "sign-in" in keys(page)
    assert owner_of(page) == BROWSER
    mine = sign_in(name="Ada **L**")
    assert owner_of(page) == mine != BROWSER
    page.session_state["person"] = True  # the popover is open
    page.run()
    assert "sign-out" in keys(page)
    assert "sign-in" not in keys(page)
    assert sign_in(sub="bob") != mine


@pytest.mark.parametrize("groups", [["students"], ["teachers"]])
def test_a_teacher_by_claim_may_what_one_by_password_may(
    named: Workbench, sign_in: SignIn, groups: list[str]
) -> None:
    sign_in(groups=groups)
    page = app()
    assert has(page, "You are signed in as a teacher") is (groups == ["teachers"])
    assert "teacher-sign-in" not in keys(page)  # no password is set


def test_where_a_login_is_required_nothing_is_shown_before_it(
    named: Workbench, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workbench(
        monkeypatch, named.settings.rag_loupe_home, **NOWHERE, **WHOLE, OIDC_REQUIRED="true"
    ) as bench:
        for path in ("", "pages/runs.py", "pages/classroom.py"):
            page = unfolded(AppTest.from_file(str(APP), default_timeout=60))
            if path:
                page.switch_page(path)
            page.run()
            assert not page.exception
            assert keys(page) == {"sign-in"}
            assert [text.value for text in page.markdown] == ["Sign in to use this app."]
            page.button(key="sign-in").click().run()
            assert keys(page) == {"sign-in"}
        sign_in()
        assert "ask" in keys(app())
        assert bench.settings.oidc_required
