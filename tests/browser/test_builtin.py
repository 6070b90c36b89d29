"""The app as it is without any setting: its own model on the page, another one set in the browser, or a recording from
another machine, kept with an endpoint, taken home, and played where there is none."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from core.models.chat_models import BUILTIN
from core.runs.workbench import Workbench
from tests.browser.conftest import App, Tab
from tests.browser.storing import finished_run, store_run
from tests.browser.test_network import FIND
from tests.browser.test_playground import ask, open_playground
from tests.homes import READY
from tests.scripted import Rule, ScriptedServer

HYPERNODES = READY[-1]
QUESTION = "Who founded the Pellamar Ferry Company?"
ANSWER = "Ilse Marrack founded it by what they say"


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
    page.get_by_role("button", name="Let the built-in model answer").click()


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
    read = set()
    for path in files:
        # The services are shared with other tests: a journal of Chroma may be gone again by now.
        with contextlib.suppress(FileNotFoundError):
            content = path.read_bytes()
            read.add(path)
            assert b"browser-key" not in content, path
            assert b"wrong-key" not in content, path
    assert builtin_app.log in read


def test_a_run_through_a_graph_plays_back(tab: Tab, builtin_app: App, demo_bench: Workbench) -> None:
    asked = "Which former husband of Elizabeth Taylor died in Chichester?"
    events = finished_run(demo_bench, asked, "kg-rag", HYPERNODES, BUILTIN)
    page = tab.page
    page.goto(f"{builtin_app.url}/?run={store_run(builtin_app, events)}")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    tab.settle()
    page.locator("[class*='st-key-step-'] summary", has_text="Replay the walk").click()
    tab.settle()
    played = page.locator("[class*='st-key-playback-'] .root[data-state]")
    expect(played.locator(".told .badge")).to_have_text("Enough found: answer")
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
    press(page, "Next ▶")
    expect(played.locator(".told .badge")).to_have_text("Goes on")
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


def answered(tab: Tab) -> str:
    """The answer of a run through several calls."""
    ask(tab, QUESTION, "RAG-Fusion")
    expect(tab.page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=180_000)
    tab.settle()
    return tab.page.locator("[class*='st-key-answer-text']").inner_text()


def test_a_lesson_is_recorded_handed_on_and_played_without_an_endpoint(
    tab: Tab, scripted_app: App, builtin_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    scripted.script(Rule(skill="answer", reply=f"{ANSWER} [1]."))
    page = open_playground(tab, scripted_app)
    opened = tab.open_model()
    with tab.one_run():
        opened.locator(".st-key-keep-replies label").first.click()
    page.locator(".st-key-keep-name input").fill("Lesson one")
    page.locator(".st-key-keep-begin button").click()
    expect(tab.open_model()).to_contain_text("Kept in “Lesson one”: 0 replies")
    tab.close_model()
    recorded = answered(tab)
    assert ANSWER in recorded
    page.get_by_role("link", name="Runs", exact=True).click()
    page.locator(".st-key-runs-shown").get_by_role("radio", name="Recordings").click()
    cell = page.locator(".st-key-recordings [role=gridcell]", has_text="Lesson one")
    cell.wait_for(state="attached")
    tab.settle()
    row = int(cell.evaluate("one => one.closest('[role=row]').getAttribute('aria-rowindex')"))
    table = page.locator(".st-key-recordings canvas").first
    table.click(
        position={"x": 200, "y": 18 + 37 * (row - 1)}, force=True
    )  # below the heading, as high as the rows
    page.locator(".st-key-recording-export-what button").first.click()
    expect(page.get_by_text("replies that quote passages")).to_be_visible()
    with page.expect_download() as file:
        page.locator(".st-key-recording-export button").first.click()
    file.value.save_as(tmp_path / "lesson.jsonl")
    asked = len(scripted.requests)

    page.goto(f"{builtin_app.url}/runs")
    page.locator(".st-key-runs-shown").get_by_role("radio", name="Recordings").click()
    page.get_by_text("Import a recording from a file").click()
    tab.put(".st-key-import-recording-file input[type=file]", tmp_path / "lesson.jsonl")
    page.locator(".st-key-import-recording-button button").click()
    expect(page.get_by_role("heading", name="What is recorded").first).to_be_visible()
    page.get_by_role("button", name="Play it now").click()
    # It leads there; a click before that has the page drawn anew that is being left.
    page.locator(".st-key-question textarea").wait_for()
    expect(tab.open_model()).to_contain_text("Recorded from scripted")
    tab.close_model()
    assert answered(tab) == recorded
    assert len(scripted.requests) == asked
