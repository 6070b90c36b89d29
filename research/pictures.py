"""How long the pictures of strategies take to draw, and how tall they are.

    python -m research.pictures [RUN.jsonl …] [--shots FOLDER] [--widths 340 760 1000]

Each picture is drawn on an empty page in headless Chromium: milliseconds until its script is done and the page is laid
out, the median of several pages and the best. Without files these are the runs that come with the app, and the tests'
examples.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from core.cards.kind import Picture, Scene
from core.cards.parts import Drawing
from core.cards.stage import picture
from core.cards.texts import QUIET
from core.runs.gallery import PIECES
from core.runs.record import record
from core.runs.transfer import from_lines
from core.strategies import strategies
from core.trace.events import Event
from tests.browser.conftest import FLAGS
from tests.browser.install import installed
from tests.browser.still import still
from tests.examples import RUNS

PAGES = 5
"""Drawn per picture and width; the median is said."""


def pictures(files: list[Path]) -> Iterator[tuple[str, Picture]]:
    """The pictures of these runs, by a name for each."""
    shipped = [piece.file for piece in PIECES if len(piece.requests) == 1]
    made: dict[str, list[Event]] = {
        file.stem: from_lines(file.name, file.read_bytes()) for file in files or shipped
    }
    made |= {f"example-{name}": run() for name, run in RUNS.items()} if not files else {}
    for name, events in made.items():
        found = record(events)
        known = strategies().get(found.started.strategy) if found.started else None
        if shown := picture(Scene(found, known.colour if known else QUIET, "run")):
            yield name, shown


def measured(browser: Browser, part: Drawing, width: int, shot: Path | None) -> tuple[list[float], int]:
    """Milliseconds of each page, and pixels from top to bottom."""
    taken: list[float] = []
    height = 0
    for turn in range(PAGES):
        page = browser.new_page(viewport={"width": width + 32, "height": 900})
        page.set_content(still(part, width=width, dark=turn == 1))
        taken.append(page.evaluate("() => window.first"))
        height = page.evaluate("() => document.getElementById('place').offsetHeight")
        if shot and turn < 2:
            page.wait_for_timeout(300)
            page.screenshot(path=shot.with_stem(f"{shot.stem}{'-dark' if turn else ''}"), full_page=True)
        page.close()
    return taken, height


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--shots", type=Path)
    parser.add_argument("--widths", nargs="*", type=int, default=[340, 760, 1000])
    parser.add_argument("--only", default="", help="drawings of this name")
    arguments = parser.parse_args()
    if arguments.shots:
        arguments.shots.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        for name, shown in pictures(arguments.runs):
            for part in shown.parts:
                if not isinstance(part, Drawing) or arguments.only not in ("", part.name):
                    continue
                for width in arguments.widths:
                    shot = arguments.shots / f"{name}-{width}.png" if arguments.shots else None
                    taken, height = measured(browser, part, width, shot)
                    print(
                        f"{name:32} {part.name:14} {width:5} px wide {height:5} px tall "
                        f"{statistics.median(taken):6.1f} ms, at best {min(taken):.1f}",
                        flush=True,
                    )
        browser.close()


if __name__ == "__main__":
    main()
