"""Every page at every width and in both themes: nothing sticks out, nothing is broken, everything can be read."""

from __future__ import annotations

from itertools import product
from typing import Literal

import pytest

from tests.browser.conftest import App, Tab

Theme = Literal["light", "dark"]

PAGES = {
    "playground": "",
    "run": "?run=pellamar-rag-fusion-2",
    "self-rag": "?run=pellamar-self-rag-2",
    "agentic": "?run=pellamar-agentic-2",
    "comparison": "compare?comparison=pellamar-compared",
    "compare": "compare",
    "evaluate": "evaluate",
    "graph": "knowledge_graph?graph=Hypernodes (KG-RAG examples)&entity=mike+todd",
    "documents": "documents",
    "runs": "runs",
    "learn": "learn",
    "lesson": "learn?lesson=rag-fusion",
}
WIDTHS, THEMES = (1440, 800), ("light", "dark")
USUAL = {("evaluate", 800, "light")}
"""The only case of `make test`, as page, width in pixels and theme: test_axe measures a run and a comparison, too."""

FAINT = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const light = (colour) => {
    const [r, g, b] = parts(colour).slice(0, 3).map((part) => {
      const share = part / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor
      const [, , , alpha = 1] = parts(colour)
      if (alpha > 0.95) return colour
      if (alpha > 0) return null // tinted: what is behind shines through
    }
    return "rgb(255, 255, 255)"
  }
  const faint = []
  for (const node of document.querySelectorAll("[data-testid=stMain] :is(p, li, h1, h2, h3, h4, h5, td, th)")) {
    const text = node.textContent.trim()
    if (!text || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    if (node.closest("[disabled], [aria-disabled=true], [data-testid=stSlider]")) continue // values stand above it
    const [front, back] = [getComputedStyle(node).color, behind(node)]
    if (!back || (parts(front)[3] ?? 1) < 1) continue
    const [one, other] = [light(front), light(back)].sort()
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    if (contrast < 4.5) faint.push(`${contrast.toFixed(2)}: ${text.slice(0, 60)}`)
  }
  return faint
}"""
"""Texts whose contrast with what is behind them is below 4.5 (WCAG 2, level AA)."""


def looks() -> list[object]:
    """Every page in every look; all but a few only in the whole matrix."""
    return [
        pytest.param(*one, id="-".join(map(str, one)), marks=() if one in USUAL else pytest.mark.thorough)
        for one in product(PAGES, WIDTHS, THEMES)
    ]


@pytest.mark.parametrize(("name", "width", "theme"), looks())
def test_a_page_fits_and_can_be_read(
    tab: Tab, scripted_app: App, name: str, width: int, theme: Theme
) -> None:
    page = tab.page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(f"{scripted_app.url}/{PAGES[name]}")
    page.wait_for_selector("[data-testid=stMain] :is(h1, h2, h3, h4, h5, button) >> visible=true")
    tab.settle(60)
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollWidth - main.clientWidth") <= 1
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.evaluate(FAINT) == []
    assert tab.errors == []
