"""Change a variant of a stored run in the browser, run on, and see what became of it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.browser.test_playground import QUESTION, ask, open_playground
from tests.scripted import Rule, ScriptedServer


def test_a_variant_is_edited_and_the_run_goes_on(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    page = open_playground(tab, scripted_app)
    scripted.script(Rule(skill="answer", reply="The first answer [1]."))
    ask(tab, QUESTION, "RAG-Fusion")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    tab.settle()
    with tab.one_run():
        page.locator(".st-key-diagram [data-node=queries]").first.click()
    edit = page.locator("[class*='st-key-edit-'][class*='-queries'] button").first
    expect(edit).to_be_visible()
    tab.settle()  # else the page may still move under the click
    first, asked = page.url, len(scripted.requests)
    scripted.script(Rule(skill="answer", reply="Quite another answer [1]."))
    edit.click()
    field = page.locator(".st-key-edit-lines textarea")
    field.fill(f"{QUESTION}\na silent film of 1915 <b>bold</b>")
    field.press("Tab")
    page.locator(".st-key-run-on button:not([disabled])").click()
    fork, answer = page.locator(".st-key-fork"), page.locator("[class*='st-key-answer-text']")
    expect(fork).to_contain_text("a silent film of 1915 <b>bold</b>")
    expect(fork).to_contain_text("The first answer")
    expect(answer).to_contain_text("Quite another answer")
    tab.settle()
    assert page.url != first
    assert len(scripted.requests) == asked + 1
    fork.get_by_role("link", name="The run before the change").click()
    # While the page changes over, both answers may be on it for a moment.
    expect(answer.filter(has_text="The first answer")).to_have_count(1)
    expect(answer.filter(has_text="Quite another answer")).to_have_count(0)
