"""Two app processes with a home each, as behind a load balancer: one PostgreSQL, one Chroma server.

What they share is said by tests/servers/test_two_processes.py and test_postgres.py: here two browsers' servers show it.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.bench import open_bench
from tests.browser.conftest import App, Tab, start_app, stop_app
from tests.browser.test_playground import QUESTION, ask, choose_corpus, open_playground, upload
from tests.homes import Homes
from tests.postgres import PostgresServer
from tests.scripted import Rule, ScriptedServer

pytestmark = pytest.mark.thorough

CORPUS = "영화 映画 电影"


@pytest.fixture(scope="module")
def apps(scripted_server: ScriptedServer, postgres: PostgresServer, homes: Homes) -> Iterator[list[App]]:
    """Both find the demo corpus, which would keep the processors busy, and neither has anything in its home."""
    supervisor = Supervisor(homes.new())
    environment = {
        "DATABASE_URL": postgres.new_database(),
        "CHROMA_URL": supervisor.ensure(LOCAL_CHROMA).url,
        "OPENAI_BASE_URL": scripted_server.base_url,
        "CHAT_MODEL": "scripted",
        "OPENAI_API_KEY": "test-key",
    }
    before = open_bench(
        homes.new(), database_url=environment["DATABASE_URL"], chroma_url=environment["CHROMA_URL"]
    )
    before.corpora.demo().result()
    before.backends.supervisor.release()
    with ThreadPoolExecutor(2) as pool:
        apps = list(pool.map(lambda _: start_app(homes.new(), **environment), range(2)))
    yield apps
    for app in apps:
        stop_app(app)
    supervisor.release()


def run_in(page: Page) -> str:
    """Id of the run on the page."""
    page.wait_for_url(re.compile("run="))
    return parse_qs(urlsplit(page.url).query)["run"][0]


def open_run(tab: Tab, app: App, run: str) -> Page:
    tab.page.goto(f"{app.url}/?run={run}")
    tab.page.wait_for_selector(".st-key-question textarea")
    tab.settle()
    return tab.page


def open_ready(tab: Tab, app: App) -> Page:
    """The Playground when the demo corpus is indexed: until then the processors are busy with it."""
    page = open_playground(tab, app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=120_000)
    return page


def test_a_corpus_and_a_run_of_one_are_there_in_the_other(
    tab: Tab, apps: list[App], scripted: ScriptedServer, tmp_path: Path
) -> None:
    first, second = apps
    page = tab.page
    notes = tmp_path / "films.md"
    notes.write_text(
        "# Films\n\nA Dangerous Age is a 1958 film directed by Sidney J. Furie.\n", encoding="utf-8"
    )
    upload(tab, first, notes, CORPUS)
    open_playground(tab, second)
    choose_corpus(tab, CORPUS)
    scripted.script(Rule(skill="answer", reply="감독은 Sidney J. Furie입니다 [1]."))
    ask(tab, QUESTION, "RAG-Fusion")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    run = run_in(page)

    open_run(tab, first, run)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("감독은 Sidney J. Furie입니다")
    expect(page.locator(".st-key-question textarea")).to_have_value(QUESTION)
    assert page.locator("[data-testid='stException']").count() == 0


def test_a_run_under_way_in_one_is_shown_as_far_as_it_is_in_the_other(
    tab: Tab, apps: list[App], scripted: ScriptedServer
) -> None:
    first, second = apps
    open_ready(tab, second)
    page = open_ready(tab, first)
    scripted.script(Rule(told={"question": "Why"}, reply="It goes on and on. " * 50, pause=0.05))
    ask(tab, "Why?", "Closed book")
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("It goes on")
    run = run_in(page)
    open_run(tab, second, run)
    expect(page.get_by_text("Another process is working on it")).to_be_visible()
    again, done = page.locator(".st-key-look-again button"), page.get_by_text(re.compile("Done in"))
    end = time.monotonic() + 60
    while not done.is_visible() and time.monotonic() < end:
        with suppress(TimeoutError):  # it goes away with the last click
            again.click()
        tab.settle()
    expect(done).to_be_visible()


def test_a_database_that_does_not_answer_is_one_sentence(tab: Tab, tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        app = start_app(
            tmp_path, DATABASE_URL=f"postgresql://loupe:hunter2@127.0.0.1:{silent.getsockname()[1]}/db"
        )
        try:
            tab.page.goto(app.url)
            said = tab.page.locator("[data-testid=stAlert]").filter(has_text="does not accept a connection")
            expect(said.first).to_be_visible()
            assert tab.page.locator("[data-testid='stException']").count() == 0
            assert "hunter2" not in tab.page.content()
        finally:
            stop_app(app)
    assert "hunter2" not in app.log.read_text(encoding="utf-8")
