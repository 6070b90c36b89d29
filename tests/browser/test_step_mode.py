"""A run gone through step by step in a real browser, by keyboard alone once it is asked."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.browser.test_playground import ask, choose_strategy, open_playground, unfold_form
from tests.scripted import ScriptedServer

QUESTION = "When did the harbourmaster resign?"


def test_a_run_is_gone_through_by_keyboard(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    page = open_playground(tab, scripted_app)
    choose_strategy(tab, "Multi-Query")
    with tab.one_run():
        page.locator(".st-key-options summary").first.press("Enter")
    tab.unfold(page.locator(".st-key-stop-before").get_by_role("combobox"))
    with tab.one_run():
        page.get_by_role("option", name="Each step").click()
    page.keyboard.press("Escape")
    ask(tab, QUESTION, "Multi-Query")

    bar, heading = page.locator(".st-key-step-mode"), page.get_by_role("heading")
    expect(heading.filter(has_text="Stopped before “Reword”")).to_be_visible()
    expect(page.locator("g.node.waiting >> visible=true")).to_contain_text("Reword")
    tab.settle()
    bar.locator("input").fill("Three other wordings")
    page.keyboard.press("Enter")
    expect(heading.filter(has_text="Stopped before “Retrieve, per query”")).to_be_visible()
    expect(bar).to_contain_text("Three other wordings")
    tab.settle()
    address = page.url

    # It waits without a process that works on it, whoever opens its address.
    page.goto("about:blank")
    page.goto(address)
    expect(heading.filter(has_text="Stopped before “Retrieve, per query”")).to_be_visible()
    tab.settle()
    bar.locator("input").focus()
    page.keyboard.press("Tab")
    expect(bar.get_by_role("button", name="Next step")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Done in")).to_be_visible()
    expect(bar).to_have_count(0)
    tab.settle()
    unfold_form(tab)
    expect(page.locator(".st-key-form")).to_contain_text("Stops before each step")
