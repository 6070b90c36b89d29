"""Evaluate in a real browser: results are drawn and clicked."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.browser.storing import store_evaluation
from tests.browser.test_hostile import REACHES_OUT
from tests.examples.evaluations import evaluation

LABEL = "Words <img src=x onerror=alert(1)> ![p](http://attacker.example/p.png) :red[x]"


def test_results_are_drawn_a_tile_opens_its_question_and_a_file_is_taken_home(
    tab: Tab, scripted_app: App, tmp_path: Path
) -> None:
    made, outcomes = evaluation(labels=("Dense", LABEL, "Keyword"), count=8)
    page = tab.page
    page.goto(f"{scripted_app.url}/evaluate?evaluation={store_evaluation(scripted_app, made, outcomes)}")
    table = page.locator("[class*='st-key-table-'] table")
    expect(table.locator("thead")).to_contain_text(LABEL)
    expect(table).to_contain_text("Gold documents found")
    expect(table.locator("td .sign").first).to_have_text(re.compile("[▲▼≈]"))
    tile = page.locator("[class*='st-key-tiles-'] .point path").first
    tile.scroll_into_view_if_needed()
    tab.settle()
    tile.click(force=True)
    detail = page.locator(".st-key-evaluated-question-tile")
    expect(detail).to_contain_text("Right answer")
    expect(detail).to_contain_text("★")
    page.set_viewport_size({"width": 800, "height": 900})
    tab.settle()
    # Charts follow the window a moment later.
    fits = "(main) => main.scrollWidth - main.clientWidth <= 1"
    main = page.locator("[data-testid=stMain]").element_handle()
    page.wait_for_function(fits, arg=main)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator(".st-key-evaluation-home button").first.click()
    with page.expect_download(timeout=60_000) as file:
        page.locator(".st-key-evaluation-csv button").first.click()
    file.value.save_as(tmp_path / "every.csv")
    rows = list(csv.DictReader((tmp_path / "every.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["setting"] for row in rows} == {"Dense", LABEL, "Keyword"}
    assert page.locator(REACHES_OUT).count() == 0
    assert page.locator("[data-testid='stException']").count() == 0
