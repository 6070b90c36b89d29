"""Evaluate in a real browser: set up, run, pause, lose the process, continue, read the results, take them home."""

from __future__ import annotations

import csv
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from core.evaluation.datasets import DEMO, read_folder, sample
from tests.browser.conftest import App, Tab
from tests.browser.test_hostile import REACHES_OUT
from tests.scripted import Rule, ScriptedServer

LABEL = "Words <img src=x onerror=alert(1)> ![p](http://attacker.example/p.png) :red[x]"
COUNT = 8
RUNS = COUNT * 4
"""Three settings and closed book."""


def open_evaluate(tab: Tab, app: App) -> Page:
    page = tab.page
    page.goto(f"{app.url}/evaluate")
    page.locator(".st-key-evaluation-start button:not([disabled])").wait_for(timeout=90_000)
    tab.settle()
    return page


def set_up(tab: Tab) -> None:
    """Dense, keyword, hybrid with answers; the second has a hostile name."""
    page = tab.page
    page.locator(".st-key-evaluation-judge button", has_text="Answers too").click()
    tab.settle()
    count = page.locator("[class*='st-key-evaluation-count'] input")
    count.fill(str(COUNT))
    count.press("Enter")
    tab.settle()
    name = page.locator("[class*='st-key-evaluation-row-'][class*='-label'] input").nth(1)
    name.fill(LABEL)
    name.press("Enter")
    tab.settle()
    expect(page.get_by_text(re.compile(f"Forecast: {RUNS} runs, {RUNS} model calls"))).to_be_visible()


def done(page: Page) -> None:
    """Wait until nothing is under way any more."""
    expect(page.locator(".st-key-evaluation-home")).to_be_visible(timeout=120_000)


def download(page: Page, key: str, folder: Path) -> str:
    with page.expect_download(timeout=60_000) as file:
        page.locator(f".st-key-evaluation-{key} button").first.click()
    path = folder / file.value.suggested_filename
    file.value.save_as(path)
    return path.read_text(encoding="utf-8")


def lose_the_process(app: App, evaluation: str) -> None:
    """As if a server had been killed while it worked on the evaluation."""
    with closing(sqlite3.connect(app.home / "rag-loupe.sqlite")) as connection:
        change = "UPDATE evaluations SET writer = 'gone', writer_until = 1 WHERE id = ?"
        connection.execute(change, (evaluation,))
        connection.commit()


def clicked(tab: Tab, point: Callable[[], None], opened: str) -> None:
    point()
    expect(tab.page.locator(opened)).to_be_visible()
    tab.settle()


