"""The text of SmartArt: the points of a diagram, each with those below it."""

from __future__ import annotations

from collections import defaultdict

from lxml import etree

from core.corpora.loaders.package import local_name, named

_NO_TEXT = {"doc", "pres", "parTrans", "sibTrans"}
"""Kinds of points that stand for the whole, for its looks, and for the arrows between points."""


def diagram_text(model: etree._Element) -> str:
    """The points of a diagram's data model as lines, in the order in which they are shown, indented by their level."""
    points = {point.get("modelId", ""): point for point in named(model, "pt")}
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for link in named(model, "cxn"):
        if link.get("type", "parOf") == "parOf":
            order = link.get("srcOrd", "0")
            below[link.get("srcId", "")].append(
                (int(order) if order.isdecimal() else 0, link.get("destId", ""))
            )
    roots = [key for key, point in points.items() if point.get("type") == "doc"]
    lines: list[str] = []
    seen: set[str] = set()
    # What no link leads to comes last, in the order of the file.
    stack = [(key, 0) for key in [*roots, *points][::-1]]
    while stack:
        key, level = stack.pop()
        if key in seen or key not in points:
            continue
        seen.add(key)
        text = _words(points[key])
        if text and points[key].get("type", "node") not in _NO_TEXT:
            lines.append("  " * max(0, level - 1) + text)
        stack.extend((child, level + 1) for _, child in sorted(below[key], reverse=True))
    return "\n".join(lines)


def _words(point: etree._Element) -> str:
    paragraphs = (
        "".join(node.text or "" for node in paragraph.iter() if local_name(node) == "t")
        for paragraph in named(point, "p")
    )
    return " ".join(" ".join(paragraphs).split())
