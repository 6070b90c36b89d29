"""Where the nodes and arrows of a strategy's diagram stand."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest

from core.drawings.layout import (
    ACROSS,
    DOT,
    DOWN,
    END,
    NARROW,
    SLIM,
    START,
    Geometry,
    lanes,
    layering,
    layout,
    path,
)
from core.strategies import strategies
from core.strategies.base import Diagram, Edge

SHAPES = pytest.mark.parametrize(
    "shape", [DOWN, SLIM, ACROSS, NARROW], ids=["down", "slim", "across", "narrow"]
)
LOOP = Diagram(
    {"__start__": "", "a": "First", "b": "Second", "__end__": ""},
    (Edge("__start__", "a", False), Edge("a", "b", False), Edge("b", "a", True), Edge("b", "__end__", True)),
)
EVERY = pytest.mark.parametrize("key", list(strategies()))


def points(edge: Edge, diagram: Diagram, shape: Geometry) -> list[tuple[float, float]]:
    """The points that an arrow leads along."""
    numbers = re.findall(r"-?[\d.]+", path(edge, layout(diagram, shape)[0], shape, lanes(diagram).get(edge)))
    return [(float(x), float(y)) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]


def half(node: str, shape: Geometry) -> tuple[float, float]:
    """Half the width and the height of a node."""
    return (DOT, DOT) if node in (START, END) else (shape.width / 2 - 2, shape.height / 2 - 2)


@SHAPES
@EVERY
def test_each_arrow_ends_at_the_border_of_what_it_leads_to(key: str, shape: Geometry) -> None:
    diagram = strategies()[key].diagram()
    places, _ = layout(diagram, shape)
    for edge in diagram.edges:
        x, y = points(edge, diagram, shape)[-1]
        away, up = abs(x - places[edge.target][0]), abs(y - places[edge.target][1])
        if edge.target in (START, END):
            assert max(away, up) <= DOT + 4, edge
        else:
            assert away <= shape.width / 2 + 3, edge
            assert up <= shape.height / 2 + 3, edge


@SHAPES
@EVERY
def test_no_node_covers_another_or_leaves_the_picture(key: str, shape: Geometry) -> None:
    diagram = strategies()[key].diagram()
    places, size = layout(diagram, shape)
    assert places.keys() == diagram.nodes.keys()
    for node, other in combinations(places, 2):
        apart = [abs(a - b) for a, b in zip(places[node], places[other], strict=True)]
        room = [a + b for a, b in zip(half(node, shape), half(other, shape), strict=True)]
        assert any(distance > least for distance, least in zip(apart, room, strict=True)), (node, other)
    for node, place in places.items():
        for at, own, length in zip(place, half(node, shape), size, strict=True):
            assert own <= at <= length - own, node


@SHAPES
@EVERY
def test_no_arrow_runs_through_a_node_or_out_of_the_picture(key: str, shape: Geometry) -> None:
    diagram = strategies()[key].diagram()
    places, (width, height) = layout(diagram, shape)
    for edge in diagram.edges:
        way = points(edge, diagram, shape)
        assert all(0 <= x <= width and 0 <= y <= height for x, y in way), edge
        for node in places.keys() - {edge.source, edge.target}:
            for (x1, y1), (x2, y2) in pairwise(way):
                for step in range(51):
                    x, y = x1 + (x2 - x1) * step / 50, y1 + (y2 - y1) * step / 50
                    across, up = half(node, shape)
                    inside = abs(x - places[node][0]) < across and abs(y - places[node][1]) < up
                    assert not inside, (edge, node)


@EVERY
def test_arrows_that_pass_the_same_layer_have_lanes_of_their_own(key: str) -> None:
    diagram = strategies()[key].diagram()
    layers = layering(diagram)
    for (edge, lane), (other, same) in combinations(lanes(diagram).items(), 2):
        spans = [sorted((layers[one.source], layers[one.target])) for one in (edge, other)]
        sides = {layers[one.target] <= layers[one.source] for one in (edge, other)}
        overlap = spans[0][0] < spans[1][1] and spans[1][0] < spans[0][1]
        assert lane != same or len(sides) == 2 or not overlap, (edge, other)


@SHAPES
def test_a_graph_without_steps_is_a_start_and_an_end(shape: Geometry) -> None:
    diagram = Diagram({START: "", END: ""}, (Edge(START, END, conditional=False),))
    places, (width, height) = layout(diagram, shape)
    assert places[START] != places[END]
    for x, y in points(diagram.edges[0], diagram, shape):
        assert 0 <= x <= width
        assert 0 <= y <= height


def test_arrows_that_go_back_do_not_move_a_node_down() -> None:
    assert layering(LOOP) == {"__start__": 0, "a": 1, "b": 2, "__end__": 3}


def test_a_node_that_only_leads_back_stands_above_the_end_of_the_loop() -> None:
    diagram = strategies()["self-rag"].diagram()
    layers = layering(diagram)
    assert len(set(layers.values())) == len(layers)
    assert layers["rewrite"] + 1 == layers["answer"]
    assert {(edge.source, edge.target) for edge in lanes(diagram)} == {
        ("rewrite", "retrieve"), ("grade_answer", "generate"), ("grade_answer", "answer"),
        ("evidence", "rewrite"), ("evidence", "answer"),
    }  # fmt: skip
