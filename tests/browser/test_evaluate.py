"""Evaluate in a real browser: results drawn and clicked, and an evaluation that goes on without its page."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import expect

from core.evaluation.datasets import read_folder
from tests.browser.conftest import App, Tab
from tests.browser.storing import store_data_set, store_evaluation
from tests.browser.test_hostile import REACHES_OUT
from tests.examples.evaluations import evaluation
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

LABEL = "Words <img src=x onerror=alert(1)> ![p](http://attacker.example/p.png) :red[x]"


def test_results_are_drawn_a_tile_opens_its_question_and_a_file_is_taken_home(
    tab: Tab, scripted_app: App, tmp_path: Path
) -> None:
    made, outcomes = evaluation(labels=("Dense", LABEL, "Keyword"), count=8)
    page = tab.page
    page.goto(f"{scripted_app.url}/evaluate?evaluation={store_evaluation(scripted_app, made, outcomes)}")
    table = page.locator("[class*='st-key-table-'] table")
    expect(table.locator("thead")).to_contain_text(LABEL)
    expect(table).to_contain_text("Evidence found")
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


def test_an_evaluation_goes_on_without_its_page_and_is_paused(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    dataset = replace(read_folder(small_data_set(tmp_path / "small", 20)), name="Twenty")
    store_data_set(scripted_app, dataset)
    page = tab.page
    page.goto(f"{scripted_app.url}/evaluate")
    page.locator(".st-key-evaluation-data input").click()
    page.get_by_role("option", name="Twenty").click()
    tab.settle()
    page.locator(".st-key-evaluation-lineup input").click()
    page.get_by_role("option", name="Dense, keyword, hybrid").click()
    tab.settle()
    page.locator(".st-key-evaluation-judge button", has_text="Answers too").click()
    expect(page.get_by_text(re.compile("Forecast: 80 runs, 80 model calls"))).to_be_visible()
    # Fast at first, so that there is something to see; then so slow that it is not over before it is paused.
    scripted.script(Rule(times=9), Rule(delay=4.0))
    page.locator(".st-key-evaluation-start button").first.click()
    page.wait_for_url(re.compile("evaluation="), timeout=120_000)
    link = page.url
    expect(page.get_by_text("Interim differences")).to_be_visible(timeout=60_000)
    expect(page.locator("[class*='st-key-table-interim-'] table")).to_contain_text("Evidence found")
    page.get_by_role("link", name="Runs").click()
    page.get_by_role("link", name="Evaluate").click()
    expect(page.locator(".st-key-evaluation-pause").first).to_be_visible()
    expect(page).to_have_url(link)
    page.reload()
    page.locator(".st-key-evaluation-pause button").first.click()
    expect(page.get_by_text(re.compile(r"Continue: \d+ runs left"))).to_be_visible(timeout=120_000)
    expect(page.locator(".st-key-evaluation-home")).to_be_visible()
    assert page.locator("[data-testid='stException']").count() == 0
