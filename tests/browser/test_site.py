"""The site: opened from a disk without a network, page by page, and used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from core.explorables import stored
from core.report.site import pages, write
from core.strategies.lessons import stem
from tests.browser.test_axe import THEMES, faults
from tests.explorables import CHANGED, Opened, companion
from tools.explorables import stems

FILES = [page.file for page in pages()]
LESSONS = [file for file in FILES if not file.startswith(("run-", "index"))]
FEW = ["index.html", "rag-fusion.html", "self-rag.html"]
"""What is opened in every run of the tests; the whole site is in the thorough one."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    sizes = write(folder, lambda title, done, of: None)
    assert len(sizes) == len(FILES) == len(set(FILES))
    return folder


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A page without a network that may ask for nothing but itself, and on which nothing may go wrong."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, offline=True, reduced_motion="reduce"
    )
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []

    def note(request: Request) -> None:
        if not request.is_navigation_request():
            asked.append(request.url)

    def hear(message: ConsoleMessage) -> None:
        said.append(message.text)

    page.on("request", note)
    page.on("console", hear)
    page.on("pageerror", lambda fault: said.append(str(fault)))
    yield page
    context.close()
    assert asked == []
    assert said == []  # a fault, or something that the content policy refused


def opens(page: Page, folder: Path, file: str) -> None:
    page.goto((folder / file).as_uri())
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    links = page.locator("a[href$='.html']").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert set(links) <= set(FILES)
    if stored(stem(file.removesuffix(".html"))):
        expect(page.locator(".explorable p.answer")).not_to_be_empty()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("file", FEW)
def test_a_page_opens_from_a_disk_without_a_network(site: Path, offline: Page, file: str) -> None:
    opens(offline, site, file)


@pytest.mark.thorough
@pytest.mark.parametrize("file", FILES)
def test_every_page_opens_from_a_disk_without_a_network(site: Path, offline: Page, file: str) -> None:
    opens(offline, site, file)
    offline.set_viewport_size({"width": 800, "height": 1000})
    opens(offline, site, file)


def used(page: Page, folder: Path, name: str) -> None:
    page.goto((folder / f"{name.replace('_', '-')}.html").as_uri())
    one = Opened(page, page.locator(".explorable"), touch=False)
    first = one.answer.inner_text()
    companion(name).use(one)
    expect(page).to_have_url(CHANGED)
    one.place.get_by_role("button", name="Reset").click()
    expect(one.answer).to_have_text(first)


def test_an_explorable_is_used_on_the_site(site: Path, offline: Page) -> None:
    used(offline, site, "rag_fusion")


@pytest.mark.thorough
@pytest.mark.parametrize("name", stems())
def test_every_explorable_is_used_on_the_site(site: Path, offline: Page, name: str) -> None:
    used(offline, site, name)


def without_faults(page: Page, folder: Path, file: str) -> None:
    for scheme, options in THEMES.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto((folder / file).as_uri())
        assert faults(page, options) == [], scheme


def test_a_lesson_has_no_serious_fault(site: Path, offline: Page) -> None:
    without_faults(offline, site, "rag-fusion.html")


@pytest.mark.thorough
@pytest.mark.parametrize("file", ["index.html", *LESSONS])
def test_no_lesson_has_a_serious_fault(site: Path, offline: Page, file: str) -> None:
    without_faults(offline, site, file)


def test_the_theme_is_changed_on_the_page(site: Path, offline: Page) -> None:
    offline.goto((site / "index.html").as_uri())
    offline.get_by_role("button", name=re.compile("Dark theme")).click()
    expect(offline.locator("html")).to_have_attribute("data-theme", "dark")
    offline.get_by_role("link", name="HyDE", exact=False).first.click()  # and stays so on the next one
    expect(offline.get_by_role("heading", level=1)).to_have_text("HyDE")
    expect(offline.locator("html")).to_have_attribute("data-theme", "dark")
