"""The Playground as a user goes through it, in a real browser, with the scripted endpoint behind it."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import App, Tab
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"
BROKEN_OFF = """line => Array.from({ length: 300 }, (_, at) => 60 + at).filter((width) => {
  line.style.width = `${width}px`
  const stop = document.createRange()
  stop.selectNodeContents(line.lastChild)
  const alone = stop.getBoundingClientRect().left < line.getBoundingClientRect().left + 2
  line.style.width = ""
  return alone
})"""
"""Widths of a line at which what follows its last mark stands alone."""


def open_playground(tab: Tab, app: App) -> Page:
    tab.page.goto(app.url)
    tab.page.wait_for_selector(".st-key-question textarea")
    tab.settle()
    return tab.page


def upload(tab: Tab, app: App, path: Path, corpus: str) -> None:
    """Index a file into a corpus of its own by way of the page."""
    page = tab.page
    page.goto(f"{app.url}/documents")
    page.wait_for_selector(".st-key-files input[type=file]", state="attached")
    tab.settle()
    tab.put(".st-key-files input[type=file]", path)
    field = page.locator(".st-key-corpus-name input")
    if not field.count():  # a first corpus of one's own is already there
        page.locator(".st-key-into div[data-baseweb=select]").click()
        page.get_by_role("option").first.click()
    field.fill(corpus)
    field.press("Tab")
    tab.settle()
    page.locator(".st-key-index button").click()
    expect(page.locator(".st-key-upload [data-testid=stAlert]").filter(has_text="indexed")).to_be_visible(
        timeout=60_000
    )


def choose_corpus(tab: Tab, corpus: str) -> None:
    page = tab.page
    tab.unfold(page.locator(".st-key-corpus").get_by_role("combobox"))
    page.get_by_role("option", name=corpus).click()
    tab.settle()


def choose_strategy(tab: Tab, strategy: str) -> None:
    """Choose a strategy, and wait until the page is drawn with it."""
    choice = tab.page.locator(".st-key-strategy").get_by_role("radio", name=strategy)
    if not choice.is_checked():
        with tab.one_run():
            choice.click()


def choose_graph(tab: Tab, strategy: str, graph: str) -> None:
    """Choose a strategy that explores, and what."""
    page = tab.page
    choose_strategy(tab, strategy)
    box = page.locator(".st-key-graph").get_by_role("combobox")
    if box.input_value() != graph:
        tab.unfold(box)
        with tab.one_run():
            page.get_by_role("option", name=graph).click()


def unfold_form(tab: Tab) -> None:
    """Where a run is on the page, its form is a line."""
    line = tab.page.locator("[class*='st-key-form-of-'] summary").first
    if line.is_visible() and not tab.page.locator(".st-key-question textarea").is_visible():
        with tab.one_run():  # folded, it is not drawn
            line.click()
        expect(tab.page.locator(".st-key-question textarea")).to_be_visible()
        # Where it is still opening, a click lands beside what it was meant for.
        form = tab.page.locator("[class*='st-key-form-of-'] details").first
        form.evaluate(
            "all => Promise.allSettled(all.getAnimations({ subtree: true }).map(one => one.finished)).then(() => null)"
        )
        tab.settle()


def open_all_steps(tab: Tab) -> None:
    """Every step of the run at once, in place of one on its stage."""
    tab.page.locator(".st-key-all-steps label").first.click()
    tab.settle()


def ask(tab: Tab, question: str, strategy: str) -> None:
    page = tab.page
    unfold_form(tab)
    choose_strategy(tab, strategy)
    field = page.locator(".st-key-question textarea")
    field.fill(question)
    field.press("Tab")
    tab.settle()
    page.locator(".st-key-ask button").click(timeout=90_000)  # waits for the model and the corpus to be ready


def test_ask_slide_and_cite(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    page = open_playground(tab, scripted_app)
    scripted.script(Rule(skill="answer", reply="Ilse Marrack founded it [1].", pause=0.05))
    ask(tab, "Who founded the Pellamar Ferry Company?", "RAG-Fusion")

    answer = page.locator("[class*='st-key-answer-text']")
    expect(answer).to_contain_text("Ilse Marrack founded it")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    tab.settle()
    assert answer.locator("p:has(a)").evaluate(BROKEN_OFF) == []
    asked = len(scripted.requests)

    # The k slider recomputes at once, without a model call, and says how the run fused.
    slider = page.locator("[class*='st-key-rrf-k']").get_by_role("slider")
    slider.focus()
    for _ in range(10):
        slider.press("ArrowLeft")
    expect(page.get_by_text(re.compile(r"lists were fused with k = 60"))).to_be_visible()
    expect(slider).to_have_value("50")
    tab.settle()
    assert len(scripted.requests) == asked

    # A citation in the text opens its passage with the words marked, and the passage leads back to it.
    cited = answer.get_by_role("link", name="1", exact=True)
    cited.press("Enter")
    expect(page.locator("mark", has_text="Ilse Marrack").first).to_be_in_viewport()
    page.keyboard.press("Tab")  # the keyboard is there, too
    expect(page.get_by_role("button", name="↑ Answer")).to_be_focused()
    page.keyboard.press("Enter")
    expect(cited).to_be_focused()
    expect(cited).to_be_in_viewport()


def test_a_run_survives_navigation_and_reload_and_is_stopped_by_whose_it_is(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    page = open_playground(tab, scripted_app)
    scripted.script(Rule(skill="answer", reply="It goes on and on. " * 1000, pause=0.3))
    ask(tab, QUESTION, "Plain retrieval")
    answer = page.locator("[class*='st-key-answer-text']")
    expect(answer).to_contain_text("It goes on")
    page.get_by_role("link", name="Documents").click()
    page.wait_for_selector(".st-key-files input[type=file]", state="attached")
    page.get_by_role("link", name="Playground").click()
    expect(answer).to_contain_text("It goes on")
    page.reload()
    page.locator(".st-key-stop button").click()
    expect(page.get_by_text("This run was stopped")).to_be_visible()
    expect(answer).to_contain_text("It goes on")  # what there is stays
    assert scripted.requests[-1]["cut_off"]  # and the call is cut off
    assert not scripted.requests[-1]["finished"]
    page.reload()
    expect(page.get_by_text("This run was stopped")).to_be_visible()
    expect(answer).to_contain_text("It goes on")
    assert len(scripted.requests) == 1
