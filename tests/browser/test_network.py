"""Drawings of graphs in a real browser: names stay text, clicks reach Python, and a file needs nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from core.report import network_report
from tests.browser.conftest import App, Tab
from tests.browser.small_pages import small_pages
from tests.examples.networks import hostile

FIND = """(canvas, wanted) => {
  const { width, height } = canvas
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height)
  let [count, x, y] = [0, 0, 0]
  for (let at = 0; at < data.length; at += 4) {
    if ([0, 1, 2].some((part) => Math.abs(data[at + part] - wanted[part]) > 3) || data[at + 3] < 250) continue
    count += 1
    x += (at / 4) % width
    y += Math.floor(at / 4 / width)
  }
  const scale = canvas.clientWidth / width
  return [count, (x / count) * scale, (y / count) * scale]
}"""
"""How many points of a colour are on a canvas, and their middle."""
FIRST, SECOND = [0, 114, 178], [230, 159, 0]
"""The first two colours of kinds in the light theme."""


@pytest.fixture
def page_app(request: pytest.FixtureRequest) -> App:
    """A page with a drawing, served below a path as behind a proxy."""
    return small_pages(request)


def drawn(tab: Tab, app: App, graph: str) -> Locator:
    """The canvas of a drawing that is stable."""
    tab.page.goto(f"{app.url}/network?graph={graph}")
    expect(tab.page.locator('.root[data-state="stable"]')).to_be_visible()
    tab.settle()
    return tab.page.locator(".plane canvas")


def test_a_node_and_an_edge_that_are_clicked_reach_python(tab: Tab, page_app: App) -> None:
    canvas = drawn(tab, page_app, "small")
    count, x, y = canvas.evaluate(FIND, FIRST)
    assert count > 200
    canvas.click(position={"x": x, "y": y})
    expect(tab.page.get_by_text("Clicked node ann")).to_be_visible()
    _, x2, y2 = canvas.evaluate(FIND, SECOND)
    # Two thirds of the way: the middle is the label's.
    canvas.click(position={"x": x + 0.3 * (x2 - x), "y": y + 0.3 * (y2 - y)})
    expect(tab.page.get_by_text("Clicked edge e-ann")).to_be_visible()
    expect(tab.page.get_by_text("1,234 more nodes next to these are left out.")).to_be_visible()
    assert tab.errors == []


def test_the_list_does_by_keyboard_what_a_click_does_and_the_library_comes_once_from_this_server(
    tab: Tab, page_app: App
) -> None:
    fetched: list[str] = []
    tab.page.on("request", lambda request: fetched.append(request.url))
    drawn(tab, page_app, "small")
    tab.page.get_by_text("As a list").focus()
    tab.page.keyboard.press("Enter")
    ann = tab.page.get_by_role("button", name="Ann · person")
    expect(ann).to_be_visible()
    tab.page.keyboard.press("Tab")
    expect(ann).to_be_focused()
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_text("Clicked node ann")).to_be_visible()
    # Still open after the redraw, and with the node that has come in.
    tab.page.get_by_text("More", exact=True).click()
    expect(tab.page.get_by_role("button", name="Bob · person")).to_be_visible()
    tab.settle()
    expect(tab.page.locator('.root[data-state="stable"]')).to_be_visible()
    assert [url for url in fetched if "vis-network" in url] == [
        f"{page_app.url}/app/static/vis-network.min.js"
    ]


def test_an_exported_graph_needs_nothing_and_runs_nothing_foreign(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "graph.html"
    file.write_text(network_report(hostile(), "Hostile"), encoding="utf-8")
    fetched: list[str] = []
    tab.page.on("request", lambda request: fetched.append(request.url))
    tab.page.context.set_offline(True)
    tab.page.goto(file.as_uri())
    expect(tab.page.locator('.root[data-state="stable"]')).to_be_visible()
    box = tab.page.locator(".plane canvas").bounding_box()
    assert box is not None
    for column in range(1, 12):
        for row in range(1, 9):
            tab.page.mouse.move(box["x"] + column * box["width"] / 12, box["y"] + row * box["height"] / 9)
    tab.page.get_by_text("As a list").click()
    expect(tab.page.locator(".lines button").first).to_contain_text("</script><script>alert")
    before = tab.page.locator(".plane canvas").screenshot()
    tab.page.get_by_role("button", name="Dark theme").click()
    expect(tab.page.locator('.root[data-state="stable"]')).to_be_visible()
    assert tab.page.locator(".plane canvas").screenshot() != before
    assert fetched == [file.as_uri()]
    assert tab.page.locator("img, a, .root script").count() == 0
    assert tab.page.evaluate("() => document.scripts.length") <= 3
    assert tab.errors == []
