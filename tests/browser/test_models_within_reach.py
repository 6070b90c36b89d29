"""The dialog of models in a real browser: a server and a model file of this machine, chosen and asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from core.models.reach.files import FOLDER
from core.services.chat import shipped_weights
from tests.browser.conftest import App, Tab, start_app, stop_app
from tests.browser.test_playground import ask, open_playground
from tests.gguf_files import write_gguf
from tests.homes import Homes
from tests.scripted import ScriptedServer

NAME = "tiny-instruct.gguf"


@pytest.fixture
def ollama() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    server.listed = {"nomic-embed-text": "library", "qwen3:4b": "library"}
    yield server
    server.close()


@pytest.fixture
def app(homes: Homes, ollama: ScriptedServer) -> Iterator[App]:
    home = homes.demo()
    write_gguf(home / FOLDER / "vectors.gguf", "bert")
    (home / FOLDER / NAME).symlink_to(shipped_weights())
    app = start_app(home, LOCAL_MODEL_PORTS=str(ollama.port))
    yield app
    stop_app(app)


def row(tab: Tab, text: str) -> Locator:
    """A model in the dialog, which is opened."""
    tab.settle()
    if not tab.page.get_by_role("dialog", name="Use another model").is_visible():
        tab.open_model().locator(".st-key-another-model button").click()
    return tab.page.locator("[class*='st-key-row-']", has_text=text)


def use(tab: Tab, text: str) -> None:
    row(tab, text).get_by_role("button", name="Use", exact=True).click()
    expect(tab.page.get_by_role("dialog", name="Use another model")).not_to_be_visible()


def test_what_is_within_reach_is_listed_chosen_and_asked(tab: Tab, app: App, ollama: ScriptedServer) -> None:
    page = open_playground(tab, app)
    expect(row(tab, "vectors.gguf")).to_contain_text("is an embedding model")
    expect(row(tab, "vectors.gguf").get_by_role("button")).to_have_count(0)
    expect(row(tab, "Ollama")).to_contain_text("2 models")
    assert ollama.requests == []
    use(tab, "Ollama")
    expect(tab.open_model()).to_contain_text("Ollama on this machine")
    tab.close_model()
    ask(tab, "Why?", "Closed book")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    assert {one["body"]["model"] for one in ollama.requests} == {"qwen3:4b"}
    use(tab, NAME)
    expect(tab.open_model()).to_contain_text("Run by llama.cpp on this machine")
    tab.close_model()
    asked = len(ollama.requests)
    ask(tab, "What is the capital of France?", "Closed book")
    expect(page.locator(".st-key-run")).to_contain_text(NAME)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    assert len(ollama.requests) == asked
