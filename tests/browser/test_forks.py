"""Change a variant of a stored run in the browser, run on, and see what became of it; also after a kill."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Tab, start_app, stop_app
from tests.browser.test_playground import QUESTION, ask, open_playground
from tests.scripted import Rule, ScriptedServer


def edit_queries(tab: Tab, text: str) -> Page:
    page = tab.page
    page.locator("[class*='st-key-edit-'][class*='-queries'] button").first.click()
    field = page.locator(".st-key-edit-lines textarea")
    expect(field).to_be_visible(timeout=20_000)
    field.fill(text)
    field.press("Tab")
    page.locator(".st-key-run-on button:not([disabled])").click(timeout=20_000)
    expect(page.locator(".st-key-fork")).to_be_visible(timeout=30_000)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=30_000)
    tab.settle()
    return page


def test_edit_a_variant_and_run_on_also_after_a_kill(
    tab: Tab, scripted: ScriptedServer, tmp_path: Path
) -> None:
    environment = {"OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted", "OPENAI_API_KEY": "k"}
    app = start_app(tmp_path, **environment)
    try:
        page = open_playground(tab, app)
        page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=120_000)
        scripted.script(Rule(match="numbered passages", reply="The first answer [1]."))
        ask(tab, QUESTION, "RAG-Fusion")
        expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=30_000)
        tab.settle()
        first = page.url
        os.kill(app.process.pid, signal.SIGKILL)
        app.process.wait(10)
        app = start_app(tmp_path, **environment)
        page.goto(f"{app.url}/?{first.partition('?')[2]}")
        expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=60_000)
        tab.settle()
        scripted.script(Rule(match="numbered passages", reply="Quite another answer [1]."))
        asked = len(scripted.requests)
        page = edit_queries(tab, f"{QUESTION}\na silent film of 1915 <b>bold</b>")
        assert page.url != first
        assert len(scripted.requests) == asked + 1
        answer = page.locator("[class*='st-key-answer-text']")
        expect(answer).to_contain_text("Quite another answer")
        fork = page.locator(".st-key-fork")
        expect(fork).to_contain_text("a silent film of 1915 <b>bold</b>")
        expect(fork).to_contain_text("The first answer")
        fork.get_by_role("link", name="The run before the change").click()
        # While the page changes over, both answers may be on it for a moment.
        expect(answer.filter(has_text="The first answer")).to_have_count(1)
        expect(answer.filter(has_text="Quite another answer")).to_have_count(0)
    finally:
        stop_app(app)
