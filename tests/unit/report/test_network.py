"""The exported drawing of a graph: its own scripts alone run, names are data, and nothing in it links anywhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re

from core.drawings.network import Network
from core.report import network_report
from tests.examples.networks import hostile
from tests.hostile import EVIL


def test_only_its_own_scripts_run_and_names_are_data() -> None:
    page = network_report(hostile(), EVIL)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    assert len(scripts) == 2
    assert f"default-src 'none'; script-src {allowed};" in html.unescape(page)
    assert "<script>alert('script')" not in page
    assert not re.search(r"<(?:script|link|img)\b[^>]*https?:", page)
    (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page)
    assert len(json.loads(data)["nodes"]) == len(hostile().nodes)


def test_an_empty_graph_is_a_page_too() -> None:
    assert '"nodes":[]' in network_report(Network((), ()), "Empty")
