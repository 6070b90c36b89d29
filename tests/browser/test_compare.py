"""Compare in a real browser: three strategies at once, leave, come back, stop one, open by link, replay."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import App, Tab
from tests.scripted import Rule, ScriptedServer

QUESTION = "Do both directors of films A Family (1943 film) and Brass Buttons share the same nationality?"


def open_compare(tab: Tab, app: App) -> Page:
    page = tab.page
    page.goto(f"{app.url}/compare")
    page.locator(".st-key-compare-ask button:not([disabled])").wait_for(timeout=90_000)
    tab.settle()
    return page


def ask(tab: Tab, question: str) -> None:
    field = tab.page.locator(".st-key-question textarea")
    field.fill(question)
    field.press("Tab")
    tab.settle()
    tab.page.locator(".st-key-compare-ask button").click(timeout=90_000)
    tab.page.wait_for_url(re.compile("comparison="))


def look_at(tab: Tab, section: str) -> None:
    tab.page.locator("[class*='st-key-compare-section'] button", has_text=section).click()
    tab.settle()


def test_three_at_once_leave_come_back_stop_one_open_by_link_and_replay(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, browser: Browser
) -> None:
    # Given only to Multi-Query's and RAG-Fusion's answers, which have more passages than plain retrieval's.
    slow = Rule(
        match=r"(?s)\[6\] .*share the same nationality", reply="It goes on and on. " * 400, pause=0.05
    )
    scripted.script(slow)
    page = open_compare(tab, scripted_app)
    ask(tab, QUESTION)
    columns = page.locator("article")
    expect(columns).to_have_count(3)
    expect(columns.nth(0)).to_contain_text("Done in")
    expect(columns.nth(1)).to_contain_text("It goes on")
    expect(columns.nth(2)).to_contain_text("It goes on")  # both stream at once
    link = page.url

    page.get_by_role("link", name="Runs").click()
    tab.settle()
    page.get_by_role("link", name="Compare").click()
    expect(columns.nth(1)).to_contain_text("It goes on")
    assert page.url == link

    columns.nth(1).get_by_role("button", name="Stop").click()
    expect(columns.nth(1)).to_contain_text("Stopped.")
    expect(columns.nth(2).get_by_role("button", name="Stop")).to_be_visible()
    page.locator(".st-key-stop-all button").click()
    expect(columns.nth(2)).to_contain_text("Stopped.")
    expect(columns.nth(0)).to_contain_text("Evidence: 2 of 4 documents")
    tab.settle()

    # Evidence: the passages that all three found, with ranks; the documents that hold the evidence.
    expect(page.get_by_text("No column found")).to_be_visible()
    expect(page.get_by_text(re.compile("Jaccard 0|Jaccard 1")).first).to_be_visible()
    grid = page.locator("[class*='st-key-grid-evidence'] table")
    expect(grid.locator("tr.row").first).to_contain_text("3 of 3")
    grid.locator("tr.row button").first.click()
    expect(grid.locator("tr.more").first).to_be_visible()
    for section, there in (
        ("Rank flow", ".js-plotly-plot"),
        ("Answers", ".sentence"),
        ("Timelines", ".js-plotly-plot"),
        ("Embedding map", ".js-plotly-plot"),
        ("Whole runs", ".st-key-run"),
    ):
        look_at(tab, section)
        expect(page.locator(there).first).to_be_visible(timeout=40_000)

    # Another browser opens it by its link, sees the same, and may not delete it in another's name.
    other = browser.new_context(viewport={"width": 800, "height": 900})
    second = other.new_page()
    second.goto(link)
    expect(second.locator("article")).to_have_count(3)
    expect(second.locator("article").nth(1)).to_contain_text("It goes on")
    other.close()

    # One scrubber for all columns.
    page.get_by_role("radio", name="Replay").click()
    tab.settle()
    slider = page.locator(".st-key-replay").get_by_role("slider")
    slider.focus()
    slider.press("Home")
    expect(page.get_by_text("The question", exact=True)).to_be_visible()
    expect(columns.nth(0)).to_contain_text("The answer will appear here.")
    expect(columns.nth(2)).to_contain_text("The answer will appear here.")
    page.locator(".st-key-replay-next button").first.click()
    tab.settle()
    expect(page.get_by_text(re.compile("Moment 2 of"))).to_be_visible()
    assert page.locator("[data-testid='stException']").count() == 0


def test_a_comparison_goes_home_and_is_brought_in_again(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, browser: Browser, tmp_path: Path
) -> None:
    page = open_compare(tab, scripted_app)
    ask(tab, QUESTION)
    columns = page.locator("article")
    page.locator(".st-key-take-home button").first.click(timeout=60_000)
    files = {}
    for key in ("comparison-report", "comparison-export", "notebook-C"):
        with page.expect_download(timeout=60_000) as download:
            page.locator(f".st-key-{key} button").first.click()
        files[key] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[key])
    assert "reciprocal" in files["notebook-C"].read_text(encoding="utf-8").lower()

    # The report opens from disk with the network off, and asks for nothing but itself.
    offline = browser.new_context(offline=True)
    report, asked = offline.new_page(), []
    report.on("request", lambda request: asked.append(request.url))
    report.goto(files["comparison-report"].as_uri())
    for title in ("Plain retrieval", "Multi-Query", "RAG-Fusion"):
        expect(report.get_by_text(title).first).to_be_visible()
    assert asked == [files["comparison-report"].as_uri()]
    offline.close()

    page.goto(f"{scripted_app.url}/runs")
    page.get_by_text("Bring in a run or a comparison").click()
    tab.put(".st-key-import-file input[type=file]", files["comparison-export"])
    page.locator(".st-key-import-run-button button").click()
    page.wait_for_url(re.compile("comparison="))
    expect(columns).to_have_count(3)
    expect(columns.nth(2)).to_contain_text("Evidence: 2 of 4 documents")

    # For the projector: nothing is known of the columns before they are revealed.
    page.get_by_role("radio", name="Presenter").click()
    expect(page.get_by_text("1 of 6")).to_be_visible()


def test_columns_are_added_taken_away_and_set(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    page = open_compare(tab, scripted_app)
    page.locator(".st-key-compare-lineup input").click()
    page.get_by_role("option", name="Rank fusion: k = 60 or k = 1").click()
    tab.settle()
    cards = page.locator("[class*='st-key-compare-column-'][class*='-card']")
    expect(cards).to_have_count(2)
    page.locator(".st-key-compare-add button").click()
    expect(cards).to_have_count(3)
    cards.nth(2).locator("[class*='-remove'] button").first.click()
    expect(cards).to_have_count(2)
    tab.settle()

    page.locator(".st-key-compare-ask button").click()
    expect(page.get_by_text("The question is empty.")).to_be_visible()
    ask(tab, QUESTION)
    columns = page.locator("article")
    expect(columns.nth(0)).to_contain_text("RRF constant k: 60")
    expect(columns.nth(1)).to_contain_text("RRF constant k: 1")
    page.locator(".st-key-compare-new button").click(timeout=30_000)
    expect(page.locator(".st-key-question textarea")).to_have_value(QUESTION)
    expect(page.locator(".st-key-comparisons")).to_be_visible()
    page.goto(f"{scripted_app.url}/compare?comparison=nothing")
    expect(page.get_by_text("This comparison is not here")).to_be_visible()
