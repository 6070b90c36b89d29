"""Where the nodes of a knowledge graph come to stand: the drawing itself, with vis-network, under node."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import pytest

from core.drawings import FOLDER
from core.drawings.network import Network, NetworkEdge, NetworkNode
from core.drawings.network_drawing import build_drawing
from tests.examples.networks import HOSTILE, big, hostile
from tests.unit.drawings.node import evaluated

LIBRARY = FOLDER.parents[1] / "static" / "vis-network.min.js"
SHOW = """async ({ Picture, library }, address, drawings, still) => {
  const picture = new Picture(await library(address), document.createElement("div"), () => {}, still)
  const shown = []
  for (const drawing of drawings) {
    await picture.show(drawing, { kinds: [] }, () => "grey")
    shown.push({
      places: picture.network.getPositions(),
      ends: Object.fromEntries(picture.edges.getIds().map((id) => [id, picture.network.getConnectedNodes(id)])),
      labels: Object.fromEntries(picture.nodes.get().map((node) => [node.id, node.label ?? node.name])),
      titles: picture.nodes.get().flatMap((node) => node.title?.childNodes ?? []),
    })
  }
  return shown
}"""


class Shown(NamedTuple):
    """A graph on the page, by the ids of its nodes and edges."""

    places: dict[str, dict[str, float]]
    ends: dict[str, list[str]]
    """Both ends of each edge, the one that it leaves first."""
    labels: dict[str, str]
    titles: list[str]
    """Texts that are shown over nodes; what is an element has no text here."""


def show(*networks: Network, still: bool = False) -> list[Shown]:
    """The graphs, drawn in one place one after the other."""
    drawings: list[dict[str, Any]] = []
    for network in networks:
        drawn = build_drawing(network, still=still)
        drawings.append({"nodes": drawn.nodes, "edges": drawn.edges, "options": drawn.options})
    (shown,) = evaluated([(FOLDER / "graph.js", SHOW, [LIBRARY.as_uri(), drawings, still])], page=True)
    return [Shown(**graph) for graph in shown]


@cache
def first(count: int) -> Shown:
    return show(big(count))[0]


def distance(shown: Shown, node: str, other: str) -> float:
    here, there = shown.places[node], shown.places[other]
    return math.dist((here["x"], here["y"]), (there["x"], there["y"]))


def covered(shown: Shown, network: Network) -> list[tuple[str, str]]:
    """Pairs of nodes of which one lies on the other."""
    radius = {node["id"]: node["size"] for node in build_drawing(network).nodes}
    pairs = combinations(shown.places, 2)
    return [
        (node, other) for node, other in pairs if distance(shown, node, other) < radius[node] + radius[other]
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 12, 30, 80])
def test_every_node_has_a_place_of_its_own_and_every_edge_its_ends(count: int) -> None:
    network, shown = big(count), first(count)
    assert shown.places.keys() == {f"#{node.key}" for node in network.nodes}
    assert all(math.isfinite(value) for place in shown.places.values() for value in place.values())
    assert covered(shown, network) == []
    # An edge that ends where it begins has one end.
    expected = {id_: [f"#{key}" for key in dict.fromkeys(ends)] for id_, ends in ends_of(network).items()}
    assert {id_: list(dict.fromkeys(ends)) for id_, ends in shown.ends.items()} == expected


def ends_of(network: Network) -> dict[str, tuple[str, str]]:
    """Ends of the edges of a graph by the ids they have in its drawing."""
    return {f"#{edge.key}": (edge.src, edge.dst) for edge in network.edges}


def test_the_same_graph_is_laid_out_the_same() -> None:
    assert show(big(30))[0] == first(30)


def test_what_is_joined_to_stands_nearer_than_what_is_not() -> None:
    network, shown = big(30), first(30)
    joined = {frozenset(ends) for ends in ends_of(network).values() if ends[0] != ends[1]}
    near: list[float] = []
    far: list[float] = []
    for node, other in combinations([node.key for node in network.nodes], 2):
        (near if {node, other} in joined else far).append(distance(shown, f"#{node}", f"#{other}"))
    assert sum(near) / len(near) < 0.8 * sum(far) / len(far)


def test_what_stays_on_a_graph_stays_where_it_is() -> None:
    network = big(12)
    new = NetworkNode("new", "New")
    grown = Network((*network.nodes, new), (*network.edges, NetworkEdge("to new", "n3", "new", "leads to")))
    before, after, again = show(network, grown, network)
    for id_, place in before.places.items():
        assert after.places[id_] == pytest.approx(place)
    assert again.places == {id_: after.places[id_] for id_ in before.places}
    assert after.ends["#to new"] == ["#n3", "#new"]
    assert covered(after, grown) == []
    nearest = sorted(before.places, key=lambda id_: distance(after, id_, "#new"))
    assert "#n3" in nearest[:3]


def test_another_graph_in_the_same_place_leaves_nothing_of_the_one_before() -> None:
    alone = Network((NetworkNode("alone", "Alone"),), ())
    shown = show(big(12), alone, big(12), Network((), ()))
    assert shown[1].places.keys() == {"#alone"}
    assert shown[2] == first(12)
    assert (shown[3].places, shown[3].ends) == ({}, {})


def test_places_that_are_given_are_kept() -> None:
    network = big(12)
    placed = replace(
        network,
        nodes=tuple(replace(node, x=100.0 * at, y=-50.0 * at) for at, node in enumerate(network.nodes)),
    )
    fewer = replace(placed, nodes=placed.nodes[:4])
    for shown, drawn in zip(show(placed, fewer, placed, still=True), (placed, fewer, placed), strict=True):
        assert shown.places == {f"#{node.key}": {"x": node.x, "y": node.y} for node in drawn.nodes}


def test_hostile_names_are_the_text_that_is_painted() -> None:
    network = hostile()
    (shown,) = show(network)
    drawn = {node["id"]: node["label"].strip() for node in build_drawing(network).nodes}
    assert shown.labels == drawn
    assert all(isinstance(title, str) for title in shown.titles)
    assert HOSTILE[0].split()[0] in {title.split()[0] for title in shown.titles}
    assert shown.places.keys() == drawn.keys()
    assert covered(shown, network) == []
