"""The page Knowledge graph in a real browser: what a name of a graph's node becomes, and the way on to a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.runs.workbench import Workbench
from core.ui.knowledge.page import RARE
from tests import hostile_graph
from tests.bench import leave, open_bench
from tests.browser.conftest import App, Tab
from tests.browser.test_hostile import REACHES_OUT
from tests.homes import READY

_, _, HYPERNODES = READY
TODD = f"knowledge_graph?graph={HYPERNODES}&entity=mike+todd"


def open_graph(tab: Tab, app: App, address: str) -> Page:
    page = tab.page
    page.goto(f"{app.url}/{address}")
    page.wait_for_selector(".st-key-section", timeout=90_000)
    expect(page.get_by_test_id("stProgress")).to_be_hidden(timeout=90_000)
    tab.settle(60)
    return page


def section(tab: Tab, title: str) -> None:
    if title in RARE:
        tab.page.locator(".st-key-section").get_by_text("More", exact=True).click()
    place = ".st-key-more" if title in RARE else ".st-key-section"
    tab.page.locator(place).get_by_text(title, exact=True).click()
    tab.settle()


def choose(tab: Tab, field: str, name: str) -> None:
    """Type a name and take the first that fits."""
    box = tab.page.locator(f"[class*='st-key-{field}'] input")
    box.fill(name)
    with tab.one_run():
        tab.page.get_by_role("option", name=name).first.click()


def test_an_address_leads_to_a_view_and_on_to_a_question(tab: Tab, scripted_app: App) -> None:
    page = open_graph(tab, scripted_app, TODD)
    details = page.locator(".st-key-knowledge-details")
    expect(details.get_by_role("heading", name="Mike Todd")).to_be_visible()
    page.locator(".root details.list summary").first.click()
    page.locator(".lines button", has_text="Elizabeth Taylor · person").click()
    expect(details.get_by_role("heading", name="Elizabeth Taylor")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^\d+ nodes and .* edges are drawn"))).to_be_visible()
    page.locator(".st-key-node-ask button").first.click()
    expect(page.locator(".st-key-question textarea")).to_have_value("What is known about Elizabeth Taylor?")
    expect(page.locator(".st-key-graph input")).to_have_value(HYPERNODES)


@pytest.fixture
def bench(scripted_app: App) -> Iterator[Workbench]:
    """A second process's access to what the app shows."""
    bench = open_bench(scripted_app.home)
    yield bench
    leave(bench)


def test_hostile_names_are_text_everywhere(
    tab: Tab, scripted_app: App, bench: Workbench, tmp_path: Path
) -> None:
    hostile_graph.import_hostile(bench.graphs.graphs, tmp_path)
    page = open_graph(tab, scripted_app, "knowledge_graph")
    choose(tab, "graph", hostile_graph.NAME)
    expect(page.get_by_text("10 nodes and 20 edges")).to_be_visible(timeout=60_000)
    tab.settle()
    choose(tab, "entity-", hostile_graph.BAD)
    expect(
        page.locator(".st-key-knowledge-details").get_by_role("heading", name=hostile_graph.BAD)
    ).to_be_visible()
    page.locator(".root details.list summary").first.click()
    page.locator(".lines button").last.click()
    tab.settle()
    harmless(tab)
    section(tab, "Paths")
    expect(page.locator("[class*='st-key-path-g'] label").first).to_be_visible()  # of the example
    harmless(tab)
    section(tab, "Statistics")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    harmless(tab)
    section(tab, "Cypher")
    page.locator(".st-key-cypher-schema summary").click()
    page.locator("[class*='st-key-cypher-g'] textarea").fill(
        "MATCH p = (a)-[r]->(b) RETURN p, a.name, r.quote"
    )
    page.locator(".st-key-cypher-run button").click()
    expect(page.get_by_text(re.compile("rows in"))).to_be_visible()
    tab.settle()
    harmless(tab)
    bench.graphs.delete(hostile_graph.NAME)


def harmless(tab: Tab) -> None:
    """Nothing of what is on the page is an element that a name made."""
    page = tab.page
    assert page.locator("script:has-text('alert(')").count() == 0
    assert page.locator(REACHES_OUT).count() == 0
    assert page.locator("a[href*='//evil'], img[src*='//evil'], a[href^='javascript']").count() == 0
    assert page.locator("[onerror], [onload], [onmouseover]").count() == 0
    assert page.locator("[data-testid='stException']").count() == 0
    assert (tab.foreign, tab.dialogs) == ([], [])
