"""A recording from one machine to another: kept with an endpoint, taken home, and played where there is none."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.browser.test_playground import ask, open_playground
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who founded the Pellamar Ferry Company?"
ANSWER = "Ilse Marrack founded it by what they say"
STRATEGIES = ("Plain retrieval", "RAG-Fusion")


def answered(tab: Tab, strategy: str) -> str:
    """The answer of a run that has ended; the page may still show another strategy's run before it."""
    expect(tab.page.locator("p", has_text=re.compile(f"^{strategy} · "))).to_be_visible(timeout=180_000)
    expect(tab.page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=180_000)
    tab.settle()
    return tab.page.locator("[class*='st-key-answer-text']").inner_text()


def ask_all(tab: Tab) -> list[str]:
    found = []
    for strategy in STRATEGIES:
        ask(tab, QUESTION, strategy)
        found.append(answered(tab, strategy))
    return found


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
    recorded = ask_all(tab)
    assert all(ANSWER in answer for answer in recorded), recorded
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
    page.get_by_text("Bring in a recording from a file").click()
    tab.put(".st-key-import-recording-file input[type=file]", tmp_path / "lesson.jsonl")
    page.locator(".st-key-import-recording-button button").click()
    expect(page.get_by_role("heading", name="What is recorded")).to_be_visible()
    page.get_by_role("button", name="Play it now").click()
    # It leads there; a click before that has the page drawn anew that is being left.
    page.locator(".st-key-question textarea").wait_for()
    expect(tab.open_model()).to_contain_text("Recorded from scripted")
    tab.close_model()
    assert ask_all(tab) == recorded
    assert len(scripted.requests) == asked
