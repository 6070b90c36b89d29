"""Takes pictures of the page, to look at: both themes and two widths. A tool, no test.

python -m tests.browser.screenshots --url http://127.0.0.1:8501 --out /tmp/pictures
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.install import installed

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
TALLEST = 5000


def settle(page: Page) -> None:
    """Wait until the script has run and nothing is a skeleton."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=60_000)
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stSkeleton\"]')", timeout=60_000)
    page.wait_for_timeout(700)


def picture(page: Page, path: Path, *, whole: bool = True) -> None:
    """What fits on the screen and, if `whole`, everything that one can scroll to."""
    page.screenshot(path=path)
    if not whole:
        return
    size = page.viewport_size or {"width": 1440, "height": 900}
    height = page.evaluate("() => document.querySelector('[data-testid=\"stMain\"]').scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": min(height + 60, TALLEST)})
    page.wait_for_timeout(900)
    page.screenshot(path=path.with_stem(f"{path.stem}-whole"))
    page.set_viewport_size(size)


def ask(page: Page, strategy: str) -> None:
    """Ask the first example question."""
    page.locator(".st-key-strategy").get_by_text(strategy, exact=True).click()
    settle(page)
    page.wait_for_selector(".st-key-example input:not([disabled])", timeout=180_000)
    page.locator(".st-key-example input").click()
    page.get_by_role("option").first.click()
    settle(page)
    page.locator(".st-key-ask button").click()


def tour(browser: Browser, url: str, out: Path) -> None:
    """One run per strategy, then the last one in every width and theme."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.goto(url)
    settle(page)
    picture(page, out / "first-visit.png", whole=False)
    for strategy in ("Closed book", "Plain retrieval", "Multi-Query", "RAG-Fusion"):
        page.goto(url)
        settle(page)
        if strategy == "Closed book":
            page.locator(".st-key-question textarea").fill("Who directed the film Full Moon High?")
            page.locator(".st-key-strategy").get_by_text(strategy, exact=True).click()
            page.locator(".st-key-ask button").click()
        else:
            ask(page, strategy)
        page.wait_for_selector(".st-key-run", timeout=60_000)
        picture(page, out / f"{strategy.lower().replace(' ', '-')}-running.png", whole=False)
        page.wait_for_selector(".st-key-stop", state="detached", timeout=120_000)
        settle(page)
        picture(page, out / f"{strategy.lower().replace(' ', '-')}.png")
    run = page.url
    context.close()
    looks: tuple[tuple[int, Literal["light", "dark"]], ...] = ((1440, "dark"), (800, "light"), (800, "dark"))
    for width, theme in looks:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        page = context.new_page()
        page.goto(run)
        settle(page)
        picture(page, out / f"rag-fusion-{width}-{theme}.png")
        page.goto(f"{url}/documents")
        settle(page)
        picture(page, out / f"documents-{width}-{theme}.png", whole=False)
        context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8501")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        tour(browser, arguments.url.rstrip("/"), arguments.out)
        browser.close()


if __name__ == "__main__":
    main()
