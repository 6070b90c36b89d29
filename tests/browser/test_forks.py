"""An artefact of a stored run is changed in a dialog, the run goes on, and one sees what became of it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from core.trace.events import RunStarted
from tests.bench import leave, open_bench
from tests.browser.conftest import App, Tab
from tests.browser.storing import finished_run
from tests.browser.test_playground import QUESTION
from tests.scripted import Rule, ScriptedServer

TYPED = "another wording of it"


def test_a_variant_is_edited_in_a_dialog_that_outlives_a_redraw_and_the_run_goes_on(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill="answer", reply="The first answer [1]."))
    bench = open_bench(scripted_app.home, scripted)  # there the state is kept that a fork goes on from
    started = finished_run(bench, QUESTION, "rag-fusion")[0]
    leave(bench)
    assert isinstance(started, RunStarted)
    first = f"{scripted_app.url}/?run={started.run}"
    page = tab.page
    page.goto(first)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    tab.settle()
    with tab.one_run():
        page.locator(".st-key-diagram [data-node=queries]").first.click()
    edit = page.locator("[class*='st-key-edit-'][class*='-queries'] button").first
    expect(edit).to_be_visible()

    # By key, as the page may still move: a click is lost if the button is elsewhere when the mouse is let go.
    with tab.one_run():
        edit.press("Enter")
    # A dialog outlives a redraw of the page behind it, with what was typed; and stays closed when it is dismissed.
    field = page.locator(".st-key-edit-lines textarea")
    field.fill(TYPED)
    with tab.one_run():  # while it is under way, Streamlit does not take its key
        field.press("Tab")
    page.locator("[role=dialog]").get_by_text("The run you see is kept").click()
    with tab.one_run():
        page.keyboard.press("r")  # Streamlit's own key for running the page again
    expect(field).to_have_value(TYPED)
    with tab.one_run():
        page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    with tab.one_run():
        page.keyboard.press("r")
    expect(field).to_be_hidden()

    asked = len(scripted.requests)
    scripted.script(Rule(skill="answer", reply="Quite another answer [1]."))
    with tab.one_run():
        edit.press("Enter")
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
