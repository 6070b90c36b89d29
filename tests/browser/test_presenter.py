"""The presenter view: turned by keys and clicks, votes kept by the browser, hostile text shown as text."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import App, Tab
from tests.browser.presenter_page import HOSTILE
from tests.browser.small_pages import small_pages
from tests.examples.parts import QUESTION


@pytest.fixture
def page_app(request: pytest.FixtureRequest) -> App:
    """A page with a presenter view and little else."""
    return small_pages(request)


def opened(tab: Tab, app: App, of: str = "usual") -> Locator:
    tab.page.goto(f"{app.url}/presenter?of={of}")
    tab.settle()
    root = tab.page.locator(".root[data-stage]")
    expect(root).to_have_attribute("data-stage", "0")
    return root


def votes(root: Locator) -> list[str]:
    return root.locator("output.count").all_inner_texts()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_a_class_predicts_and_one_strategy_is_revealed_after_another(tab: Tab, page_app: App) -> None:
    root = opened(tab, page_app)
    expect(root.locator(".place")).to_have_text("1 of 7")
    expect(root.locator(".big")).to_have_text(QUESTION)
    press(tab.page, " ")
    expect(root.get_by_role("heading", name="Which strategy finds the evidence?")).to_be_visible()
    expect(root.locator(".card")).to_have_count(4)
    press(tab.page, "a", "a", "A", "Shift+a", "b", "c", "Shift+d", "e")
    root.locator('.card[data-mark="B"]').get_by_role("button", name="One more vote").click()
    assert votes(root) == ["2 votes", "2 votes", "1 vote", "0 votes"]
    expect(tab.page.get_by_role("dialog")).to_have_count(0)  # C is a shortcut of the page as well
    press(tab.page, " ")  # turns the page, although the button was clicked last
    expect(root).to_have_attribute("data-stage", "2")
    expect(root.locator(".did")).to_have_text("5 queries, fused by reciprocal ranks")
    expect(root.locator("li.gold")).to_have_count(4)
    expect(root.locator("li.gold .star").first).to_have_text("★")
    expect(root.locator("li.gold .marks").first).to_have_text("cited")
    expect(root.locator(".query")).to_have_count(5)
    expect(root.locator(".answer .cite").first).to_have_text("[1]")
    expect(root.locator("p.costs")).to_contain_text("2 calls · 2 rounds · 816 tokens")
    press(tab.page, "PageUp", "a")  # too late
    assert votes(root)[0] == "2 votes"
    expect(root.locator(".hint")).to_contain_text("Voting is closed")
    press(tab.page, "ArrowRight", "PageDown", "PageDown", "PageDown")
    expect(root.locator(".state")).to_have_text("Failed")
    expect(root.locator(".answer")).to_contain_text("The endpoint keeps refusing")
    press(tab.page, "m")
    expect(root.locator(".lost .title")).to_have_count(4)
    root.locator("button.missed").press("Enter")
    expect(root.locator(".lost")).to_have_count(0)
    press(tab.page, "End")
    expect(root.locator(".verdict")).to_contain_text("found 4 of 4 pieces of evidence, Plain retrieval 2")
    expect(root.locator(".verdict")).to_contain_text("3 of 5 votes predicted right.")
    expect(root.locator("tr.best td.votes")).to_have_text(["2✓ right", "1✓ right"])
    expect(root.get_by_role("button", name="Next")).to_be_disabled()
    press(tab.page, "Home")
    expect(root).to_have_attribute("data-stage", "0")
    assert tab.errors == []


def test_votes_outlive_a_reload_until_one_starts_over(tab: Tab, page_app: App) -> None:
    root = opened(tab, page_app)
    press(tab.page, "ArrowRight", "b")
    tab.page.reload()
    tab.settle()
    press(tab.page, "ArrowRight")
    assert votes(root) == ["0 votes", "1 vote", "0 votes", "0 votes"]
    press(tab.page, "End")
    root.get_by_role("button", name="Start over").click()
    root.get_by_role("button", name="Clear 1 vote?").click()
    expect(root).to_have_attribute("data-stage", "0")
    press(tab.page, "ArrowRight", "a")
    assert votes(root) == ["1 vote", "0 votes", "0 votes", "0 votes"]


def test_a_redraw_keeps_the_place_and_keys_meant_for_others_are_left_alone(tab: Tab, page_app: App) -> None:
    root = opened(tab, page_app)
    press(tab.page, "ArrowRight", "b", "ArrowRight")
    tab.page.get_by_text("Under way", exact=True).click()
    expect(root.locator(".state")).to_have_text("Still running")
    expect(root).to_have_attribute("data-stage", "2")
    field = tab.page.get_by_label("Something to write in")
    field.press_sequentially("a b")
    field.press("Home")
    expect(field).to_have_value("a b")
    expect(root).to_have_attribute("data-stage", "2")
    root.locator(".did").click()
    press(tab.page, "End")
    expect(root.locator(".verdict")).to_have_text("Some strategies are still running.")


def test_full_screen_is_entered_and_left_and_type_is_large(tab: Tab, page_app: App) -> None:
    root = opened(tab, page_app)
    full = root.get_by_role("button", name="Full screen")
    for width, height in ((1440, 900), (1366, 768)):
        tab.page.set_viewport_size({"width": width, "height": height})
        expect(root.get_by_role("button", name="Next")).to_be_in_viewport(ratio=1)
    full.click()
    expect(root.get_by_role("button", name="Leave full screen")).to_be_visible()
    for _ in range(7):  # nothing is cut off, and nothing is small
        assert (
            root.locator(".sheet *").evaluate_all(
                "nodes => Math.min(...nodes.map((node) => parseFloat(getComputedStyle(node).fontSize)))"
            )
            >= 24
        )
        assert root.locator(".body").evaluate("body => body.scrollHeight - body.clientHeight") == 0
        press(tab.page, "PageDown")
    root.get_by_role("button", name="Leave full screen").click()
    expect(full).to_be_visible()


def test_a_picture_is_shown_by_key_in_type_that_lets_all_of_it_be_seen(tab: Tab, page_app: App) -> None:
    root = opened(tab, page_app)
    press(tab.page, "ArrowRight", "ArrowRight", "p")
    place = root.locator(".picture")
    chips = place.locator(".fused .chip:visible")
    expect(chips).to_have_count(6)
    expect(root.locator(".query .kind, .searches")).to_have_count(0)
    for width, height in ((1440, 900), (1366, 768)):
        tab.page.set_viewport_size({"width": width, "height": height})
        expect(root.get_by_role("button", name="Next")).to_be_in_viewport(ratio=1)
        whole = "node => node.scrollHeight <= node.clientHeight"
        tab.page.wait_for_function(whole, arg=place.element_handle())
        assert root.locator(".body").evaluate("body => body.scrollHeight - body.clientHeight") == 0
    chips.nth(1).click()
    expect(chips.nth(1)).to_have_attribute("aria-pressed", "true")
    press(tab.page, "ArrowRight")  # the mouse points; keys go on turning the pages
    expect(root).to_have_attribute("data-stage", "3")
    expect(place).to_have_count(0)  # plain retrieval has none
    expect(root.get_by_role("button", name="Searches")).to_have_count(0)
    press(tab.page, "PageDown")
    expect(root.locator(".picture .pool .chip").first).to_be_visible()
    root.locator(".picture .pool .chip").first.focus()
    press(tab.page, "ArrowDown")  # from box to box
    expect(root).to_have_attribute("data-stage", "4")
    root.get_by_role("button", name="Searches").click()
    expect(root.locator(".searches")).to_be_visible()
    press(tab.page, "P")
    expect(root.locator(".picture")).to_be_visible()
    assert tab.errors == []


def test_without_known_evidence_the_class_has_the_last_word(tab: Tab, page_app: App) -> None:
    root = opened(tab, page_app, "unknown")
    press(tab.page, "ArrowRight")
    expect(root.get_by_role("heading", name="Which answer will be best?")).to_be_visible()
    press(tab.page, "a", "End")
    expect(root.locator(".verdict")).to_have_text("Which answer is best? The class decides.")
    expect(root.locator("thead th")).to_have_text(["Strategy", "Answer", "Costs", "Votes"])


def test_hostile_text_stays_text(tab: Tab, page_app: App) -> None:
    root = opened(tab, page_app, "hostile")
    expect(root.locator(".big")).to_have_text(HOSTILE)
    press(tab.page, "ArrowRight")
    expect(root.locator(".card").nth(1)).to_contain_text("<script>alert(2)</script>")
    press(tab.page, "ArrowRight")
    expect(root.locator(".answer .text")).to_have_text(
        "<img src=x onerror=alert(1)><script>alert(2)</script> x b"
    )
    press(tab.page, "End")
    assert root.locator("img, script, a").count() == 0
    assert tab.errors == []
