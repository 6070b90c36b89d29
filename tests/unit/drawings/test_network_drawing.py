"""Drawings that pyvis builds of a graph: their text is safe, and their looks tell states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from core.drawings import FOLDER
from core.drawings.network import Network, NetworkEdge, NetworkNode
from core.drawings.network_drawing import LABEL, build_drawing, network_drawing, short
from tests.examples.networks import big, hostile


def test_the_same_content_is_built_once() -> None:
    network = big(20)
    drawn = network_drawing(network)
    assert network_drawing(big(20)) is drawn
    other = network_drawing(replace(network, edges=network.edges[1:]))
    assert len(other.edges) == len(drawn.edges) - 1
    kept = network_drawing.cache_info().maxsize
    assert kept is not None
    assert kept < 100


def test_names_are_cut_and_lose_what_disturbs_other_lines() -> None:
    assert short("x" * 10_000) == "x" * (LABEL - 1) + "…"
    assert short("\u202ea\x00 \n b_c") == "a b_c"
    drawn = build_drawing(hostile())
    for one in [*drawn.nodes, *drawn.edges]:
        words = f"{one['label']}{one.get('title', '')}{one.get('kind', '')}"
        assert "\x00" not in words
        assert "\u202e" not in words
    nameless = build_drawing(Network((NetworkNode("key", ""),), ())).nodes[0]
    assert nameless["label"] == " "  # and not its key


def test_no_id_is_a_name_that_every_object_has() -> None:
    drawn = build_drawing(hostile())
    assert all(one["id"].startswith("#") for one in [*drawn.nodes, *drawn.edges])
    assert {end for edge in drawn.edges for end in (edge["from"], edge["to"])} <= {
        node["id"] for node in drawn.nodes
    }


def test_edges_are_directed_and_have_both_ends() -> None:
    nodes = (NetworkNode("a", "A"), NetworkNode("b", "B"))
    edges = (
        NetworkEdge("1", "a", "b", "lives_in"),
        NetworkEdge("2", "b", "a", ""),
        NetworkEdge("3", "a", "nobody", "lost"),
    )
    there, back = build_drawing(Network(nodes, edges)).edges
    assert (there["from"], there["to"], there["arrows"], there["label"]) == ("#a", "#b", "to", "lives in")
    assert back["arrows"] == {"to": {"enabled": False}}
    # Both leave the straight line to their own left, so neither hides the other.
    assert there["smooth"] == back["smooth"] == {"enabled": True, "type": "curvedCCW", "roundness": 0.09}


def test_states_are_told_by_sign_and_line_as_well_as_by_colour() -> None:
    start, dead, candidate, plain = build_drawing(
        Network(
            (
                NetworkNode("a", "A", "person", state="start"),
                NetworkNode("b", "B", "person", state="dead"),
                NetworkNode("c", "C", "person", state="candidate"),
                NetworkNode("d", "D", "person"),
            ),
            (),
        )
    ).nodes
    assert [node["label"] for node in (start, dead, candidate, plain)] == ["▶ A", "✗ B", "C", "D"]
    assert start["color"]["background"] == plain["color"]["background"] == "kind"
    assert (start["borderWidth"], start["color"]["border"]) == (4, "text")
    assert dead["shapeProperties"]["borderDashes"]
    assert candidate["color"]["border"] == "faint"
    assert "borderWidth" not in plain


def test_where_all_have_their_place_colours_tell_states() -> None:
    placed = NetworkNode("a", "A", "person", state="chosen", x=10, y=20)
    drawn = build_drawing(Network((placed,), ()), still=True)
    (node,) = drawn.nodes
    assert (node["x"], node["y"], node["color"]["background"]) == (10, 20, "lit")
    assert drawn.options["physics"] == {"enabled": False}


def test_kinds_are_those_of_entities_the_most_frequent_first() -> None:
    nodes = [NetworkNode(f"{place}", "x", kind) for place, kind in enumerate(("city", "film", "film", ""))]
    statement = NetworkNode("s", "(x)-[y]->(z)", "Statement", hypernode=True)
    assert build_drawing(Network((*nodes, statement), ())).kinds == ("film", "city")


def test_the_page_knows_all_colours_that_are_named() -> None:
    drawn = build_drawing(hostile())
    named = {name for one in [*drawn.nodes, *drawn.edges] for name in _names(one)}
    named |= {name for part in ("nodes", "edges") for name in _names(drawn.options[part])}
    assert {"text", "kind", "lit", "red", "font"} <= named
    paints = re.search(
        r"function paints.*?^}", (FOLDER / "graph.js").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert paints is not None
    assert named - {"kind", "lit"} <= set(re.findall(r"^    (\w+):", paints[0], re.MULTILINE))


def _names(item: dict[str, Any]) -> Iterator[str]:
    """Names of colours and of the font in a look."""
    for part in (item.get("color", {}), item.get("font", {})):
        for value in part.values():
            yield from (_names({"color": value}) if isinstance(value, dict) else ())
            if isinstance(value, str):
                yield value
