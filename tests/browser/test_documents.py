"""Documents in a real browser: a look before indexing, Stop, search, open at a chunk, cut again, rename, delete."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import App, Tab
from tests.browser.test_playground import upload
from tests.scripted import ScriptedServer

PARAGRAPH = "The ship left the harbour at dawn. Nobody saw it again. "


def choose_files(tab: Tab, app: App, *paths: Path) -> Page:
    page = tab.page
    page.goto(f"{app.url}/documents")
    page.wait_for_selector(".st-key-files input[type=file]", state="attached")
    tab.settle()
    tab.put(".st-key-files input[type=file]", *paths)
    return page


def open_corpus(tab: Tab, app: App, name: str) -> Page:
    """Its page, by way of its address, which the list would lead to."""
    page = tab.page
    page.goto(f"{app.url}/documents")
    page.locator("[data-testid='stDataFrame']").first.wait_for()
    tab.settle()
    cells = page.locator("[data-testid='stDataFrame'] [role=gridcell]")
    expect(cells.filter(has_text=re.compile(rf"^{re.escape(name)}$"))).to_be_attached(timeout=10_000)
    row = next(index for index in range(cells.count()) if (cells.nth(index).text_content() or "") == name)
    canvas = page.locator("[data-testid='stDataFrame'] canvas").first
    height = 36
    canvas.click(position={"x": 60, "y": height * (row // 3 + 1) + height // 2}, force=True)
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible(timeout=20_000)
    tab.settle()
    return page


def test_a_look_before_indexing(tab: Tab, scripted_app: App, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(PARAGRAPH * 60 + "<script>alert(1)</script>", encoding="utf-8")
    page = choose_files(tab, scripted_app, notes)
    page.locator(".st-key-look label").first.click()
    numbers = page.locator("[class*='st-key-chunks-preview'] .number")
    expect(numbers.first).to_be_visible(timeout=30_000)
    expect(page.locator("[class*='st-key-chunks-preview'] .shared").first).to_be_visible()
    before = numbers.count()
    slider = page.locator("[class*='st-key-size-new']").get_by_role("slider")
    slider.focus()
    slider.press("Home")
    expect(page.locator("[class*='st-key-chunks-preview'] .number").nth(before + 5)).to_be_attached(
        timeout=20_000
    )
    expect(page.get_by_text("<script>alert(1)</script>")).to_be_attached()
    expect(page.get_by_text("Tokens, median")).to_be_visible()


def test_an_import_can_be_stopped(tab: Tab, scripted_app: App, tmp_path: Path) -> None:
    paths = []
    for number in range(40):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(f"Document {number}. " + PARAGRAPH * 150, encoding="utf-8")
    page = choose_files(tab, scripted_app, *paths)
    page.locator(".st-key-corpus-name input").fill("Stopped")
    page.locator(".st-key-corpus-name input").press("Tab")
    tab.settle()
    page.locator(".st-key-index button").click()
    expect(page.get_by_text(re.compile(r"Indexing: .* chunks"))).to_be_visible(timeout=60_000)
    page.locator(".st-key-stop-index button").click()
    expect(page.get_by_text(re.compile("Stopped. The documents finished"))).to_be_visible(timeout=10_000)


def test_search_open_cut_again_rename_delete(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    ships = tmp_path / "ships.md"
    ships.write_text(
        "# Ships\n\n" + PARAGRAPH * 40 + "\n\n# Birds\n\n" + "The wren weighs nine grams. " * 30,
        encoding="utf-8",
    )
    upload(tab, scripted_app, ships, "Nature")
    page = open_corpus(tab, scripted_app, "Nature")
    page.locator(".st-key-search-query input").fill("How heavy is a wren?")
    page.locator(".st-key-search-go button").click()
    tab.settle()
    page.locator("[class*='st-key-open-'] button").first.click()
    expect(page.locator(".number.chosen")).to_be_visible(timeout=20_000)
    expect(page.locator(".stretch.chosen").filter(has_text="wren").first).to_be_attached()
    expect(page.get_by_text(re.compile("under “Birds”"))).to_be_visible()
    page.locator(".st-key-back-to-corpus button").click()
    tab.settle()

    page.locator(".st-key-reindex button").first.click()
    page.locator("[class*='st-key-reindex-name-'] input").fill("Nature, finely cut")
    slider = page.locator("[class*='st-key-size-again']").get_by_role("slider")
    slider.focus()
    slider.press("Home")
    tab.settle()
    page.locator(".st-key-reindex-go button").click()
    expect(page.get_by_text(re.compile(r"1 document indexed in \d+ chunks"))).to_be_visible(timeout=60_000)

    page = open_corpus(tab, scripted_app, "Nature, finely cut")
    page.locator(".st-key-corpus-rename button").first.click()
    page.locator("[class*='st-key-corpus-name-'] input").fill("Nature")
    page.locator(".st-key-corpus-rename-save button").click()
    expect(page.get_by_text(re.compile("already a corpus named"))).to_be_visible(timeout=20_000)
    page.locator("[class*='st-key-corpus-name-'] input").fill("Fine <b>nature</b>")
    page.locator(".st-key-corpus-rename-save button").click()
    expect(page.get_by_role("heading", name="Fine <b>nature</b>")).to_be_visible(timeout=20_000)
    tab.settle()
    page.locator(".st-key-corpus-delete button").first.click()
    page.locator(".st-key-corpus-delete-sure button").click()
    expect(page.get_by_role("heading", name="Documents", exact=True)).to_be_visible(timeout=20_000)
