"""The main pages in both themes, judged by axe-core: nothing that it calls serious or critical; headings in order."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from core.strategies import strategies
from core.strategies.lessons import STANDALONE
from tests.browser.conftest import App, Tab

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PAGES = {
    "playground": ("", ".st-key-ask"),
    "run": ("?run=recorded-rag-fusion", ".st-key-diagram"),
    "comparison": ("compare?comparison=recorded-compared", ".st-key-difference"),
    "replay": ("runs?run=recorded-self-rag", ".st-key-replay"),
    "lesson": ("learn?lesson=rag-fusion", ".st-key-lesson-diagram"),
}
"""Address of each, and what stands there when it is drawn."""
APP = "[data-testid=stApp]"


def faults(page: Page) -> list[str]:
    """Serious and critical violations, and headings that leave out a level: rule, where, and what to do."""
    return [
        f"{fault['id']} at {node['target']}: {node['failureSummary']}"
        for fault in Axe().run(page).response["violations"]
        if fault["impact"] in {"serious", "critical"} or fault["id"] == "heading-order"
        for node in fault["nodes"]
    ]


def judge(page: Page) -> None:
    """The page follows the system's theme, without being loaded again."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.wait_for_function(
            "([app, theme]) => getComputedStyle(document.querySelector(app)).colorScheme === theme",
            arg=[APP, theme],
        )
        assert faults(page) == [], theme


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_serious_fault(tab: Tab, builtin_app: App, name: str) -> None:
    (address, drawn), page = PAGES[name], tab.page
    page.goto(f"{builtin_app.url}/{address}")
    page.locator(drawn).first.wait_for()
    tab.settle()
    judge(page)


@pytest.mark.thorough
@pytest.mark.parametrize("key", [*strategies(), *(one.key for one in STANDALONE)])
def test_no_lesson_has_a_serious_fault(tab: Tab, builtin_app: App, key: str) -> None:
    page = tab.page
    page.goto(f"{builtin_app.url}/learn?lesson={key}")
    page.get_by_role("button", name="All lessons").wait_for()
    tab.settle()
    judge(page)
