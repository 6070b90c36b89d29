"""A graph as one HTML file that needs nothing else, made by pyvis and then made safe.

pyvis trusts what it is given: it puts titles that hold “href” into the page as HTML, and links two files of a content
delivery network even when everything is to be in line.
"""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from core.cards.texts import FAILED, SERIES
from core.drawings import FOLDER
from core.drawings.network import Network
from core.drawings.network_drawing import ITERATIONS, Drawn, network_drawing, painted

PAINT = {
    "text": "#17212b",
    "back": "#ffffff",
    "soft": "#f3f6f9",
    "quiet": "#55616d",
    "faint": "#aab4be",
    "red": FAILED,
    "lit": SERIES[0],
    "font": "system-ui, sans-serif",
}
"""The colours of the page's light theme."""
_OWN_SCRIPT = re.compile(r"(?m)^([^\S\n]*)<script( type=\"text/javascript\")?>")
_LINKED = re.compile(r"(?m)^[^\S\n]*<(?:script|link)\s[^<>]{0,500}https?://[^<>]{0,500}>(?:\s*</script>)?")
_ZERO_WIDTH = "\u200b"
_NAMES = """<script type="text/javascript">
const NAMED = {named};
{labels}
labels(network, () => NAMED);
</script>
</body>"""
"""Paints the names as on the page."""


def network_html(network: Network) -> str:
    """The drawing as an HTML page of about 1 MB that asks for nothing and runs only its own script; names may hold
    anything."""
    from pyvis.network import Network as Page

    drawn = network_drawing(network)
    page = Page(height="96vh", width="100%", directed=True, cdn_resources="in_line")
    kinds = dict(zip(drawn.kinds, SERIES, strict=False))
    page.nodes = [_item(node, kinds.get(node["kind"], PAINT["quiet"])) for node in drawn.nodes]
    page.edges = [_item(edge) for edge in drawn.edges]
    page.options = _options(drawn)
    labels = re.sub("(?m)^export ", "", (FOLDER / "labels.js").read_text(encoding="utf-8"))
    names = _NAMES.replace("{named}", _names(page.nodes, page.edges)).replace("{labels}", labels)
    return _safe(page.generate_html(notebook=False).replace("</body>", names, 1))


def _names(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> str:
    """Take the names out of what vis draws; returns them as a script may hold them."""
    named: dict[str, Any] = {"nodes": [], "edges": [], "paint": PAINT}
    for kind, items in (("nodes", nodes), ("edges", edges)):
        for item in items:
            name = item.get("label", "").strip()
            own = {"id": item["id"], "colour": item.get("font", {}).get("color", PAINT["text"])}
            ends = {end: item[end] for end in ("from", "to") if end in item}
            if item.get("shape") == "box":
                named[kind].append(own)  # its name is in it
                continue
            item["label"] = " "
            named[kind].append(
                own | ends | {"name": name, "first": "borderWidth" in item, "size": item.get("size", 0)}
            )
    return json.dumps(named).replace("<", "\\u003c")


def _item(item: dict[str, Any], kind: str = "") -> dict[str, Any]:
    """A node or an edge in colours of the file, with a title that pyvis does not take for HTML."""
    title = item.get("title", "").replace("\n", " · ")
    safe = re.sub("(?i)href", lambda match: f"{match[0][0]}{_ZERO_WIDTH}{match[0][1:]}", title)
    return painted(item, PAINT | {"kind": kind}) | ({"title": safe} if title else {})


def _options(drawn: Drawn) -> dict[str, Any]:
    """Looks as on the page; but a node that is dragged pulls others."""
    looks = {part: painted(drawn.options[part], PAINT) for part in ("nodes", "edges")}
    physics = {"stabilization": {"iterations": ITERATIONS}, "barnesHut": {"springLength": 150}}
    return {"layout": drawn.options["layout"], "physics": physics, **looks}


def _safe(page: str) -> str:
    """The page with a policy that lets its own scripts run and loads nothing."""
    nonce = secrets.token_urlsafe(16)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = _LINKED.sub("", page)
    # Only where a line begins with it: the library holds the word in its own text, and names are quoted by JSON.
    page = _OWN_SCRIPT.sub(rf'\1<script nonce="{nonce}"\2>', page)
    meta = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
    return page.replace('<meta charset="utf-8">', meta, 1)
