"""The app as it is without any setting: its own model on the page, and another one set in the browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App, Tab
from tests.browser.test_network import FIND
from tests.browser.test_playground import ask, choose_graph, open_playground
from tests.homes import READY
from tests.scripted import ScriptedServer

HYPERNODES = READY[-1]


def test_the_built_in_model_on_the_demo_corpus(tab: Tab, builtin_app: App) -> None:
    page = open_playground(tab, builtin_app)
    ask(tab, "How high is Mount Corrow?", "RAG-Fusion")
    let_the_tiny_model_do_it(page)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=180_000)
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("642 metres")
    expect(page.get_by_text(re.compile("Copied, not written"))).to_be_visible()


def let_the_tiny_model_do_it(page: Page) -> None:
    """The run waits, since the recording of a capable model does not cover it: nobody falls to the tiny one unasked."""
    expect(page.get_by_text(re.compile("The run waits at"))).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Let the tiny model do the rest").click()


def test_an_endpoint_set_in_the_browser_leaves_no_key_behind(
    tab: Tab, builtin_app: App, scripted: ScriptedServer
) -> None:
    page = open_playground(tab, builtin_app)
    expect(tab.open_model()).to_contain_text("Recorded from Claude")
    scripted.key = "browser-key"

    def use(key: str) -> None:
        tab.settle()
        if not page.locator(".st-key-endpoint-url input").is_visible():
            tab.open_model().locator(".st-key-another-model button").click()
        page.locator(".st-key-endpoint-url input").fill(scripted.base_url)
        page.locator(".st-key-endpoint-model input").fill("scripted")
        page.locator(".st-key-endpoint-key input").fill(key)
        page.locator(".st-key-endpoint-key input").blur()
        tab.settle()  # else the page may draw the button anew under the click
        page.locator(".st-key-endpoint-use button").click()

    use("wrong-key")
    expect(page.get_by_text(re.compile("refused the key"))).to_be_visible()
    tab.settle()
    use("browser-key")
    expect(page.locator(".st-key-model-line button >> visible=true")).to_contain_text("scripted")
    tab.close_model()
    ask(tab, "Why?", "Closed book")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    home = builtin_app.home
    folders = [home, *(link.resolve() for link in home.iterdir() if link.is_symlink())]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert builtin_app.log in files
    for path in files:
        content = path.read_bytes()
        assert b"browser-key" not in content, path
        assert b"wrong-key" not in content, path


def test_a_run_through_a_graph_plays_back(tab: Tab, builtin_app: App) -> None:
    page = open_playground(tab, builtin_app)
    choose_graph(tab, "KG-RAG", HYPERNODES)
    ask(tab, "Which former husband of Elizabeth Taylor died in Chichester?", "KG-RAG")
    let_the_tiny_model_do_it(page)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=60_000)
    tab.settle()
    page.locator("[class*='st-key-step-'] summary", has_text="played").click()
    tab.settle()
    played = page.locator("[class*='st-key-playback-'] .root[data-state]")
    expect(played.locator(".told .badge")).to_have_text("respond: answer")
    expect(played.locator(".count")).to_have_text("13 of 13")
    press(page, "First")
    expect(played.locator(".told b")).to_have_text("The plan")
    expect(played.locator(".plan li")).to_have_count(4)
    expect(played.locator(".canvas")).to_have_attribute("data-empty", "Nothing is explored yet.")
    press(page, "Next ▶")
    expect(played.locator(".told b")).to_have_text("Step 1: nodes")
    expect(played.locator(".plan li.now")).to_have_count(1)
    purple = [122, 81, 149]
    canvas = played.locator(".plane canvas")
    assert canvas.evaluate(FIND, purple)[0] == 0  # nothing is chosen yet
    press(page, "Next ▶")
    expect(played.locator(".told p").first).to_contain_text("1 of 12 is chosen")
    page.wait_for_function(
        f"([canvas, purple]) => ({FIND})(canvas, purple)[0] > 30", arg=[canvas.element_handle(), purple]
    )
    _, x, y = canvas.evaluate(FIND, purple)
    press(page, "Next ▶")
    expect(played.locator(".told .badge")).to_have_text("continue: goes on")
    assert canvas.evaluate(FIND, purple)[1:] == pytest.approx([x, y], abs=2)  # it stays where it was
    press(page, "Last")
    press(page, "Play")
    expect(played.locator(".count")).to_have_text("1 of 13")
    press(page, "Pause")
    scrubber = played.locator(".scrubber")
    scrubber.fill("9")
    expect(played.locator(".count")).to_have_text("10 of 13")
    assert tab.errors == []


def press(page: Page, name: str) -> None:
    page.locator("[class*='st-key-playback-']").get_by_role("button", name=name).click()
