"""The pictures of README and docs, taken from the app with its recorded model.

    python -m tools.pictures [--only NAME ...]

Starts the app with a new home and drives it in headless Chromium. `run.gif` is the page while a run of RAG-Fusion goes
on; the other files are one moment each. Look at them before they are kept: a program does not notice text that is cut.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.browser.conftest import FLAGS, start_app, stop_app
from tests.browser.install import installed

DOCS = Path(__file__).parents[1] / "docs"
SIZE = ViewportSize(width=1280, height=800)
FILM = ViewportSize(width=1100, height=720)
THIRD = ViewportSize(width=1000, height=640)
"""Of the pictures that stand side by side in README, which are drawn smaller there."""
GIF_WIDTH = 800
FRAME_MS = 400
COLOURS = 128
LAST_FRAME_MS = 4000
QUESTION = "Why does the water glow when you row at night in August?"


def ready(page: Page) -> None:
    """Wait until the script of the page has run and nothing is a skeleton."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stSkeleton\"]')")
    page.wait_for_timeout(700)


def first_visit(page: Page, url: str) -> None:
    """The start page once the demo documents are indexed."""
    page.goto(url)
    expect(page.locator(".st-key-ask button")).to_be_enabled()
    ready(page)


def choose(page: Page, url: str, strategy: str, question: str) -> None:
    """Fill the form of the Playground."""
    first_visit(page, url)
    page.locator(".st-key-strategy").get_by_text(strategy, exact=True).click()
    page.locator(".st-key-question textarea").fill(question)
    page.locator(".st-key-question textarea").press("Control+Enter")
    ready(page)


def asked(page: Page, url: str) -> None:
    """A finished run of RAG-Fusion."""
    choose(page, url, "RAG-Fusion", QUESTION)
    page.locator(".st-key-ask button").press("Enter")
    ended(page)
    ready(page)


def ended(page: Page) -> None:
    """Wait until the run on the page is done."""
    page.wait_for_url("**run=**")
    page.locator("[class*=st-key-outcome]").wait_for()
    expect(page.locator(".st-key-stop")).to_have_count(0)


def lesson(page: Page, url: str) -> None:
    """The explorable of RAG-Fusion, guessed and moved."""
    page.goto(f"{url}/learn?lesson=rag-fusion#explore=rag-fusion&k=1&guess=mixed")
    ready(page)
    page.locator(".st-key-explorable-rag-fusion").evaluate("place => place.scrollIntoView()")
    page.wait_for_timeout(1000)


def evaluation(page: Page, url: str) -> None:
    """The result of an evaluation of recorded questions."""
    page.goto(f"{url}/evaluate")
    ready(page)
    page.get_by_role("button", name="Start").press("Enter")
    page.locator(".st-key-evaluation-home").wait_for(timeout=600_000)
    ready(page)


def compared(page: Page, url: str) -> None:
    """A comparison in the presenter, with votes, after the first reveal."""
    page.goto(f"{url}/compare")
    ready(page)
    page.get_by_role("button", name="Compare", exact=True).press("Enter")
    page.get_by_role("radio", name="Presenter").or_(page.get_by_role("button", name="Presenter")).press(
        "Enter"
    )
    page.locator(".root[data-stage]").wait_for()
    for key in (" ", "a", "a", "b", "b", "b", "c", " "):
        page.keyboard.press(key)
    page.wait_for_timeout(1500)


def picture(page: Page, file: Path) -> None:
    """The window as a PNG file of few colours."""
    shot = Image.open(io.BytesIO(page.screenshot()))
    shot.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def film(page: Page, url: str, file: Path) -> None:
    """The page from the click on Ask to the end of the run, then its rank fusion and a cited passage, as a GIF."""
    choose(page, url, "RAG-Fusion", QUESTION)
    page.locator(".st-key-question").evaluate("place => place.scrollIntoView()")
    page.wait_for_timeout(500)
    shots = [page.screenshot()] * 3
    page.locator(".st-key-ask button").press("Enter")
    while not page.locator("[class*=st-key-outcome]").count():
        page.wait_for_timeout(150)
        shots.append(page.screenshot())
    ended(page)
    ready(page)
    shots += [page.screenshot()] * 5
    page.locator("[class*=st-key-step-] details[open]").first.evaluate("step => step.scrollIntoView()")
    page.wait_for_timeout(800)
    shots += [page.screenshot()] * 6
    page.locator("a[href^='#open-']").first.press("Enter")
    page.wait_for_timeout(1500)
    shots.append(page.screenshot())
    images = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    height = GIF_WIDTH * FILM["height"] // FILM["width"]
    small = [one.resize((GIF_WIDTH, height), Image.Resampling.LANCZOS) for one in images]
    together = Image.new("RGB", (GIF_WIDTH, height * len(small)))
    for place, one in enumerate(small):
        together.paste(one, (0, height * place))
    palette = together.quantize(COLOURS)
    frames = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in small]
    times = [FRAME_MS] * (len(frames) - 1) + [LAST_FRAME_MS]
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True)


STILLS: dict[str, tuple[ViewportSize, Callable[[Page, str], None]]] = {
    "first-visit.png": (SIZE, first_visit),
    "playground.png": (SIZE, asked),
    "learn.png": (THIRD, lesson),
    "teach.png": (THIRD, compared),
    "choose.png": (THIRD, evaluation),
}


def take(browser: Browser, url: str, name: str) -> None:
    """Take one picture in a browser that knows nothing yet."""
    size, show = STILLS.get(name, (FILM, None))
    # Nothing plays in a still: it is at its end.
    motion: Literal["reduce", "no-preference"] = "reduce" if name in STILLS else "no-preference"
    page = browser.new_context(viewport=size, color_scheme="light", reduced_motion=motion).new_page()
    page.set_default_timeout(120_000)
    if show is None:
        film(page, url, DOCS / name)
    else:
        show(page, url)
        picture(page, DOCS / name)
    page.context.close()


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [*STILLS, "run.gif"]
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        app = start_app(Path(home))
        try:
            browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
            for name in arguments.only:
                take(browser, app.url, name)
                print(f"{name}: {(DOCS / name).stat().st_size / 1024:.0f} KiB")
            browser.close()
        finally:
            stop_app(app)


if __name__ == "__main__":
    main()
