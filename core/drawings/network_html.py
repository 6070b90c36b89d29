"""A graph as one HTML file that needs nothing else, made by pyvis and then made safe.

pyvis trusts what it is given: it puts titles that hold “href” into the page as HTML, and links two files of a content
delivery network even when everything is to be in line.
"""

from __future__ import annotations

import json
import re
import secrets

from core.cards.colours import QUIET, SERIES
from core.drawings.network import Network, NetworkEdge, NetworkNode

LABEL = 28
"""Characters of a name that are drawn; all of them are shown on hover."""
RED = "#C0392B"
LIT = "#0072B2"
OPTIONS = {
    "layout": {"improvedLayout": False, "randomSeed": 7},
    "physics": {"stabilization": {"iterations": 100}, "barnesHut": {"springLength": 150}},
    "edges": {"smooth": False, "arrows": {"to": {"enabled": True}}, "font": {"strokeWidth": 4}},
    "interaction": {"navigationButtons": False, "keyboard": False},
}
_OWN_SCRIPT = re.compile(r"(?m)^(\s*)<script( type=\"text/javascript\")?>")
_LINKED = re.compile(r"(?m)^\s*<(?:script|link)\s[^>]*https?://[^>]*>(?:\s*</script>)?")
_ZERO_WIDTH = "\u200b"


def network_html(network: Network) -> str:
    """The drawing as a page of its own, which asks for nothing and runs no script but its own.

    Args:
        network: What to show; names may hold anything.

    Returns:
        HTML; about 1 MB, most of it vis-network.
    """
    from pyvis.network import Network as Drawing

    drawing = Drawing(height="96vh", width="100%", directed=True, cdn_resources="in_line")
    kinds = list(dict.fromkeys(node.kind for node in network.nodes if node.kind))
    for node in network.nodes:
        drawing.add_node(node.key, **_node(node, kinds))
    known = {node.key for node in network.nodes}
    for edge in network.edges:
        if edge.src in known and edge.dst in known:
            drawing.add_edge(edge.src, edge.dst, **_edge(edge))
    drawing.set_options(json.dumps(OPTIONS))
    return _safe(drawing.generate_html(notebook=False))


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


def _text(text: str, limit: int | None = None) -> str:
    """Text in one line that pyvis does not take for HTML."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if limit is not None and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return re.sub("(?i)href", lambda found: f"{found[0][0]}{_ZERO_WIDTH}{found[0][1:]}", line)


def _node(node: NetworkNode, kinds: list[str]) -> dict[str, object]:
    colour = SERIES[kinds.index(node.kind)] if node.kind in kinds[: len(SERIES)] else QUIET
    lit = node.state in ("start", "chosen", "path")
    own = LIT if lit else RED if node.state == "dead" else QUIET if node.state == "candidate" else colour
    box = node.hypernode or node.way
    kind = f" · {_text(node.kind)}" if node.kind else ""
    return {
        "label": _text(node.label, LABEL) or " ",
        "title": f"{_text(node.label)}{kind}",
        "shape": "box" if box else "dot",
        "color": {"background": "#f3f6f9" if box else own, "border": own},
        "borderWidth": 4 if lit else 2,
        "size": 16,
        **({} if node.x is None else {"x": node.x, "y": node.y, "physics": False}),
    }


def _edge(edge: NetworkEdge) -> dict[str, object]:
    lit = edge.state in ("start", "chosen", "path")
    return {
        "label": _text(edge.label.replace("_", " "), LABEL),
        "title": _text(edge.label),
        "color": LIT if lit else RED if edge.state == "dead" else QUIET,
        "width": 4 if lit else 2,
        "dashes": edge.part or edge.state == "dead",
    }
