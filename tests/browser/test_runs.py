"""Runs in a real browser: a replay at its own speed, and hostile runs in every drawing."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from core.trace.gold import Gold
from tests import examples
from tests.browser.conftest import App, Tab
from tests.browser.storing import store_comparison, store_run
from tests.hostile import EVIL, every_artefact


def test_a_replay_plays_to_its_end_the_page_follows_and_keys_step_it_unless_a_field_has_the_focus(
    tab: Tab, scripted_app: App
) -> None:
    page = tab.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = f"{scripted_app.url}/runs?run={store_run(scripted_app, examples.rag_fusion())}"
    page.goto(link)
    replay = page.locator(".st-key-replay")
    scene = replay.get_by_text(re.compile("^Scene \\d"))
    expect(scene).to_contain_text("Scene 5 of 5")
    tab.settle()
    replay.get_by_role("radio", name="Quick").click()
    tab.settle()
    replay.get_by_role("button", name=re.compile("Scene 4:")).click()
    expect(scene).to_contain_text("Scene 4 of 5")
    # What is new is in sight, though it is far down the page; and so are the controls.
    expect(page.locator("[class*='st-key-card-fusion-']")).to_be_in_viewport()
    expect(replay.get_by_text("wins: it is near the top")).to_be_in_viewport()
    tab.settle()
    page.locator(".st-key-replay-play button").first.click()
    expect(scene).to_contain_text("Scene 5 of 5", timeout=30_000)
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("Larry Cohen")
    expect(page.locator(".st-key-replay-play", has_text="Play").first).to_be_visible()
    expect(page.locator("[class*='st-key-answer-text']")).to_be_in_viewport()
    assert page.locator("[data-testid='stException']").count() == 0
    tab.settle()

    replay.get_by_role("button", name=re.compile("Scene 1:")).click()
    expect(scene).to_contain_text("Scene 1 of 5")
    for key, shown in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2)):
        tab.settle()
        page.keyboard.press(key)
        expect(scene).to_contain_text(f"Scene {shown} of 5")
    tab.settle()
    replay.get_by_role("radio", name="Slow").click()
    tab.settle()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    expect(page.locator(".st-key-replay-play", has_text="Pause").first).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator(".st-key-replay-play", has_text="Play").first).to_be_visible()
    tab.settle()
    before = scene.inner_text()
    page.locator(".st-key-run-more button").first.click()
    field = page.get_by_role("textbox").last
    field.focus()
    for key in ("ArrowLeft", "Space", "ArrowRight"):
        field.press(key)
    field.blur()
    tab.settle()
    assert scene.inner_text() == before

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
    for section in ("Passages", "Rank flow", "Answers", "Timelines", "Embedding map", "Whole runs"):
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
