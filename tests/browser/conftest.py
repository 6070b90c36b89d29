"""The real app in a real browser: one Streamlit server with a home of its own, the scripted endpoint or the
built-in model behind it, and a page that notes every request that leaves the machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Dialog,
    Locator,
    Page,
    Response,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.runs.workbench import Workbench
from tests.bench import leave, open_bench
from tests.browser.install import installed
from tests.homes import Homes
from tests.patience import Patience
from tests.scripted import ScriptedServer

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page lives for seconds: what V8 gives to making it fast for longer, and to tidying up early, never pays.
    "--js-flags=--no-opt --no-maglev --min-semi-space-size=32",
]
SIZE = ViewportSize(width=1440, height=900)

expect.set_options(timeout=90_000)


@dataclass
class App:
    """A running app."""

    url: str
    home: Path
    process: subprocess.Popen[bytes]
    log: Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start_app(home: Path, *, script: str = "app.py", base: str = "", **environment: str) -> App:
    """Start the app as `make run` does, without opening a browser; returns when it is healthy.

    Args:
        home: For its data and its log.
        script: The app, or a page of a test's own.
        base: Path that it is served below; empty: none.
        environment: Its settings.
    """
    port = free_port()
    log = home / "app.log"
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("OPENAI_", "CHAT_", "CHROMA_", "DATABASE_"))
    }
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        script,
        "--server.port",
        str(port),
        "--server.headless",
        "true",
        "--server.baseUrlPath",
        base,
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
            env=clean | {"RAG_LOUPE_HOME": str(home)} | environment,
        )  # fmt: skip
    url = f"http://127.0.0.1:{port}" + (f"/{base}" if base else "")
    for _ in range(900):
        try:
            if httpx.get(f"{url}/_stcore/health").text == "ok":
                return App(url, home, process, log)
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError(f"The app did not start: {log.read_text()[-2000:]}")


def stop_app(app: App) -> None:
    app.process.terminate()
    app.process.wait(20)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed when these tests are done: while Playwright's own loop runs, no asynchronous test can."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def scripted_app(scripted_server: ScriptedServer, homes: Homes) -> Iterator[App]:
    """The app with the scripted endpoint, and a home in which the demo is ready."""
    environment = {
        "OPENAI_BASE_URL": scripted_server.base_url,
        "CHAT_MODEL": "scripted",
        "OPENAI_API_KEY": "test-key",
    }
    app = start_app(
        homes.demo(),
        RETRY_BASE_SECONDS="0.2",
        MODEL_TIMEOUT_SECONDS="5",
        **environment,
    )
    yield app
    stop_app(app)


@pytest.fixture(scope="package")
def demo_bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    """A workbench in this process with the demo, for tests that look at a finished run and not at its progress."""
    bench = open_bench(homes.demo(), scripted_server)
    yield bench
    leave(bench)


@pytest.fixture(scope="package")
def builtin_app(homes: Homes) -> Iterator[App]:
    """The app as a user has it who has set nothing: no endpoint, no key."""
    app = start_app(homes.demo())
    yield app
    stop_app(app)


ENDED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
STATE = '[data-testid="stApp"]'
"""The element that says whether the page's script runs."""


