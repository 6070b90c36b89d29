"""How soon an explorable answers: `python -m research.explorable_answers [NAME …]`

Each is opened from a file in headless Chromium. Every handle is moved, and every button in its picture pressed: sliders
through up to a dozen places, choices and switches one after the other. Milliseconds from the event until the script is
done and the page is laid out; painting is the browser's. The first answer, which is drawing it at all, is said apart.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from core.explorables import stored
from tests.browser.conftest import FLAGS
from tests.browser.install import installed
from tests.browser.still import still
from tools.explorables import stems

TARGET_MS = 50
WIDTH = 1200
PLAY = """async () => {
  const place = document.getElementById("place")
  const inner = (root) => [...root.querySelectorAll("*")].flatMap((node) => node.shadowRoot ?? [])
  const roots = (root) => [root, ...inner(root).flatMap(roots)]
  const all = (selector) => roots(place.shadowRoot).flatMap((root) => [...root.querySelectorAll(selector)])
  const taken = []
  const timed = (act) => {
    const began = performance.now()
    act()
    place.getBoundingClientRect()
    taken.push(performance.now() - began)
  }
  const breath = () => new Promise((go) => setTimeout(go))
  for (const slider of all("input[type=range]")) {
    const [from, to, step] = [slider.min, slider.max, slider.step || 1].map(Number)
    const stride = Math.max(step, Math.ceil((to - from) / step / 12) * step)
    for (let value = from; value <= to + 1e-9; value += stride) {
      slider.value = value
      timed(() => slider.dispatchEvent(new Event("input", { bubbles: true })))
      await breath()
    }
  }
  for (const list of all("select")) {
    for (const option of [...list.options].slice(0, 12)) {
      list.value = option.value
      timed(() => list.dispatchEvent(new Event("change", { bubbles: true })))
      await breath()
    }
  }
  for (const radio of all("input[type=radio]")) {
    timed(() => radio.click())
    await breath()
  }
  const count = all("button:not(.reset)").length
  for (let at = 0; at < Math.min(count, 60); at += 1) {
    const node = all("button:not(.reset)")[at]
    if (!node || node.disabled || /Play|Pause/.test(node.textContent)) continue
    timed(() => node.click())
    await breath()
  }
  return taken
}"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="lessons; none: all")
    names = parser.parse_args().names or stems()
    print(f"milliseconds, {WIDTH} px wide; target {TARGET_MS}")
    print(f"{'explorable':28} {'first':>6} {'answers':>8} {'median':>7} {'95 %':>6} {'most':>6}")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        usual = [flag for flag in FLAGS if not flag.startswith("--js-flags")]  # scripts as fast as a reader's
        browser = playwright.chromium.launch(executable_path=installed(), args=usual)
        for stem in names:
            part = stored(stem)
            if part is None:
                continue
            file = Path(folder) / f"{stem}.html"
            file.write_text(still(part, width=WIDTH), encoding="utf-8")
            page = browser.new_page(viewport={"width": WIDTH + 32, "height": 900}, reduced_motion="reduce")
            page.goto(file.as_uri())
            first = page.evaluate("() => window.first")
            taken = sorted(page.evaluate(PLAY))
            late = taken[int(0.95 * (len(taken) - 1))]
            print(
                f"{stem:28} {first:6.0f} {len(taken):8} {statistics.median(taken):7.1f} {late:6.1f} {taken[-1]:6.1f}",
                flush=True,
            )
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
