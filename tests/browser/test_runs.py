"""Runs in a real browser: a replay at its own speed, and hostile runs in every drawing."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from core.runs.gold import Gold
from tests import examples
from tests.browser.conftest import App, Tab
from tests.browser.storing import store_comparison, store_run
from tests.hostile import EVIL, every_artefact


def test_a_replay_plays_to_its_end(tab: Tab, scripted_app: App) -> None:
    page = tab.page
    page.goto(f"{scripted_app.url}/runs?run={store_run(scripted_app, examples.rag_fusion())}")
    replay = page.locator(".st-key-replay")
    moment = replay.get_by_text(re.compile("Moment \\d"))
    expect(moment).to_contain_text("Done")
    tab.settle()
    slider = replay.get_by_role("slider")
    slider.focus()
    slider.press("Home")
    expect(moment).to_contain_text("The question")
    expect(page.get_by_text("The answer will appear here.")).to_be_visible()
    tab.settle()
    page.locator(".st-key-replay-play button").first.click()
    # As long as the run took, which on a busy machine is longer.
    expect(moment).to_contain_text("Done", timeout=60_000)
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("Larry Cohen")
    expect(page.locator(".st-key-replay-play", has_text="Play").first).to_be_visible()
    assert page.locator("[data-testid='stException']").count() == 0


def test_the_link_of_a_run_is_copied(tab: Tab, scripted_app: App) -> None:
    page = tab.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = f"{scripted_app.url}/runs?run={store_run(scripted_app, examples.plain())}"
    page.goto(link)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied", exact=True)).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link


def harmless(page: Page) -> bool:
    """Nothing of a hostile file became an element of the page, and nothing broke."""
    harm = "img[src*='evil'], img[onerror], a[href^='javascript'], a[href*='//evil'], iframe[src*='//evil']"
    assert [found.evaluate("element => element.outerHTML") for found in page.locator(harm).all()] == []
    return page.locator("[data-testid='stException']").count() == 0


def test_a_hostile_run_and_comparison_are_drawn_harmless(tab: Tab, scripted_app: App) -> None:
    page = tab.page
    runs = [every_artefact("plain"), every_artefact("hyde", keep=frozenset({"strategy"}))]
    gold = (Gold(document=EVIL, title=EVIL, quote=EVIL),)
    compared = store_comparison(scripted_app, EVIL, runs, gold, EVIL[:150])
    page.goto(f"{scripted_app.url}/compare?comparison={compared.id}")
    expect(page.locator("article")).to_have_count(2)
    for section in ("Evidence", "Rank flow", "Answers", "Timelines", "Embedding map", "Whole runs"):
        page.get_by_role("radio", name=section).click()
        tab.settle()
        assert harmless(page)
    page.locator("[class*='st-key-whole-'] button").nth(
        1
    ).click()  # of the other column, whose strategy is known
    tab.settle()
    expect(page.get_by_text(re.compile("Done in")).last).to_be_visible()
    expect(page.get_by_text("alert(1)").first).to_be_visible()
    for element in page.get_by_text("Under the hood").all():
        element.click()
    tab.settle()
    assert harmless(page)
    page.get_by_role("radio", name="Presenter").click()
    tab.settle()
    for _ in range(5):
        page.keyboard.press("PageDown")
        assert harmless(page)
