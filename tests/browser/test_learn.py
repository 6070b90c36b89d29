"""A lesson in the app: its explorable answers in the browser, and keeps its state in the address."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab


def test_an_explorable_asks_the_server_nothing_and_a_link_leads_to_its_state(
    tab: Tab, scripted_app: App
) -> None:
    page = tab.page
    page.goto(f"{scripted_app.url}/learn?lesson=rag-fusion#explore=rag-fusion&k=20")
    place = page.locator(".st-key-explorable-rag-fusion")
    slider = place.get_by_role("slider", name="k")
    expect(slider).to_have_value("20")
    tab.settle()
    runs, answer = tab.runs, place.locator("p.answer").inner_text()
    slider.fill("1")
    expect(page).to_have_url(re.compile("lesson=rag-fusion#explore=rag-fusion&k=1$"))
    expect(place.locator("p.answer")).not_to_have_text(answer)
    assert tab.runs == runs

    with tab.one_run():  # what else happens on the page leaves it as it is
        page.locator("[class*='st-key-predict'] [role=radiogroup] label").nth(1).click()
    expect(slider).to_have_value("1")
    place.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile("lesson=rag-fusion$"))
    expect(slider).to_have_value("60")
