"""The person, by the claims of a token and by the cookies of a request; the sign-in itself is in tests/servers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from secrets import token_hex
from typing import Any, cast

import pytest
from itsdangerous import TimestampSigner
from pydantic import SecretStr
from sqlalchemy import String
from starlette.requests import Request
from starlette.routing import Route
from streamlit import config
from streamlit.auth_util import set_cookie_with_chunks
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from core.classroom.tables import VoteRow
from core.errors import InputError
from core.runs.store import RunRow
from core.settings import Settings, get_settings
from core.ui.shell import login
from core.users import OWNER_COOKIE
from tests.cases import cases

SECRET, OTHER_SECRET = "s" * 32, "o" * 32
WHOLE = {
    "OIDC_METADATA_URL": "http://127.0.0.1:1/.well-known/openid-configuration",
    "OIDC_CLIENT_ID": "loupe",
    "OIDC_CLIENT_SECRET": "client",
    "OIDC_COOKIE_SECRET": SECRET,
    "OIDC_REDIRECT_URI": "http://loupe.example/oauth2callback",
}
ADA = {"iss": "https://id.example", "sub": "ada", "is_logged_in": True}
COOKIE = "_streamlit_user"
BROWSER = "a" * 32


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A process in which signing in is configured as `app.py` does it."""
    for name, value in WHOLE.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()
    secrets_singleton.merge_programmatic_secrets(login.secrets() or {})
    yield monkeypatch
    secrets_singleton._programmatic_secrets = None
    secrets_singleton._reset()
    get_settings.cache_clear()


def request(cookies: Mapping[str, str]) -> Request:
    line = "; ".join(f"{name}={value}" for name, value in cookies.items())
    return Request({"type": "http", "method": "GET", "path": "/", "headers": [(b"cookie", line.encode())]})


def signed(claims: Mapping[str, Any], secret: str = SECRET) -> dict[str, str]:
    """Cookies as Streamlit sets them for somebody with these claims."""
    cookies: dict[str, str] = {}
    set_cookie_with_chunks(
        lambda name, value: cookies.update({name: create_signed_value(secret, name, value).decode()}),
        lambda name, value: create_signed_value(secret, name, value),
        COOKIE,
        {"origin": "http://loupe.example", **claims},
        cookie_attr_size=100,
    )
    return cookies


def settings(**fields: Any) -> Settings:
    whole = {name.lower(): value for name, value in WHOLE.items()}
    return Settings(_env_file=None, **{**whole, **fields})


def test_a_signed_in_owner_is_the_same_at_every_sign_in_and_fits_the_tables(
    configured: pytest.MonkeyPatch,
) -> None:
    owner = login.request_owner(request(signed(ADA)))
    assert owner == login.request_owner(request(signed({**ADA, "name": "Ada", "email": "ada@x.example"})))
    for other in ({"sub": "bob"}, {"iss": "https://other.example"}, {"iss": "https://id.example\nada"}):
        assert login.request_owner(request(signed({**ADA, **other}))) not in ("", owner)
    for column in (RunRow.__table__.c.owner, VoteRow.__table__.c.member):
        assert len(owner) <= (cast("String", column.type).length or 0)


def test_a_cookie_of_many_groups_comes_in_pieces(configured: pytest.MonkeyPatch) -> None:
    many = signed({**ADA, "groups": [token_hex(16) for _ in range(400)]})  # the cookie is compressed
    assert len(many) > 2
    assert login.request_owner(request(many)) == login.request_owner(request(signed(ADA)))
    many.popitem()
    assert login.request_owner(request(many)) == ""


def test_without_a_sign_in_the_cookie_of_the_browser_counts(configured: pytest.MonkeyPatch) -> None:
    owner = login.request_owner(request(signed(ADA)))
    browser = {OWNER_COOKIE: BROWSER}
    assert login.request_owner(request(browser)) == BROWSER
    assert login.request_owner(request({})) == ""
    assert login.request_owner(request(browser | signed(ADA))) == owner
    for other in (owner, owner.removeprefix("oidc-"), BROWSER.upper(), f"{BROWSER}a", "", "app", "../x"):
        assert login.request_owner(request({OWNER_COOKIE: other})) != owner


def test_only_a_cookie_that_this_app_signed_for_its_own_address_is_somebody(
    configured: pytest.MonkeyPatch,
) -> None:
    good = signed(ADA)[COOKIE]
    _, stamp, signature = good.rsplit(".", 2)
    forged = signed({**ADA, "sub": "bob"})[COOKIE].rsplit(".", 2)[0]
    bad = {
        "tampered": f"{forged}.{stamp}.{signature}",
        "cut": good[:-1],
        "another's secret": signed(ADA, OTHER_SECRET)[COOKIE],
        "plain": json.dumps(ADA).replace('"', ""),
        "another cookie's": create_signed_value(SECRET, "_streamlit_user_tokens", json.dumps(ADA)).decode(),
        "of another address": signed({**ADA, "origin": "http://other.example"})[COOKIE],
        "signed out": signed({**ADA, "is_logged_in": False})[COOKIE],
        "without a subject": signed({**ADA, "sub": ""})[COOKIE],
        "empty": "",
    }
    for what, cookie in bad.items():
        assert login.request_owner(request({COOKIE: cookie})) == "", what
    configured.setattr(TimestampSigner, "get_timestamp", lambda _: int(time.time()) - 32 * 24 * 3600)
    old = signed(ADA)
    configured.undo()
    assert login.request_owner(request(old)) == ""


