"""Tours opened from disk with the network off: by key, by scrubber and by themselves; each marks what it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.report.tour import strategy_tour, tours
from tests.browser.conftest import App, Tab
from tests.browser.test_axe import faults

MARKED = """() => {
  const inside = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? inside(one.shadowRoot) : [])])
  const bar = document.querySelector(".tour").getBoundingClientRect().top
  const rings = [...document.querySelectorAll(".ring")].map((one) => one.getBoundingClientRect())
  const near = (one, other) => Math.abs(one.left + one.width - other.left - other.width) < 2 && Math.abs(one.top - other.top) < 2
  const nodes = inside(document).filter((one) => one.ariaCurrent === "true")
  return {
    text: nodes.map((one) => one.textContent.replace(/\\s+/g, " ").trim()),
    held: nodes.every((one, place) => near(one.getBoundingClientRect(), rings[place])) && rings.length === nodes.length,
    seen: nodes.length > 0 && rings[0].height > 0 && rings[0].top >= 0 && rings[0].top < bar - 20,
  }
}"""  # noqa: E501
"""The marked text, whether the marks lie on it, and whether the first is in sight above the bar."""


@pytest.fixture
def reader(tab: Tab) -> Iterator[Tab]:
    """A browser without a network, in which only files may be asked for and nothing may go wrong."""
    asked: list[str] = []
    tab.page.context.set_offline(True)
    tab.page.emulate_media(reduced_motion="reduce")
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.page.on(
        "console", lambda message: tab.errors.append(message.text) if message.type == "error" else None
    )
    yield tab
    assert {url.partition(":")[0] for url in asked} == {"file"}
    assert tab.errors == []


def written(key: str, folder: Path) -> str:
    file = folder / f"{key}.html"
    file.write_text(strategy_tour(key), encoding="utf-8")
    return file.as_uri()


def place(page: Page) -> Locator:
    return page.locator(".tour output")


def test_a_tour_is_taken_by_key_by_scrubber_and_by_itself(reader: Tab, tmp_path: Path) -> None:
    page = reader.page
    page.clock.install()
    address = written("rag-fusion", tmp_path)
    page.goto(address)
    expect(place(page)).to_have_text("1 of 11")
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    expect(page.locator("[data-card='baseline']")).to_have_attribute("open", "")
    assert page.evaluate("() => scrollY") == 0
    finished = page.locator("aside .node.finished")
    expect(finished).to_have_count(0)  # the diagram goes along with the tour
    assert "Ferry Passengers Regulation 2011" in page.evaluate(MARKED)["text"][0]

    page.keyboard.press("ArrowRight")
    expect(place(page)).to_have_text("2 of 11")
    expect(finished.filter(visible=True)).to_have_text(re.compile("Write queries"))
    expect(page.locator(".tour .now")).to_contain_text("four more queries")
    expect(page.locator("[aria-live]")).to_contain_text("four more queries")
    assert len(page.evaluate(MARKED)["text"]) == 4
    page.keyboard.press("PageUp")  # a clicker's key
    expect(place(page)).to_have_text("1 of 11")

    page.get_by_role("slider", name="Place in the tour").fill("8")
    expect(place(page)).to_have_text("8 of 11")
    assert page.evaluate("() => location.hash") == "#stop=8"
    assert page.evaluate(MARKED)["held"]
    page.get_by_role("slider", name="Place in the tour").press("ArrowLeft")
    expect(place(page)).to_have_text("7 of 11")
    page.goto("about:blank")
    page.goto(f"{address}#stop=9")
    expect(place(page)).to_have_text("9 of 11")

    page.keyboard.press("p")
    page.clock.run_for(3_900)
    expect(place(page)).to_have_text("9 of 11")
    page.clock.run_for(5_500)
    expect(place(page)).to_have_text("10 of 11")
    page.clock.run_for(10_000)
    expect(place(page)).to_have_text("11 of 11")
    expect(page.locator(".tour .now")).to_contain_text("What did it cost?")
    expect(finished.filter(visible=True)).to_have_count(4)
    page.clock.run_for(15_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(place(page)).to_have_text("11 of 11")

    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Home")
    expect(place(page)).to_have_text("1 of 11")
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert (
        page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.tour .now')).fontSize)")
        >= 24
    )


def test_every_part_that_a_tour_speaks_of_is_found_and_marked(reader: Tab, tmp_path: Path) -> None:
    """A part that is not found is an error in the console."""
    for key in tours():
        reader.page.goto(written(key, tmp_path))
        _all_marked(reader.page, key)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [800, 1920])
def test_every_part_is_marked_at_other_widths(reader: Tab, tmp_path: Path, width: int) -> None:
    reader.page.set_viewport_size({"width": width, "height": 900})
    for key in tours():
        reader.page.goto(written(key, tmp_path))
        _all_marked(reader.page, key)


WALK = f"""() => [...document.querySelectorAll(".tour li")].map(() => {{
  const found = ({MARKED})()
  document.querySelector(".tour [data-act=next]").click()
  return found
}})"""
"""Walks a tour to its end; returns a list with the marks (see `MARKED`) of each stop."""


def _all_marked(page: Page, key: str) -> None:
    for number, found in enumerate(page.evaluate(WALK), 1):
        assert found["held"], (key, number, found)
        assert found["seen"], (key, number, found)
    expect(place(page)).to_have_text(re.compile(r"^(\d+) of \1$"))


def test_a_lesson_opens_its_tour_in_a_document_that_reaches_nothing(tab: Tab, scripted_app: App) -> None:
    page = tab.page
    page.goto(f"{scripted_app.url}/learn?lesson=rag-fusion")
    assert page.locator("iframe").count() == 0
    page.get_by_text("Take the tour: a recorded run").click()
    frame = page.frame_locator("iframe[title='Tour of a run of RAG-Fusion']")
    expect(frame.locator("output")).to_have_text("1 of 11")
    expect(frame.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(frame.locator("output")).to_have_text("2 of 11")
    document = frame.locator("html")
    box = page.locator("iframe").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < box["y"] + box["height"] <= page.evaluate("() => innerHeight")
    assert document.evaluate("() => origin") == "null"
    assert document.evaluate("() => fetch('/').then(() => 'reached', () => 'refused')") == "refused"
    assert document.evaluate("() => document.documentElement.dataset.theme") == "light"
    page.get_by_text("Take the tour: a recorded run").click()
    expect(page.locator("iframe")).to_have_count(0)
    assert re.search(r"\?lesson=rag-fusion$", page.url)


@pytest.mark.thorough
@pytest.mark.parametrize("key", ["rag-fusion", "kg-rag", "self-rag"])
def test_a_tour_has_no_serious_fault(tab: Tab, tmp_path: Path, key: str) -> None:
    for theme in ("light", "dark"):
        file = tmp_path / f"{key}-{theme}.html"
        file.write_text(re.sub("<meta http-equiv=[^>]*>", "", strategy_tour(key, theme)), encoding="utf-8")
        tab.page.goto(file.as_uri())
        assert faults(tab.page) == []