@dataclass
class Tab:
    """A browser page and what it did."""

    page: Page
    foreign: list[str] = field(default_factory=list)
    """Addresses outside this machine that the page asked for."""
    dialogs: list[str] = field(default_factory=list)
    """Scripts that got as far as opening a dialog."""
    errors: list[str] = field(default_factory=list)

    uploads: int = 0
    """Files that the server has taken."""
    runs: int = 0
    """Runs of a page's script, or of a part of it, that the server said to have ended as they should."""

    @contextmanager
    def one_run(self) -> Iterator[None]:
        """Wait until the run of the page's script that the block asks for has ended and is drawn.

        By what the server says: on a busy machine a run begins late, so that waiting for a page at rest would not wait
        at all, and the page may take up its beginning and its end together, so that it never says that it ran.
        """
        before, patience = self.runs, Patience()
        yield
        while self.runs == before:
            patience.ask("The page's script did not run.")
            self.page.wait_for_timeout(20)  # the browser's events come in meanwhile
        self.page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => setTimeout(drawn)))")
        self.settle()

    def put(self, field: Locator | str, *files: Path) -> None:
        """Choose files and wait until the server has them; on a busy machine that is later than the page shows them."""
        field = self.page.locator(field) if isinstance(field, str) else field
        before, patience = self.uploads, Patience()
        field.set_input_files(files)
        while self.uploads < before + len(files):
            patience.ask("The files did not arrive.")
            self.page.wait_for_timeout(20)
        self.settle()

    def open_model(self) -> Locator:
        """Open the panel behind the sidebar's line of the model, and return it."""
        opened = self.page.locator(".st-key-model")
        self.settle()
        if not opened.is_visible():
            with self.one_run():
                self.page.locator(".st-key-model-line button >> visible=true").click()
        expect(opened).to_be_visible()
        return opened

    def close_model(self) -> None:
        """It lies over the page."""
        self.settle()
        if self.page.locator(".st-key-model").is_visible():
            with self.one_run():
                self.page.locator(".st-key-model-line button >> visible=true").click()
        expect(self.page.locator(".st-key-model")).not_to_be_visible()
        self.page.mouse.move(2, 2)  # away from the line, whose hint lies over the page

    def unfold(self, box: Locator) -> None:
        """Open a selectbox wherever it stands: it closes when the page is scrolled, so that comes first."""
        box.scroll_into_view_if_needed()
        self.page.evaluate("() => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 50)))")
        box.click()

    def settle(self, seconds: float = 90) -> None:
        """Wait until the script has run and nothing is loading."""
        self.page.wait_for_selector(f'{STATE}[data-test-script-state="notRunning"]', timeout=seconds * 1000)
        self.page.wait_for_function(
            "() => !document.querySelector('[data-testid=\"stSkeleton\"]')", timeout=seconds * 1000
        )


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One profile for all tests, so that the app's own scripts are loaded and compiled once."""
    context = browser.new_context(viewport=SIZE, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def tab(context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """A page of 1440 x 900, of somebody new; at the end nothing foreign was fetched and no script ran.

    All tests have the same page: a new one would compile the app's scripts again.
    """
    context.clear_cookies()
    context.set_offline(False)  # a test before may have gone offline
    page = context.pages[0] if context.pages else context.new_page()
    page.set_viewport_size(SIZE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    tab = Tab(page)
    listeners: dict[Any, Callable[[Any], None]] = {
        "request": lambda request: _note(tab, request.url),
        "response": lambda response: _taken(tab, response),
        "dialog": lambda dialog: _refuse(tab, dialog),
        "pageerror": lambda error: tab.errors.append(str(error)),
        "websocket": lambda opened: opened.on("framereceived", lambda frame: _count(tab, frame)),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    page.set_default_timeout(90_000)
    failed_before = request.session.testsfailed
    yield tab
    if request.session.testsfailed > failed_before:
        pictures = ROOT / "test-results"
        pictures.mkdir(exist_ok=True)
        name = "".join(char if char.isalnum() else "-" for char in request.node.name)[:80]
        page.screenshot(path=pictures / f"{name}.png", full_page=True)
        print(f"The page when the test failed:\n{page.inner_text('body')[:3000]}")
    with suppress(PlaywrightError):  # some pages have no storage
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto("about:blank")
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    failed = request.session.testsfailed > failed_before
    for opened in context.pages[0 if failed else 1 :]:
        opened.close()
    assert tab.foreign == []
    assert tab.dialogs == []


def _taken(tab: Tab, response: Response) -> None:
    """Count a file that was uploaded."""
    tab.uploads += "upload_file" in response.url and response.request.method == "PUT" and response.ok


def _refuse(tab: Tab, dialog: Dialog) -> None:
    tab.dialogs.append(dialog.message)
    dialog.dismiss()


def _count(tab: Tab, frame: str | bytes) -> None:
    """Count the run whose end a message of the server tells."""
    if isinstance(frame, bytes):
        message = ForwardMsg.FromString(frame)
        tab.runs += message.WhichOneof("type") == "script_finished" and message.script_finished in ENDED


def _note(tab: Tab, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
        tab.foreign.append(url)
