"""Where the nodes and arrows of a strategy's graph stand: layers one after the other, ways back at their side.

A diagram is laid out once: a run that goes on is drawn at every tick. Nobody may change what is returned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from core.strategies.base import Diagram, Edge

START, END = "__start__", "__end__"
DOT = 9
SIDE = 26
"""Distance between neighbours of one layer, in SVG units."""
LANE = 20
"""Distance between arrows that run beside the nodes, in SVG units."""


@dataclass(frozen=True)
class Geometry:
    """Sizes in SVG units."""

    across: bool
    """Layers from left to right instead of from top to bottom."""
    width: int
    height: int
    gap: int
    """Distance between layers."""
    letters: int
    """Characters in a line of a node's title."""
    tip: str = "tip-down"
    """Id of the tip of an arrow; both pictures are on a page, and the tips of a hidden one are drawn nowhere."""

    @property
    def along(self) -> int:
        """Size of a node in the direction of the arrows."""
        return self.width if self.across else self.height

    @property
    def beside(self) -> int:
        """Size of a node across the direction of the arrows."""
        return self.height if self.across else self.width


DOWN = Geometry(across=False, width=206, height=72, gap=38, letters=17)
SLIM = Geometry(across=False, width=128, height=84, gap=30, letters=11)
"""For three nodes or more beside one another, which would be too small to read otherwise."""
ABREAST = 3
ACROSS = Geometry(across=True, width=128, height=84, gap=26, letters=11, tip="tip-across")
NARROW = Geometry(across=True, width=124, height=84, gap=17, letters=11, tip="tip-across")
"""For more nodes than fit on a narrow page otherwise."""
MANY = 8
"""Nodes, start and end included, above which a graph is drawn narrow."""


@lru_cache(maxsize=256)
def layout(diagram: Diagram, shape: Geometry) -> tuple[dict[str, tuple[float, float]], tuple[float, float]]:
    """Centre of each node and the size of the whole."""
    layers: dict[int, list[str]] = {}
    for node, layer in layering(diagram).items():
        layers.setdefault(layer, []).append(node)
    count = widest(diagram)
    back, over = _room(diagram)
    middle = back + (count * shape.beside + (count - 1) * SIDE) / 2
    extent = 2 * middle - back + over
    places: dict[str, tuple[float, float]] = {}
    position = 0.0
    for layer in sorted(layers):
        nodes = layers[layer]
        size = 2.0 * DOT + 4 if set(nodes) <= {START, END} else shape.along
        for index, node in enumerate(nodes):
            offset = middle + (index - (len(nodes) - 1) / 2) * (shape.beside + SIDE)
            centre = position + size / 2
            places[node] = (centre, offset) if shape.across else (offset, centre)
        position += size + shape.gap
    length = position - shape.gap + 2
    return places, ((length, extent) if shape.across else (extent, length))


@lru_cache(maxsize=256)
def widest(diagram: Diagram) -> int:
    """Count the nodes that stand beside one another at most."""
    return max(Counter(layering(diagram).values()).values())


def _room(diagram: Diagram) -> tuple[float, float]:
    """Room beside the nodes for the arrows that go back, and for those that jump over layers."""
    layers = layering(diagram)
    back, over = 2, 2
    for edge, lane in lanes(diagram).items():
        room = LANE * (lane + 1) + 4
        if layers[edge.target] <= layers[edge.source]:
            back = max(back, room)
        else:
            over = max(over, room)
    return back, over