def test_an_evaluation_from_its_form_to_its_report(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, browser: Browser, tmp_path: Path
) -> None:
    refused = sample(read_folder(DEMO), COUNT, 0).questions[-1].text
    answers = re.escape(refused)
    page = open_evaluate(tab, scripted_app)
    set_up(tab)
    # Fast at first, so that there is something to see; then so slow that it is not over before it is paused.
    scripted.script(Rule(times=9), Rule(delay=4.0))
    page.locator(".st-key-evaluation-start button").first.click()
    page.wait_for_url(re.compile("evaluation="), timeout=120_000)
    link, key = page.url, page.url.rpartition("=")[2]
    expect(page.get_by_text("Interim differences")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("[object Object]")).to_have_count(0)

    # Another page, a reload: it goes on, and it is still here.
    page.get_by_role("link", name="Runs").click()
    tab.settle()
    page.get_by_role("link", name="Evaluate").click()
    expect(page.locator(".st-key-evaluation-pause").first).to_be_visible()
    assert page.url == link
    page.reload()
    page.locator(".st-key-evaluation-pause button").first.click()
    done(page)
    expect(page.get_by_text(re.compile(r"Continue: \d+ runs left"))).to_be_visible()

    # The process is lost; what was done is kept, and it goes on from there. One question is refused.
    lose_the_process(scripted_app, key)
    scripted.script(Rule(match=f"numbered passages.*{answers}", status=400, reply=f"No. {LABEL}"))
    page.reload()
    expect(page.get_by_text("It was interrupted")).to_be_visible()
    tab.settle()
    page.locator(".st-key-evaluation-continue button").first.click()
    failed = page.locator(".st-key-evaluation-continue", has_text=re.compile("Try the [123] failed again"))
    expect(failed).to_be_visible(timeout=120_000)
    tab.settle()  # until the page is drawn anew, what the last drawing left stands there as well
    expect(page.get_by_text(re.compile("failed: they count in no metric"))).to_be_visible()
    scripted.script()
    failed.locator("button").first.click()
    expect(page.locator(".st-key-evaluation-continue")).to_have_count(0, timeout=120_000)
    done(page)
    tab.settle()

    # What was found, in words, in the table, in charts.
    expect(page.locator(".st-key-evaluation-findings")).to_contain_text("in Accuracy on 8 questions")
    table = page.locator("[class*='st-key-table-'] table")
    expect(table.locator("thead")).to_contain_text(LABEL)
    expect(table).to_contain_text("Evidence found")
    expect(table.locator("td .sign").first).to_have_text(re.compile("[▲▼≈]"))
    for title in ("Quality against cost", "Question by question", "Per type of question", "Where it failed"):
        expect(page.get_by_text(title, exact=True).first).to_be_visible()
    assert page.locator(REACHES_OUT).count() == 0

    # A tile leads to what became of the question, to the stored run, and to Compare.
    tile = page.locator("[class*='st-key-tiles-'] .point path").first
    tile.scroll_into_view_if_needed()
    clicked(tab, lambda: tile.click(force=True), ".st-key-evaluated-question-tile")
    detail = page.locator(".st-key-evaluated-question-tile")
    question = detail.locator("p strong").first.inner_text()
    expect(detail.get_by_text("Open the stored run")).to_have_count(4)
    expect(detail).to_contain_text("★")
    page.set_viewport_size({"width": 800, "height": 900})
    tab.settle()
    assert page.locator("[data-testid=stMain]").evaluate("node => node.scrollWidth - node.clientWidth") <= 1
    page.set_viewport_size({"width": 1440, "height": 900})

    page.locator(".st-key-evaluation-home button").first.click()
    report, every = download(page, "report", tmp_path), download(page, "csv", tmp_path)
    assert "<img" not in report
    assert "&lt;img src=x onerror=alert(1)&gt;" in report
    rows = list(csv.DictReader(every.splitlines()))
    assert len(rows) == RUNS
    assert {row["setting"] for row in rows} >= {LABEL, "Closed book"}
    assert all(row["nDCG@10"] and row["run"] for row in rows if row["setting"] == LABEL)
    assert "no significant difference" in download(page, "summary", tmp_path)
    page.keyboard.press("Escape")

    detail.get_by_text("Open the stored run").first.click()
    page.wait_for_url(re.compile("runs.*run="))
    expect(page.get_by_role("heading", name=question).first).to_be_visible()
    page.goto(link)
    tile.scroll_into_view_if_needed()
    clicked(tab, lambda: tile.click(force=True), ".st-key-evaluated-question-tile")
    page.locator(".st-key-to-compare-tile button").first.click()
    page.wait_for_url(re.compile("/compare"))
    expect(page.locator(".st-key-question textarea")).to_have_value(question)
    expect(page.locator("[class*='st-key-compare-column-'][class*='-card']")).to_have_count(4)
    tab.settle()
    page.locator(".st-key-compare-ask button").first.click()
    expect(page.get_by_text(re.compile(r"Evidence: \d of \d documents given")).first).to_be_visible(
        timeout=60_000
    )

    # It is named, and listed for whoever began it alone.
    page.goto(link)
    page.locator(".st-key-evaluation-rename button").first.click()
    page.locator(".st-key-evaluation-rename input, [role=dialog] input, form input").first.fill(LABEL)
    page.get_by_role("button", name="Save").click()
    named = page.locator(
        "p", has_text=re.compile(r"^Words <img src=x onerror=alert\(1\)> !\[p\]\(http")
    ).first
    expect(named).to_be_visible()
    other = browser.new_context(viewport={"width": 800, "height": 900})
    second = other.new_page()
    second.goto(f"{scripted_app.url}/evaluate")
    expect(second.get_by_text("Nothing has been evaluated yet")).to_be_visible()
    other.close()
    page.locator(".st-key-evaluation-new button").first.click()
    expect(page.locator(".st-key-evaluations")).to_be_visible()
    assert page.locator("[data-testid='stException']").count() == 0


def test_what_cannot_be_evaluated_is_said_before_it_begins(tab: Tab, scripted_app: App) -> None:
    page = open_evaluate(tab, scripted_app)
    page.locator("[class*='st-key-evaluation-row-'][class*='-strategy'] input").first.click()
    page.get_by_role("option", name="Closed book").click()
    expect(page.get_by_text("Closed book retrieves nothing")).to_be_visible()
    expect(page.locator(".st-key-evaluation-start button").first).to_be_disabled()
    page.locator(".st-key-evaluation-lineup input").click()
    page.get_by_role("option", name="Multi-hop").click()
    tab.settle()
    rows = page.locator("[class*='st-key-evaluation-row-'][class*='-line']")
    expect(rows).to_have_count(4)
    page.locator("[class*='st-key-evaluation-row-'][class*='-remove'] button").first.click()
    expect(rows).to_have_count(3)
    page.locator(".st-key-evaluation-add button").first.click()
    expect(rows).to_have_count(4)
    expect(page.locator(".st-key-evaluation-start button").first).to_be_enabled()
    page.goto(f"{scripted_app.url}/evaluate?evaluation=nothing")
    expect(page.get_by_text("This evaluation is not here")).to_be_visible()
