"""Building a graph in a real browser: watched while it goes on, stopped, and gone on with after the app was killed."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from core.runs.workbench import Workbench
from tests import fleet
from tests.bench import leave, open_bench
from tests.browser.conftest import App, Tab, start_app
from tests.scripted import ScriptedServer
from tests.servers.test_building import let_go


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


def test_what_a_killed_app_began_is_gone_on_with(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    """Another app has the same home; it is killed, and a page of the first goes on where it was."""
    environment = {
        "OPENAI_BASE_URL": scripted.base_url,
        "CHAT_MODEL": "scripted",
        "OPENAI_API_KEY": "test-key",
    }
    bench = looked_at(scripted_app, scripted)
    killed = start_app(tmp_path, RAG_LOUPE_HOME=str(scripted_app.home), **environment)
    try:
        fleet.hold_back(scripted)
        begin(tab, killed, "Killed")
    finally:
        killed.process.kill()
        killed.process.wait(60)
    assert fleet.noted(bench.graphs.graphs, "Killed") == fleet.ANSWERED
    let_go(scripted_app.home)
    asked = fleet.sent(scripted, answered=True)
    scripted.reset()
    scripted.script(*fleet.rules())
    page = open_build(tab, scripted_app)
    choose_ships(tab)
    expect(page.get_by_text("“Killed” was not finished.")).to_be_visible()
    page.locator("[class*='st-key-build-other-Killed'] button").click()
    expect(page.get_by_text("5 of 12 chunks done, 7 open.")).to_be_visible()
    page.locator(".st-key-build-go button").click()
    expect(page.get_by_text("12 of 12 chunks done.")).to_be_visible(timeout=90_000)
    assert sorted([*asked, *fleet.sent(scripted)]) == list(range(fleet.SHIPS)), "nothing was asked twice"
    leave(bench)
