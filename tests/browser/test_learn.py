"""A lesson as a student goes through it: predict, reveal, run the worked example."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.scripted import Rule, ScriptedServer

INDEXING = 240_000
"""Milliseconds that the demo corpus may take on its first use."""


def test_predict_reveal_run_and_stop(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    page = tab.page
    page.goto(f"{scripted_app.url}/learn?lesson=rag-fusion")
    page.wait_for_selector(".st-key-exercise")
    tab.settle()
    reveal = page.locator(".st-key-reveal button")
    expect(reveal).to_be_disabled()
    page.locator(".st-key-exercise").get_by_text("X: only fourth and third").click()
    expect(reveal).to_be_enabled()
    reveal.click()
    expect(page.locator(".st-key-exercise")).to_contain_text("1/64 + 1/63 = 0.0315")
    expect(page.locator(".st-key-exercise input").first).to_be_disabled()

    run = page.locator(".st-key-run-helps button")
    expect(run).to_be_enabled(timeout=INDEXING)
    run.click()
    expect(page.locator(".st-key-run")).to_contain_text("Done in", timeout=30_000)
    marks = page.locator(".st-key-gold")
    expect(marks).to_contain_text("Plain retrieval")
    expect(marks).not_to_contain_text("…")
    expect(page.locator(".st-key-run-helps button")).to_be_enabled()

    scripted.script(Rule(delay=20))
    page.locator(".st-key-run-fails button").click()
    stop = page.locator(".st-key-stop-example button")
    stop.click()
    expect(page.locator(".st-key-run")).to_contain_text("This run was stopped")
    expect(stop).to_have_count(0)
    assert "lesson=rag-fusion" in page.url

    page.get_by_role("link", name=re.compile("Open this run in the Playground")).click()
    page.wait_for_selector(".st-key-question textarea")
    assert "run=" in page.url
    assert tab.errors == []