def test_where_a_login_is_required_no_cookie_of_a_browser_counts(configured: pytest.MonkeyPatch) -> None:
    configured.setenv("OIDC_REQUIRED", "true")
    get_settings.cache_clear()
    assert login.request_owner(request({OWNER_COOKIE: BROWSER})) == ""
    assert login.request_owner(request(signed(ADA))).startswith("oidc-")


def test_where_no_login_is_configured_nobody_is_signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    get_settings.cache_clear()
    assert login.secrets() is None
    cookies = signed(ADA) | {OWNER_COOKIE: BROWSER}
    assert login.request_owner(request(cookies)) == BROWSER
    assert login.session_person() is None


EMAILS = {"oidc_teachers": "Ada@School.example, s-77"}
GROUPS = {"oidc_teacher_claim": "groups = teachers"}


@cases(
    ("fields", "claims", "teaches"),
    [
        (EMAILS, {"email": "ada@school.example", "email_verified": True}, True),
        (EMAILS, {"email": "ada@school.example", "email_verified": "true"}, True),
        (EMAILS, {"email": "ada@school.example", "email_verified": False}, False),
        (EMAILS, {"email": "ada@school.example", "email_verified": "false"}, False),
        (EMAILS, {"email": "ada@school.example"}, False),
        (EMAILS, {"email": "eve@school.example", "email_verified": True}, False),
        (EMAILS, {"email": "s-77", "email_verified": True}, False),
        (EMAILS, {"email_verified": True}, False),
        (EMAILS, {"sub": "s-77"}, True),
        (EMAILS, {"sub": "Ada@School.example"}, False),
        (EMAILS, {"preferred_username": "s-77", "name": "s-77"}, False),
        (GROUPS, {"groups": ["students", "teachers"]}, True),
        (GROUPS, {"groups": "teachers"}, True),
        (GROUPS, {"groups": ["students"]}, False),
        (GROUPS, {"groups": "no teachers"}, False),
        (GROUPS, {"groups": {"teachers": 1}}, False),
        (GROUPS, {"roles": ["teachers"]}, False),
        ({}, {"groups": ["teachers"], "": "", "email": "", "email_verified": True}, False),
    ],
)
def test_a_teacher_is_listed_or_has_the_claim(
    fields: dict[str, Any], claims: dict[str, Any], teaches: bool
) -> None:
    person = login.person_of({**ADA, **claims}, settings(**fields))
    assert person is not None
    assert person.teacher is teaches


def test_where_teachers_are_named_not_everybody_is_one() -> None:
    assert settings(**EMAILS).has_teacher
    assert settings(**GROUPS).has_teacher
    assert not settings().has_teacher
    assert settings(teacher_password=SecretStr("right")).has_teacher


@cases(
    ("change", "sentence"),
    [
        ({"OIDC_CLIENT_SECRET": ""}, "OIDC_METADATA_URL is set, but OIDC_CLIENT_SECRET is not"),
        ({"OIDC_COOKIE_SECRET": ""}, "OIDC_METADATA_URL is set, but OIDC_COOKIE_SECRET is not"),
        ({"OIDC_COOKIE_SECRET": "short"}, "OIDC_COOKIE_SECRET needs at least 32 characters."),
        ({"OIDC_REDIRECT_URI": "loupe.example"}, "OIDC_REDIRECT_URI must be the address of the app"),
        ({"OIDC_TEACHER_CLAIM": "groups"}, "OIDC_TEACHER_CLAIM must be a claim, = and a value"),
        ({"OIDC_METADATA_URL": "", "OIDC_REQUIRED": "true"}, "nobody could sign in"),
        ({"OIDC_REQUIRED": "perhaps"}, "The setting OIDC_REQUIRED is not usable"),
    ],
)
def test_settings_that_do_not_go_together_are_a_sentence(change: dict[str, str], sentence: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**WHOLE, **change}.items():
            patch.setenv(name, value)
        get_settings.cache_clear()
        with pytest.raises(InputError, match=sentence) as error:
            get_settings()
        with pytest.raises(SystemExit, match=sentence):
            login.secrets()
    get_settings.cache_clear()
    assert not any(secret in str(error.value) for secret in (SECRET, "short"))


def test_below_a_path_the_routes_are_below_it_too(configured: pytest.MonkeyPatch) -> None:
    before = config.get_option("server.baseUrlPath")
    try:
        for base, prefix in (("", ""), ("loupe", "/loupe"), ("/a/b/", "/a/b")):
            config.set_option("server.baseUrlPath", base)
            paths = [cast("Route", route).path for route in login.routes()]
            assert paths == [f"{prefix}/sign-in", f"{prefix}/oauth2callback"]
            assert login.sign_in_address("/x?y=1") == f"{prefix}/sign-in?to=%2Fx%3Fy%3D1"
    finally:
        config.set_option("server.baseUrlPath", before)
