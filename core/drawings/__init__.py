"""Drawings of our own, as CSS and JavaScript: the page and a report draw with the same ones.

Each script is a module whose default export takes plain data and the element to draw in, and puts text there
without interpreting it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

STYLES = {
    "goals": ("picture", "goals"),
    "links": ("picture", "links"),
    "playback": ("network", "playback"),
    "pool": ("picture", "pool"),
    "turns": ("picture", "turns"),
    "walk": ("picture", "walk"),
    "ways": ("picture", "ways"),
}
"""Styles of the drawings that do not simply have one of their own name."""
PIECES = {
    "fusion_flow": ("picture",),
    "goals": ("picture",),
    "links": ("picture",),
    "network": ("graph",),
    "picker": ("pictograms",),
    "playback": ("graph",),
    "pool": ("picture",),
    "presenter": ("votes",),
    "turns": ("picture",),
    "walk": ("picture",),
    "ways": ("picture",),
}
"""Scripts that some drawings share; they come before the drawing's own."""
HOLDS = {
    "explore_agentic": ("goals",),
    "explore_chain": ("links",),
    "explore_corrective": ("turns",),
    "explore_ircot": ("turns",),
    "explore_kg_rag": ("ways",),
    "explore_linked_passages": ("walk",),
    "explore_multi_query": ("pool",),
    "explore_rag_fusion": ("fusion_flow",),
    "explore_search_o1": ("turns",),
    "explore_self_rag": ("turns",),
    "explore_step_back": ("pool",),
    "presenter": (
        "fusion_flow",
        "goals",
        "links",
        "moves",
        "pool",
        "route",
        "turns",
        "walk",
        "ways",
    ),
}
"""Drawings that a drawing has in it, see `scoped`: the pictures of strategies."""
EXPLORABLE = "explore_"
"""Drawings whose name begins so are pictures with handles: they share a style and scripts of their own."""
SCALE = "--rem"
"""The size of type in a drawing that another one holds, as a property of CSS: there `rem` is that of the page."""
_REM = re.compile(r"(?<![\d.])(-?(?:\d+(?:\.\d*)?|\.\d+))rem\b")


@dataclass(frozen=True)
class Drawing:
    """A drawing without the pieces that all of them share (`parts.js`)."""

    css: str
    js: str


@cache
def source(name: str) -> str:
    """Text of one of the files.

    Raises:
        FileNotFoundError: There is none of that name.
    """
    return (resources.files(__name__) / name).read_text(encoding="utf-8")


def drawing(name: str) -> Drawing:
    """The drawing of that name, e.g. `grid`; rules of style are a file of its own, where it has any."""
    folder = resources.files(__name__)
    handled = name.startswith(EXPLORABLE)
    styles = [f"{style}.css" for style in (("explorable", name) if handled else STYLES.get(name, (name,)))]
    css = "".join(source(style) for style in styles if (folder / style).is_file())
    pieces = ("picture", "plot", "explorable") if handled else PIECES.get(name, ())
    js = "".join(source(f"{script}.js") for script in (*pieces, name))
    if held := HOLDS.get(name):
        js = scoped({one: Drawing(_scaled(drawing(one).css), drawing(one).js) for one in held}) + js
    return Drawing(css, js)


def scoped(held: Mapping[str, Drawing]) -> str:
    """A script that makes `drawings` of them: name -> `css`, and `draw` in a scope of its own."""
    made = (
        f"drawings.{name} = {{ css: {json.dumps(one.css)}, draw: (() => {{\n"
        f"{one.js.replace('export default function', 'return function')}\n}})() }}"
        for name, one in held.items()
    )
    return "\n".join(["const drawings = {}", *made, ""])


def _scaled(css: str) -> str:
    """Rules whose lengths follow `SCALE`; conditions, which know no properties, stay as they are."""
    lines = (
        line if line.startswith("@") else _REM.sub(rf"calc(\1 * var({SCALE}, 1rem))", line)
        for line in css.splitlines()
    )
    return "\n".join(lines)
