"""Fixtures for tests of the pages."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from core.corpora import corpus_languages
from core.logs import keep_log
from core.models.chat_models import CONFIGURED
from core.runs.workbench import Workbench
from core.ui.shell import session
from tests.app.opening import TakenHome
from tests.app.pages import NOWHERE, workbench
from tests.homes import Homes
from tests.memory import embedded_once
from tests.scripted import ScriptedServer


@pytest.fixture(scope="package", autouse=True)
def packages_are_searched_once() -> Iterator[None]:
    """An AppTest reads what every installed package says of itself in each run, for most of its time; a server once."""
    with pytest.MonkeyPatch.context() as patch:
        once = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(scope="package", autouse=True)
def a_page_is_waited_for_without_looking_again_and_again() -> Iterator[None]:
    """An AppTest looks a thousand times a second whether its page is drawn, and takes the time from the drawing."""

    def wait(runner: LocalScriptRunner, timeout: float) -> None:
        drawing = runner._script_thread
        assert drawing is not None
        drawing.join(timeout)
        if drawing.is_alive():
            look(runner, 0)  # which says so, and ends it

    look = local_script_runner.require_widgets_deltas
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="package", autouse=True)
def messages_have_no_hash() -> Iterator[None]:
    """By it a browser would know again what it was sent before; here there is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script_run_context, "populate_hash_if_needed", lambda message: None)
        yield


@pytest.fixture(scope="package", autouse=True)
def texts_are_embedded_once() -> Iterator[None]:
    with embedded_once():
        yield


@pytest.fixture(scope="package", autouse=True)
def languages_are_told_once() -> Iterator[None]:
    """Of the same documents: each home keeps them, and most tests have a home of their own."""
    told = cache(corpus_languages.languages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_languages, "languages", lambda texts: dict(told(tuple(texts))))
        yield


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    """All AppTests of a process share one session, and with it what is cached."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, homes: Homes) -> Iterator[Workbench]:
    """A workbench with a new home that starts no service but the built-in model, where a test chooses that; the
    endpoints that are set are never reached."""
    homes.join(tmp_path)
    with workbench(monkeypatch, tmp_path, **NOWHERE) as bench:
        yield bench


@pytest.fixture(scope="session")
def demo_home(homes: Homes) -> Path:
    """A home with the demo, used by all tests of pages that ask: they find each other's runs there."""
    return homes.visited()


@pytest.fixture
def ready(demo_home: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer) -> Iterator[Workbench]:
    """A workbench that can be asked: the demo corpus and graphs, and the scripted endpoint."""
    endpoint = {"OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted", "OPENAI_API_KEY": "test-key"}
    with workbench(monkeypatch, demo_home, RETRY_BASE_SECONDS="0.01", **endpoint) as bench:
        session.workbench()  # what a server does for its first visitor
        bench.corpora.demo().result()
        while CONFIGURED.status(bench.backends.models).state == "starting":
            time.sleep(0.01)
        yield bench


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> TakenHome:
    return TakenHome(monkeypatch)


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Take back what the app sets for its process, for the tests after this one."""
    root, pages, uncaught = (
        logging.getLogger(),
        logging.getLogger("streamlit.error_util"),
        threading.excepthook,
    )
    before = list(root.handlers), list(pages.handlers), pages.propagate
    yield
    root.handlers, pages.handlers, pages.propagate = before
    threading.excepthook = uncaught
    keep_log.cache_clear()
