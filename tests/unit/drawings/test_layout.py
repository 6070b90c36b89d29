"""Where the arrows of a strategy's diagram end."""

from __future__ import annotations

import re

import pytest

from core.drawings.layout import ACROSS, DOT, DOWN, END, START, Geometry, lanes, layout, path
from core.strategies import strategies


@pytest.mark.parametrize("shape", [DOWN, ACROSS], ids=["down", "across"])
@pytest.mark.parametrize("key", list(strategies()))
def test_each_arrow_ends_at_the_border_of_what_it_leads_to(key: str, shape: Geometry) -> None:
    diagram = strategies()[key].diagram()
    places, _ = layout(diagram, shape)
    beside = lanes(diagram)
    for edge in diagram.edges:
        *_, x, y = map(float, re.findall(r"-?[\d.]+", path(edge, places, shape, beside.get(edge))))
        away, up = abs(x - places[edge.target][0]), abs(y - places[edge.target][1])
        if edge.target in (START, END):
            assert max(away, up) <= DOT + 4, edge
        else:
            assert away <= shape.width / 2 + 3, edge
            assert up <= shape.height / 2 + 3, edge
