"""Documents in a real browser: a look before indexing, a click in the list, a document opened at a chunk."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab

PARAGRAPH = "The ship left the harbour at dawn. Nobody saw it again. "


def click_in_list(tab: Tab, row: int) -> None:
    """A row of the list of corpora, which is drawn on a canvas."""
    canvas = tab.page.locator("[data-testid='stDataFrame'] canvas").first
    height = 36
    canvas.click(position={"x": 60, "y": height * (row + 1) + height // 2}, force=True)


def test_documents_are_looked_at_indexed_found_in_the_list_and_opened_at_a_chunk(
    tab: Tab, scripted_app: App, tmp_path: Path
) -> None:
    ships = tmp_path / "ships.md"
    ships.write_text(
        "# Ships\n\n"
        + PARAGRAPH * 40
        + "<script>alert(1)</script>\n\n# Birds\n\n"
        + "The wren weighs nine grams. " * 30,
        encoding="utf-8",
    )
    page = tab.page
    page.goto(f"{scripted_app.url}/documents")
    page.wait_for_selector(".st-key-files input[type=file]", state="attached")
    tab.settle()
    tab.put(".st-key-files input[type=file]", ships)
    page.locator(".st-key-look label").first.click()
    preview = page.locator("[class*='st-key-chunks-preview']")
    expect(preview.locator(".number").first).to_be_visible()
    expect(preview.locator(".shared").first).to_be_visible()
    expect(preview.get_by_text("<script>alert(1)</script>").first).to_be_attached()

    page.locator(".st-key-corpus-name input").fill("Nature")
    page.locator(".st-key-corpus-name input").press("Tab")
    tab.settle()
    page.locator(".st-key-index button").click()
    indexed = page.locator(".st-key-upload [data-testid=stAlert]").filter(has_text="indexed")
    expect(indexed).to_be_visible(timeout=60_000)
    page.goto(f"{scripted_app.url}/documents")
    cells = page.locator("[data-testid='stDataFrame'] [role=gridcell]")
    expect(cells.filter(has_text=re.compile("^Nature$"))).to_be_attached()
    tab.settle()
    names = [cells.nth(place).text_content() for place in range(0, cells.count(), 3)]
    click_in_list(tab, names.index("Nature"))
    expect(page.get_by_role("heading", name="Nature", exact=True)).to_be_visible()

    tab.settle()
    page.locator(".st-key-search-query input").fill("How heavy is a wren?")
    page.locator(".st-key-search-go button").click()
    page.locator("[class*='st-key-open-'] button").first.click()
    expect(page.locator(".number.chosen")).to_be_visible()
    expect(page.locator(".stretch.chosen").filter(has_text="wren").first).to_be_attached()
    assert page.locator("[data-testid='stException']").count() == 0
