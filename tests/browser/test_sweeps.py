"""Sweeps in a real browser: one that is run, one that is recomputed at once, and the ways out of them."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.scripted import Rule, ScriptedServer

QUERIES = Rule(
    match="", reply=json.dumps({"queries": ["director of a film", "nationality", "born in", "1943"]})
)


def section(tab: Tab, name: str) -> None:
    tab.page.locator(".st-key-section button", has_text=name).click()
    tab.settle()


def choose(tab: Tab, key: str, option: str) -> None:
    tab.page.locator(f"[class*='st-key-{key}'] input").first.click()
    tab.page.get_by_role("option", name=option, exact=True).click()
    tab.settle()


def asked(server: ScriptedServer) -> int:
    """Calls but for those that find out whether the endpoint is there."""
    return sum("Say OK." not in json.dumps(one["body"]) for one in server.requests)


def test_run_recompute_look_and_leave(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    scripted.script(QUERIES)
    page = tab.page
    page.goto(f"{scripted_app.url}/evaluate")
    tab.settle(90)
    section(tab, "Sweeps")
    page.locator("[class*='st-key-sweep-count'] input").fill("4")
    page.keyboard.press("Tab")
    tab.settle()

    # What cannot be used is said, and nothing can be started with it.
    values = page.locator("[class*='st-key-sweep-values'] input")
    values.fill("5000")
    values.press("Enter")
    expect(page.get_by_text("Parameter 'rrf_k'")).to_be_visible()
    expect(page.locator(".st-key-sweep-start button")).to_be_disabled()
    values.press("Backspace")
    expect(
        page.get_by_text("7 of 8 values are recomputed from stored runs, with no model call.")
    ).to_be_visible()

    page.locator(".st-key-sweep-start button").click()
    expect(page.locator(".st-key-sweep-chart")).to_be_visible(timeout=120_000)
    tab.settle()
    assert asked(scripted) == 4
    assert re.search("sweep=[0-9a-f]+", page.url)
    expect(page.get_by_text("7 of 8 values recomputed from stored runs, no model call")).to_be_visible()
    sentence = page.locator("h4")
    expect(sentence).to_contain_text("is highest at")
    expect(page.get_by_role("region", name="Every value with its difference")).to_be_visible()
    choose(tab, "sweep-metric", "Recall@10")
    expect(sentence).to_contain_text("Recall")
    page.locator(".st-key-sweep-chart-shows button", has_text="Difference").click()
    expect(page.locator(".ytitle", has_text="Recall@10, difference").first).to_be_visible()
    link = page.url

    # Another parameter, from the same runs and at once.
    page.locator(".st-key-sweep-new button").click()
    expect(page.locator(".st-key-sweeps")).to_be_visible()
    page.locator(".st-key-sweep-way button", has_text="Recompute").click()
    tab.settle()
    choose(tab, "stored-parameter", "Queries")
    expect(page.locator(".xtitle", has_text="Queries").first).to_be_visible()
    expect(page.get_by_text("asked for fewer, a model might write others")).to_be_visible()
    assert asked(scripted) == 4

    # By its link, and from there to the evaluation behind it.
    page.goto(link)
    expect(page.locator(".st-key-sweep-chart")).to_be_visible()
    page.locator(".st-key-sweep-evaluation button").first.click()
    page.wait_for_url(re.compile("evaluation=[0-9a-f]+"))
    expect(page.get_by_text("rrf_k = 60").first).to_be_visible()
    page.goto(f"{scripted_app.url}/evaluate?section=Sweeps&sweep=nothing")
    expect(page.get_by_text("This sweep is not here")).to_be_visible()
    assert page.locator("[data-testid='stException']").count() == 0
