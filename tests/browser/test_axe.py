"""The main pages in both themes, judged by axe-core: nothing that it calls serious or critical; headings in order."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from core.strategies import strategies
from core.strategies.lessons import STANDALONE
from tests.browser.conftest import App, Tab

OF_COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}
"""The only rules on which a theme bears: it changes colours and nothing else."""
THEMES: dict[Literal["light", "dark"], dict[str, list[str]] | None] = {"light": None, "dark": OF_COLOURS}
"""Theme -> options of axe-core, with the rules that are tried in it; None: all rules."""
PAGES = {
    "playground": ("", ".st-key-ask"),
    "run": ("?run=recorded-rag-fusion", ".st-key-diagram"),
    "comparison": ("compare?comparison=recorded-compared", ".st-key-difference"),
    "replay": ("runs?run=recorded-self-rag", ".st-key-replay"),
    "lesson": ("learn?lesson=rag-fusion", ".st-key-lesson-diagram"),
}
"""Address of each, and what stands there when it is drawn."""
FITS = {"run", "comparison"}
"""Pages that are looked at for their width, too, on a wide screen and on a narrow one."""
APP, MAIN = "[data-testid=stApp]", "[data-testid=stMain]"


def faults(page: Page, options: dict[str, list[str]] | None = None) -> list[str]:
    """Serious and critical violations, and headings that leave out a level: rule, where, and what to do.

    Args:
        page: Looked at as it is.
        options: axe-core's; None: all rules.
    """
    return [
        f"{fault['id']} at {node['target']}: {node['failureSummary']}"
        for fault in Axe()
        .run(page, options=options or {"resultTypes": ["violations"]})
        .response["violations"]
        if fault["impact"] in {"serious", "critical"} or fault["id"] == "heading-order"
        for node in fault["nodes"]
    ]


STILL = """async () => {
  const inside = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? inside(one.shadowRoot) : [])])
  const colours = () => inside(document.body).map((one) => getComputedStyle(one)).map((one) => [one.color, one.fill, one.backgroundColor]).join()
  const changing = () => document.getAnimations().some((one) => one.playState === "running" && one.effect.getComputedTiming().endTime < Infinity)
  let before, now
  do {
    before = now
    await new Promise((go) => setTimeout(() => requestAnimationFrame(() => setTimeout(go)), 100))
    now = colours()
  } while (now !== before || changing())
}"""  # noqa: E501
"""Waits until no colour on the page changes any more: a theme is taken up part by part, and some parts fade over."""


def judge(page: Page) -> None:
    """The page follows the system's theme, without being loaded again."""
    for theme, options in THEMES.items():
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.wait_for_function(
            "([app, theme]) => getComputedStyle(document.querySelector(app)).colorScheme === theme",
            arg=[APP, theme],
        )
        page.evaluate(STILL)
        assert faults(page, options) == [], theme


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_serious_fault_and_fits(tab: Tab, scripted_app: App, name: str) -> None:
    (address, drawn), page = PAGES[name], tab.page
    page.goto(f"{scripted_app.url}/{address}")
    page.locator(drawn).first.wait_for()
    tab.settle()
    judge(page)
    if name in FITS:
        for width in (1440, 800):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(
                "main => main.scrollWidth - main.clientWidth <= 1", arg=page.query_selector(MAIN)
            )
        assert page.locator("[data-testid=stException]").count() == 0
        assert tab.errors == []


@pytest.mark.thorough
@pytest.mark.parametrize("key", [*strategies(), *(one.key for one in STANDALONE)])
def test_no_lesson_has_a_serious_fault(tab: Tab, scripted_app: App, key: str) -> None:
    page = tab.page
    page.goto(f"{scripted_app.url}/learn?lesson={key}")
    page.get_by_role("button", name="All lessons").wait_for()
    tab.settle()
    judge(page)
