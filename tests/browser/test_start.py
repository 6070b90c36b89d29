"""The first visit in a real browser: the picture plays and is stepped, a strategy is chosen by keys, a card asks; and
the ways back from its run."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.scripted import ScriptedServer


def test_who_is_new_sees_a_run_chooses_by_keys_and_asks_with_one_click(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    page = tab.page
    page.emulate_media(reduced_motion="reduce")
    page.goto(scripted_app.url)
    welcome = page.locator(".st-key-welcome")
    caption = welcome.locator(".caption")
    expect(caption).to_have_text(re.compile(r"^5 of 5\."))  # still, at its end
    welcome.get_by_role("button", name="Step back").press("Enter")
    expect(caption).to_have_text(re.compile(r"^4 of 5\."))
    expect(welcome.locator(".answer")).to_be_hidden()
    welcome.get_by_role("button", name="Step", exact=True).press("Enter")
    expect(welcome.locator(".answer")).to_be_visible()

    picker = page.get_by_role("radiogroup", name="Strategy")
    expect(picker.get_by_role("radio", checked=True)).to_have_count(1)
    picker.get_by_role("radio", name="Multi-Query").click()
    page.keyboard.press("ArrowDown")
    fusion = picker.get_by_role("radio", name="RAG-Fusion")
    expect(fusion).to_be_checked()
    expect(fusion).to_be_focused()
    tab.settle()

    cards = page.locator(".st-key-starter-cards")
    expect(cards.get_by_role("heading")).to_contain_text("RAG-Fusion")
    first = cards.locator(".card").first
    question = first.locator(".question").inner_text()
    first.click()
    expect(page.locator(".st-key-run").get_by_role("heading", name=question)).to_be_visible()
    expect(page.get_by_text(re.compile(r"Done in"))).to_be_visible()
    expect(welcome).to_have_count(0)
    expect(cards).to_have_count(0)

    # From the run the link to its own page and the button lead to the start page, and “Back” leads to the run.
    tab.settle()
    page.get_by_role("link", name="Playground").press("Enter")
    expect(cards.get_by_role("heading")).to_contain_text("RAG-Fusion")
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("")
    page.go_back()
    expect(page.locator(".st-key-run").get_by_role("heading", name=question)).to_be_visible()
    page.get_by_role("button", name="New question").press("Enter")
    expect(cards).to_be_visible()
