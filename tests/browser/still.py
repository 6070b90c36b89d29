"""A drawing on a page of its own, without the app: for tests of scripts, for looking, and for measuring them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from core.cards.parts import Drawing
from core.drawings import FOLDER, drawing_style
from core.drawings.modules import bundle

PAGE = """<!doctype html><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A drawing</title><style>%(style)s</style>
<body style="padding: 16px"><div id="place" style="width: %(width)spx"></div><script type="module">
%(script)s
</script>"""
SCRIPT = """import { element } from "./parts.js"
import draw from "./%(name)s.js"
const place = document.getElementById("place")
const inside = place.attachShadow({ mode: "open" })
const sheet = new CSSStyleSheet()
sheet.replaceSync(%(css)s)
inside.adoptedStyleSheets = [sheet]
inside.append(element("div", "root"))
window.put = (data) => {
  const began = performance.now()
  draw({ data, parentElement: inside })
  place.getBoundingClientRect()
  return performance.now() - began
}
window.first = put(%(data)s)
"""


def still(part: Drawing, *, width: int = 760, dark: bool = False) -> str:
    """A page with one drawing, as wide as this, in one of the app's themes.

    `window.first` is how many milliseconds drawing and layout took; `window.put(data)` draws it again.
    """
    entry = FOLDER / "still.js"
    css = script_text(drawing_style(part.name))
    script = SCRIPT % {"name": part.name, "css": css, "data": script_text(part.data)}
    return PAGE % {"style": _theme(dark=dark), "width": width, "script": bundle(entry, {entry: script})}


def script_text(value: str | Mapping[str, Any]) -> str:
    """A value as it can stand in a script."""
    return json.dumps(value).replace("<", "\\u003c")


def _theme(*, dark: bool) -> str:
    assets = resources.files("core.report") / "assets"
    light = (assets / "report.css").read_text(encoding="utf-8")
    return light + (f":root {{ {(assets / 'dark.css').read_text(encoding='utf-8')} }}" if dark else "")
