"""Building a graph in a real browser: watched while it goes on, and stopped."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from core.runs.workbench import Workbench
from tests import fleet
from tests.bench import leave, open_bench
from tests.browser.conftest import App, Tab
from tests.scripted import ScriptedServer


def looked_at(app: App, server: ScriptedServer) -> Workbench:
    """A look from outside at what an app works with; it has indexed the ships."""
    bench = open_bench(app.home, server)
    if fleet.NAME not in [corpus.name for corpus in bench.corpora.all()]:
        fleet.index(bench.corpora)
    return bench


def open_build(tab: Tab, app: App) -> Page:
    tab.page.goto(f"{app.url}/knowledge_graph?section=Build")
    expect(tab.page.locator(".st-key-graph-build")).to_be_visible(timeout=60_000)
    tab.settle()
    return tab.page


def choose_ships(tab: Tab) -> None:
    tab.page.locator(".st-key-build-corpus").get_by_role("combobox").click()
    tab.page.get_by_role("option", name=fleet.NAME).click()
    tab.settle()


def begin(tab: Tab, app: App, name: str) -> Page:
    page = open_build(tab, app)
    choose_ships(tab)
    field = page.locator("[class*='st-key-build-name-'][data-stale='false'] input")
    expect(field).to_have_value(fleet.NAME)  # the page has taken up the choice, and has a field for it
    field.fill(name)
    with tab.one_run():
        field.press("Enter")
    page.locator(".st-key-build-go button").click()
    expect(page.get_by_text("5 of 12 chunks")).to_be_visible(timeout=60_000)
    return page


def test_a_build_is_watched_and_stopped(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    bench = looked_at(scripted_app, scripted)
    fleet.hold_back(scripted)
    page = begin(tab, scripted_app, "Watched")
    lines = page.locator(".st-key-build-latest .line")
    expect(lines).to_have_count(12)
    expect(lines.locator(".node.hyper .node", has_text="<img src=x").first).to_be_visible()
    expect(lines.locator("q", has_text="**yard** ![p](http").first).to_be_visible()
    page.locator(".st-key-build-stop button").click()
    expect(page.get_by_text(re.compile("^Stopped. What is done stays"))).to_be_visible()
    expect(page.get_by_text("5 of 12 chunks done, 7 open.")).to_be_visible()
    assert fleet.noted(bench.graphs.graphs, "Watched") == fleet.ANSWERED
    leave(bench)