@lru_cache(maxsize=256)
def layering(diagram: Diagram) -> dict[str, int]:
    """Layer of each node: its longest way from the start, arrows that go back left out.

    A node from which every way leads back has a layer of its own before those it would stand beside: in a loop,
    what is done before the next try comes before what is done when it has succeeded.
    """
    arrows: dict[str, list[str]] = {node: [] for node in diagram.nodes}
    for edge in diagram.edges:
        arrows[edge.source].append(edge.target)
    layers = dict.fromkeys(diagram.nodes, 0)

    def visit(node: str, layer: int, way: tuple[str, ...]) -> None:
        layers[node] = max(layers[node], layer)
        for target in arrows[node]:
            if target not in (*way, node):
                visit(target, layer + 1, (*way, node))

    visit(START, 0, ())
    for node in diagram.nodes:
        returns = arrows[node] and all(layers[target] <= layers[node] for target in arrows[node])
        if returns and list(layers.values()).count(layers[node]) > 1:
            own = layers[node]
            layers = {other: layer + (other != node and layer >= own) for other, layer in layers.items()}
    return layers


@lru_cache(maxsize=256)
def lanes(diagram: Diagram) -> dict[Edge, int]:
    """For each arrow that does not lead to the next layer, its lane beside the nodes, from 0, the nearest.

    Arrows back run on one side, arrows over layers on the other; short ones are inside, and no two that pass the same
    layer share a lane.
    """
    layers = layering(diagram)
    taken: dict[bool, list[list[tuple[int, int]]]] = {True: [], False: []}
    lanes_of: dict[Edge, int] = {}
    for edge in sorted(diagram.edges, key=lambda edge: abs(layers[edge.target] - layers[edge.source])):
        low, high = sorted((layers[edge.source], layers[edge.target]))
        back = layers[edge.target] <= layers[edge.source]
        if not back and high - low == 1:
            continue
        rows = taken[back]
        lane = next(
            (i for i, row in enumerate(rows) if all(high <= begin or end <= low for begin, end in row)),
            len(rows),
        )
        if lane == len(rows):
            rows.append([])
        rows[lane].append((low, high))
        lanes_of[edge] = lane
    return lanes_of


def path(edge: Edge, places: dict[str, tuple[float, float]], shape: Geometry, lane: int | None) -> str:
    """A straight arrow to the next layer; back or over layers, a way around the side of all that it passes.

    It is laid out with layers from top to bottom; across, the two directions change places.
    """
    turned = {node: (place[1], place[0]) if shape.across else place for node, place in places.items()}
    (x1, y1), (x2, y2) = turned[edge.source], turned[edge.target]
    out, into = (DOT + 1 if node in (START, END) else shape.along / 2 for node in (edge.source, edge.target))
    points: list[tuple[str, float, float]]
    if lane is None:
        points = [("M", x1, y1 + out), ("L", x2, y2 - into - 2)]
    else:
        # Ways out below the middle of a node and ways in above it: the two are told apart. A loop of one node is
        # the only arrow that ends where it began.
        side = -1 if y2 <= y1 else 1
        dot = edge.target == END
        leaves, enters = y1 + shape.along / 6, y2 if dot else y2 - shape.along / 6
        turn = 9 if enters > leaves else -9
        first, last = x1 + side * shape.beside / 2, x2 + side * (DOT + 2 if dot else shape.beside / 2 + 1)
        passed = [x for x, y in turned.values() if min(y1, y2) <= y <= max(y1, y2)]
        outermost = max(passed) if side > 0 else min(passed)
        x = outermost + side * (shape.beside / 2 + LANE * (lane + 1))
        begin = [("M", first, leaves)]
        if side > 0 and any(y == y1 and other > x1 for other, y in turned.values()):
            # Neighbours stand in the way: it leaves below, and runs between the layers.
            leaves = y1 + out + shape.gap / 2
            begin = [("M", x1, y1 + out), ("L", x1, leaves)]
        points = [
            *begin,
            ("L", x - side * 9, leaves),
            ("Q", x, leaves),
            ("", x, leaves + turn),
            ("L", x, enters - turn),
            ("Q", x, enters),
            ("", x - side * 9, enters),
            ("L", last, enters),
        ]
    return " ".join(
        f"{name}{y:.1f} {x:.1f}" if shape.across else f"{name}{x:.1f} {y:.1f}" for name, x, y in points
    )
