"""Signing in by name at a real provider on this machine: two processes of the app behind one address.

The browser of these tests keeps its cookies by the name of the machine, whatever the port, as all browsers do.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from oidc_provider_mock import User, run_server_in_thread

from core.ui.shell.safe import literal
from tests.commands import ROOT, environment_of
from tests.homes import Homes
from tests.patience import Patience
from tests.session_client import Session

CLIENT_SECRET, COOKIE_SECRET = "the-secret-of-the-client", "the-secret-of-all-cookies-of-this-app"
BROWSER = "a" * 32
PEOPLE = [
    User(sub="ada", claims={"name": "Ada <b>L</b>", "email": "ada@school.example", "email_verified": True}),
    User(sub="bob", claims={"name": "Bob", "email": "bob@school.example", "email_verified": False}),
    User(sub="eve", claims={"name": "Eve", "groups": ["staff", "teachers"]}),
    User(sub="dan", claims={"groups": ["students"] + [os.urandom(16).hex() for _ in range(120)]}),
]


class Process:
    """A process of the app, as `streamlit run` starts it."""

    def __init__(self, home: Path, port: int, **environment: str) -> None:
        self.url = f"http://localhost:{port}"
        self.log = home / "app.log"
        command = ["-m", "streamlit", "run", "tests/servers/login_app.py", "--server.port", str(port)]
        with self.log.open("wb") as out:
            self._process = subprocess.Popen(
                [sys.executable, *command, "--server.headless", "true"],
                cwd=ROOT, env=environment_of(home) | environment, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def wait(self) -> None:
        """Return when it answers."""
        patience = Patience()
        while True:
            try:
                httpx.get(f"{self.url}/_stcore/health").raise_for_status()
            except httpx.HTTPError:
                patience.ask(self.log.read_text())
                time.sleep(0.1)
            else:
                return

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """Address of the provider, which signs in whoever it is asked to."""
    with run_server_in_thread(user_claims=PEOPLE) as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture(scope="module")
def processes(provider: str, homes: Homes) -> Iterator[tuple[Process, Process]]:
    """Two processes: the provider sends browsers back to the first; the second lets nobody in without a name."""
    ports = free_port(), free_port()
    settings = {
        "OIDC_METADATA_URL": f"{provider}/.well-known/openid-configuration",
        "OIDC_CLIENT_ID": "loupe",
        "OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "OIDC_COOKIE_SECRET": COOKIE_SECRET,
        "OIDC_REDIRECT_URI": f"http://localhost:{ports[0]}/oauth2callback",
        "OIDC_TEACHERS": "ada@school.example, bob@school.example",
        "OIDC_TEACHER_CLAIM": "groups=teachers",
    }
    with ExitStack() as stack:
        offered = stack.enter_context(closing(Process(homes.new(), ports[0], **settings)))
        required = stack.enter_context(
            closing(Process(homes.new(), ports[1], OIDC_REQUIRED="true", **settings))
        )
        offered.wait()
        required.wait()
        yield offered, required


@pytest.fixture
def browser() -> Iterator[httpx.Client]:
    with httpx.Client(follow_redirects=True, timeout=60) as client:
        yield client


def sign_in(browser: httpx.Client, app: Process, sub: str, to: str = "/who") -> httpx.Response:
    """Go the whole way to the provider and back."""
    form = browser.get(f"{app.url}/sign-in", params={"to": to})
    assert "Authorize" in form.text
    return browser.post(form.url, data={"sub": sub})


def who(browser: httpx.Client, app: Process) -> dict[str, Any]:
    answer: dict[str, Any] = browser.get(f"{app.url}/who").json()
    return answer


def cookies_of(browser: httpx.Client) -> dict[str, str]:
    return {cookie.name: cookie.value or "" for cookie in browser.cookies.jar}


def test_somebody_signs_in_and_comes_back_to_the_page_that_sent_them(
    browser: httpx.Client, processes: tuple[Process, Process]
) -> None:
    app, _ = processes
    browser.cookies.set("rag_loupe_owner", BROWSER, domain="localhost.local")
    assert who(browser, app) == {"owner": BROWSER, "name": None, "teacher": False}
    back = sign_in(browser, app, "ada", "/who?a=1&b=%2F")
    assert str(back.url) == f"{app.url}/who?a=1&b=%2F"
    person = back.json()
    assert person["owner"].startswith("oidc-")
    assert (person["name"], person["teacher"]) == ("Ada <b>L</b>", True)
    callback = next(step for step in back.history if step.url.path == "/oauth2callback")
    kept = [line for line in callback.headers.get_list("set-cookie") if line.startswith("_streamlit_user")]
    assert kept
    assert all("httponly" in line.lower() and "samesite=lax" in line.lower() for line in kept)


@pytest.mark.parametrize(("sub", "teacher"), [("ada", True), ("bob", False), ("eve", True), ("dan", False)])
def test_a_teacher_is_listed_by_a_verified_address_or_has_the_claim(
    browser: httpx.Client, processes: tuple[Process, Process], sub: str, teacher: bool
) -> None:
    person = sign_in(browser, processes[0], sub).json()
    assert person["owner"].startswith("oidc-")
    assert person["teacher"] is teacher


def test_two_processes_agree_and_one_ends_what_the_other_began(
    browser: httpx.Client, processes: tuple[Process, Process]
) -> None:
    here, there = processes
    person = sign_in(browser, there, "ada").json()  # the provider sends the browser to the first one
    assert person == who(browser, here) == who(browser, there)
    browser.cookies.clear()
    assert sign_in(browser, here, "bob").json()["owner"] != person["owner"]
    browser.cookies.clear()
    assert sign_in(browser, here, "ada").json() == person


def test_a_cookie_that_was_tampered_with_is_nobody_and_no_cookie_is_somebody_else(
    browser: httpx.Client, processes: tuple[Process, Process]
) -> None:
    here, _ = processes
    owner = sign_in(browser, here, "ada").json()["owner"]
    good = cookies_of(browser)["_streamlit_user"]
    for bad in (good[::-1], f"{good}x", good[: len(good) // 2]):
        for app in processes:
            answer = httpx.get(f"{app.url}/who", cookies={"_streamlit_user": bad})
            assert answer.json() == {"owner": "", "name": None, "teacher": False}
    for kept in (owner, owner.removeprefix("oidc-")):
        answers = [httpx.get(f"{app.url}/who", cookies={"rag_loupe_owner": kept}).json() for app in processes]
        assert [answer["owner"] == owner for answer in answers] == [False, False]
        assert answers[1]["owner"] == ""


def test_signing_out_ends_it_in_both_processes(
    browser: httpx.Client, processes: tuple[Process, Process], provider: str
) -> None:
    here, _ = processes
    sign_in(browser, here, "dan")
    assert len([name for name in cookies_of(browser) if name.startswith("_streamlit_user")]) > 2  # in pieces
    left = browser.get(f"{here.url}/auth/logout")
    assert str(left.url).startswith(provider)
    assert left.url.params["post_logout_redirect_uri"] == f"{here.url}/oauth2callback"
    assert not [name for name in cookies_of(browser) if name.startswith("_streamlit_user")]
    assert [who(browser, app)["owner"] for app in processes] == ["", ""]
    assert browser.get(left.url.params["post_logout_redirect_uri"]).url.path == "/"


@pytest.mark.parametrize(
    "to",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example", "/a\nb", "evil", ""],
)
def test_nobody_is_sent_to_another_site(
    browser: httpx.Client, processes: tuple[Process, Process], to: str
) -> None:
    back = sign_in(browser, processes[0], "ada", to)
    assert str(back.url) == f"{processes[0].url}/"


def test_a_sign_in_that_the_provider_refuses_or_somebody_else_began_is_none(
    browser: httpx.Client, processes: tuple[Process, Process]
) -> None:
    here, _ = processes
    form = browser.get(f"{here.url}/sign-in", params={"to": "/who"})
    refused = browser.post(form.url, data={"action": "deny"})
    assert refused.url.path == "/"
    assert who(browser, here)["owner"] == ""
    form = browser.get(f"{here.url}/sign-in")
    code = httpx.post(form.url, data={"sub": "ada"}).headers["location"]
    assert "_streamlit_user" not in httpx.get(code).headers.get("set-cookie", "")  # another browser's
    assert "_streamlit_user" in browser.get(code, follow_redirects=False).headers["set-cookie"]


def test_pages_say_who_it_is_and_without_a_name_there_are_none_where_it_is_required(
    browser: httpx.Client, processes: tuple[Process, Process]
) -> None:
    here, there = processes
    sign_in(browser, here, "ada")
    browser.get(f"{here.url}/_stcore/health")
    with Session(here.url, cookies_of(browser)) as page:
        page.wait(lambda: "ask" in page.ids)
        assert any(literal("Ada <b>L</b>").encode() in message for message in page.heard.raw)
        assert "sign-in" not in page.ids
        assert not any(b"rag_loupe_owner" in message for message in page.heard.raw)  # no cookie keeps this id
    with Session(here.url) as page:
        page.wait(lambda: "sign-in" in page.ids and "ask" in page.ids)
    with Session(there.url) as page:
        page.wait(lambda: page.finished > 0)
        page.redraw()
        assert set(page.ids) == {"sign-in"}
        assert "Sign in to use this app." in page.heard.bodies


def test_no_secret_is_in_a_log_a_cookie_or_an_answer(
    browser: httpx.Client, processes: tuple[Process, Process]
) -> None:
    here, _ = processes
    back = sign_in(browser, here, "ada")
    seen = [part for step in (*back.history, back) for part in (step.text, str(step.headers), str(step.url))]
    seen += [app.log.read_text() for app in processes]
    seen += [file.read_text() for app in processes for file in app.log.parent.glob("logs/rag-loupe.log")]
    for secret in (CLIENT_SECRET, COOKIE_SECRET):
        assert not [text for text in seen if secret in text]
