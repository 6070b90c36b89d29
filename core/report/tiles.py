"""Questions × settings as tiles of a report, coloured as on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.charts.differences import number
from core.charts.evaluation_grid import SCALE, hardest_first
from core.charts.evaluation_table import Look
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.measures import Metric, Scores, metric
from core.evaluation.statistics import values_of


@dataclass(frozen=True)
class Tile:
    """One question through one setting."""

    x: float
    """In percent of the width."""
    colour: str
    text: str
    """For a hover."""


@dataclass(frozen=True)
class Tiles:
    """A row of tiles per setting, the questions that are hardest for all first."""

    metric: Metric
    width: float
    """Width of a tile, in percent."""
    rows: Sequence[tuple[str, str, Sequence[Tile]]]
    """Mark and label of the setting, and its tiles."""


def tiles(found: Scores, key: str, questions: Sequence[LabelledQuestion], look: Mapping[str, Look]) -> Tiles:
    """The tiles of one metric that lies between 0 and 1."""
    texts = {question.id: question.text for question in questions}
    values = values_of(found, key)
    order = hardest_first(values, descending=metric(key).good == "low")
    step = 100 / max(1, len(order))
    return Tiles(
        metric(key),
        step * 0.94,
        [
            (
                look[label].mark,
                label,
                [
                    Tile(place * step, shade(by[one]), f"{number(key, by[one])}: {texts[one]}")
                    for place, one in enumerate(order)
                    if one in by
                ],
            )
            for label, by in values.items()
        ],
    )


def shade(value: float) -> str:
    """The colour of a value between 0 and 1, as `#rrggbb`."""
    for (start, first), (end, last) in pairwise(SCALE):
        if value <= end:
            part = (max(value, start) - start) / (end - start)
            pairs = zip(_channels(first), _channels(last), strict=True)
            return "#" + "".join(f"{round(one + part * (other - one)):02x}" for one, other in pairs)
    return SCALE[-1][1]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
