"""The exported graph: its own scripts carry the nonce, and nothing in it links anywhere."""

from __future__ import annotations

import re

from core.drawings.network import Network
from core.drawings.network_html import network_html
from tests.examples.networks import hostile


def test_its_own_scripts_carry_the_nonce_and_names_are_data() -> None:
    page = network_html(hostile())
    nonce = re.search(r"script-src 'nonce-([\w-]+)'", page)
    assert nonce is not None
    assert page.count(f'nonce="{nonce[1]}"') == 4
    assert "default-src 'none'" in page
    assert not re.search(r"<(?:script|link)\b[^>]*https?:", page)
    assert "<script>alert('script')" not in page
    assert nonce[1] not in network_html(hostile())
    titles = re.findall(r'"title": "((?:[^"\\]|\\.)*)"', page)
    assert len(titles) > 8
    assert not any("href" in title.lower() for title in titles)


def test_an_empty_graph_is_a_page_too() -> None:
    assert "vis.DataSet([])" in network_html(Network((), ()))
