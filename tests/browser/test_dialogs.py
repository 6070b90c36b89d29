"""An open dialog outlives a redraw of the page behind it, with what was typed; and closes when it is dismissed."""

from __future__ import annotations

from playwright.sync_api import expect

from tests import examples
from tests.browser.conftest import App, Tab
from tests.browser.storing import store_run
from tests.browser.test_playground import open_all_steps

TYPED = "another wording of it"


def test_a_dialog_outlives_a_redraw(tab: Tab, scripted_app: App) -> None:
    page = tab.page
    page.goto(f"{scripted_app.url}/?run={store_run(scripted_app, examples.rag_fusion())}")
    expect(page.get_by_text("Done in")).to_be_visible()
    tab.settle()
    open_all_steps(tab)
    page.locator("[class*='st-key-edit-'][class*='-queries'] button").first.click()
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
