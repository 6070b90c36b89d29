"""A text with the borders of its chunks and what neighbouring chunks share, drawn by a component of our own that never
interprets text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import plotly.graph_objects as go

from core.cards.texts import SERIES
from core.charts.styling import styled
from core.trace.passages import Passage
from core.ui.shell.assets import drawing
from core.ui.shell.theme import reading_aid


@dataclass(frozen=True)
class Stretch:
    """A stretch of text within which nothing begins or ends; raw text."""

    text: str
    chunk: int | None
    """Number, from 1, of the chunk that holds it, the first one of several; None: white space between chunks."""
    shared: bool
    """Whether the next chunk holds it too."""
    begins: int | None
    """Number, from 1, of the chunk that begins here."""


def stretches(text: str, chunks: Sequence[Passage], offset: int = 0) -> tuple[Stretch, ...]:
    """A text cut wherever a chunk begins or ends.

    Args:
        text: The text, or a part of it.
        chunks: Those that lie in it, in order; their `start` and `end` count from the document's beginning.
        offset: Where in the document `text` begins.
    """
    spans = [
        (max(0, chunk.start - offset), min(len(text), chunk.end - offset), chunk.position + 1)
        for chunk in chunks
    ]
    borders = sorted({0, len(text), *(place for start, end, _ in spans for place in (start, end))})
    begins = {start: number for start, _, number in reversed(spans)}
    found: list[Stretch] = []
    for start, end in pairwise(borders):
        holders = [number for first, last, number in spans if first <= start and end <= last]
        found.append(
            Stretch(text[start:end], min(holders, default=None), len(holders) > 1, begins.get(start))
        )
    return tuple(found)


def lengths_chart(histogram: Sequence[tuple[int, int]], width: int) -> go.Figure:
    """How long the chunks are.

    Args:
        histogram: Lower bound of each class of lengths, and the number of chunks in it.
        width: Of a class, in tokens.
    """
    figure = go.Figure()
    figure.add_bar(
        x=[bound + width / 2 for bound, _ in histogram],
        y=[count for _, count in histogram],
        width=width * 0.9,
        marker_color=SERIES[0],
        customdata=[f"{bound} to {bound + width - 1}" for bound, _ in histogram],
        hovertemplate="%{customdata} tokens. Chunks: %{y}<extra></extra>",
    )
    styled(figure, 210, showlegend=False)
    figure.update_xaxes(title="Tokens in a chunk", rangemode="tozero")
    figure.update_yaxes(title="Chunks", rangemode="tozero", tickformat="d")
    return figure


def draw_chunks(text: Sequence[Stretch], key: str, *, chosen: int | None = None) -> None:
    """A text with a number where each chunk begins; the chosen chunk is underlined and scrolled to."""
    data = {"stretches": [asdict(stretch) for stretch in text], "chosen": chosen}
    drawing("chunks")(data=data, key=f"chunks-{key}")
    reading_aid(
        "A number marks where a chunk begins, and neighbours differ in colour; "
        "striped text is in two chunks at once: their overlap."
    )
