"""Compare in a real browser: three strategies at once, leave, come back, stop one, open by link as somebody else."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import App, Tab
from tests.scripted import Rule, ScriptedServer

LOBSTERS = [
    f"carapace of a lobster {what}" for what in ("measured", "returned", "in millimetres", "with eggs")
]
QUESTION = "Which Warden opened the swing bridge of Port Ansel?"


def open_compare(tab: Tab, app: App) -> Page:
    page = tab.page
    page.goto(f"{app.url}/compare")
    page.locator(".st-key-compare-ask button:not([disabled])").wait_for(timeout=90_000)
    tab.settle()
    return page


def ask(tab: Tab, question: str) -> None:
    field = tab.page.locator(".st-key-question textarea")
    field.fill(question)
    field.press("Tab")
    tab.settle()
    tab.page.locator(".st-key-compare-ask button").click(timeout=90_000)
    tab.page.wait_for_url(re.compile("comparison="))


def test_three_at_once_leave_come_back_stop_one_and_open_by_link(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    # Multi-Query and RAG-Fusion search for lobsters as well: so only their answers are slow.
    lists = Rule(skill="reword search_queries", reply=json.dumps({"queries": LOBSTERS}))
    told = {"context": "carapace"}
    slow = Rule(skill="answer", told=told, reply="It goes on and on. " * 400, pause=0.3)
    scripted.script(lists, slow)
    page = open_compare(tab, scripted_app)
    ask(tab, QUESTION)
    columns = page.locator("article")
    expect(columns).to_have_count(3)
    expect(columns.nth(0)).to_contain_text("Done in")
    expect(columns.nth(1)).to_contain_text("It goes on")
    expect(columns.nth(2)).to_contain_text("It goes on")  # both stream at once
    link = page.url

    page.get_by_role("link", name="Runs").click()
    tab.settle()
    page.get_by_role("link", name="Compare").click()
    expect(columns.nth(1)).to_contain_text("It goes on")
    expect(page).to_have_url(link)  # the address follows what is drawn

    columns.nth(1).get_by_role("button", name="Stop").click()
    expect(columns.nth(1)).to_contain_text("Stopped.")
    expect(columns.nth(2).get_by_role("button", name="Stop")).to_be_visible()
    page.locator(".st-key-stop-all button").click()
    expect(columns.nth(2)).to_contain_text("Stopped.")
    expect(columns.nth(0)).to_contain_text(re.compile(r"\d of 2 pieces of evidence"))
    expect(page.get_by_role("button", name="Export")).to_be_visible()  # drawn as ended
    tab.settle()

    columns.nth(0).get_by_role("button", name="Passage 1", exact=True).first.press("Enter")
    expect(columns.nth(0).locator("details.passage").first).to_have_attribute("open", "")
    grid = page.locator("[class*='st-key-grid-evidence'] table")
    expect(grid.locator("tr.row").first).to_contain_text("3 of 3")
    grid.locator("tr.row button").first.click()
    expect(grid.locator("tr.more").first).to_be_visible()
    page.locator("[class*='st-key-compare-section'] button", has_text="Rank flow").click()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()

    # Somebody else opens it by its link, sees the same, and has none of its runs in a list of their own.
    assert page.locator("[data-testid='stException']").count() == 0
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    page.set_viewport_size({"width": 800, "height": 900})
    page.goto(link)
    expect(columns).to_have_count(3)
    expect(columns.nth(1)).to_contain_text("It goes on")
    page.get_by_role("link", name="Runs").click()
    page.locator(".st-key-runs-text input").fill(QUESTION)
    page.locator(".st-key-runs-text input").press("Enter")
    expect(page.get_by_text(re.compile("No run fits these filters"))).to_be_visible()
    assert page.locator("[data-testid='stException']").count() == 0


def test_a_setting_that_is_changed_just_before_compare_counts(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    page = open_compare(tab, scripted_app)
    with tab.one_run():  # closed, the settings are not drawn
        page.locator("[class*='st-key-compare-column-'][class*='-settings'] button").first.click()
    page.locator("[data-testid='stPopoverBody']").get_by_text("Keyword", exact=True).click()
    # By key: the settings are still open, and may lie over the button.
    page.locator(".st-key-compare-ask button").press("Enter")
    page.wait_for_url(re.compile("comparison="))
    expect(page.locator("article").nth(0)).to_contain_text("keyword")
    expect(page.locator("article").nth(1)).not_to_contain_text("keyword")
