"""A text with the borders of its chunks and what neighbouring chunks share, drawn by a component of our own that never
interprets text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import plotly.graph_objects as go
import streamlit as st

from core.cards.texts import SERIES
from core.charts.styling import styled
from core.errors import LoupeError
from core.runs.allowances import ONLY_THE_TEACHER_SPENDS
from core.runs.sources.context_writing import (
    NEEDS_ENDPOINT,
    PROMPT,
    ContextForecast,
    ContextOptions,
    said_forecast,
)
from core.runs.workbench import Workbench
from core.skills.base import MODEL
from core.skills.situate import SITUATE
from core.trace.passages import Passage
from core.ui.forms.prompts import edited_prompts, prompts_fold, prompts_in_use
from core.ui.shell import session
from core.ui.shell.assets import drawing
from core.ui.shell.safe import literal
from core.ui.shell.widgets import reading_aid


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


NONE, WRITTEN = "None", "Written by the model"
HELP = (
    "One or two sentences that say what a chunk is about: whom “he” means, which year, which section. Vector and "
    "keywords of the chunk count them; answers are given the chunk alone. They help where chunks lean on what stands "
    "before them, and cost a model call for up to twelve chunks of a document. A document of one chunk needs none."
)
FORECAST_HELP = (
    "Tokens sent are those of the documents, counted as the embedding model does, with the prompt; written ones and "
    "time are judged by this model's earlier calls. Replies are kept: what is stopped or fails goes on from there."
)
_FORECASTS = "context-forecasts"


def contexts_choice(
    bench: Workbench, key: str, mark: Hashable, forecast: Callable[[str], ContextForecast] | None
) -> ContextOptions | None:
    """The choice; None: no contexts.

    Args:
        bench: Says which model there is.
        key: Ends the keys of the widgets.
        mark: The same as long as the forecast is.
        forecast: What it will take, by the name of the model; reads documents. None: none are chosen yet.
    """
    builtin = session.kind_for_work(bench).builtin
    may = bench.allowances.may_spend(session.user(bench), session.chat_for_work(bench))
    chosen = st.segmented_control(
        "Context for each chunk",
        [NONE, WRITTEN],
        default=NONE,
        required=True,
        key=f"contexts-{key}",
        help=HELP,
        disabled=builtin or not may,
    )
    if builtin or not may:
        st.caption(f":material/lock: {NEEDS_ENDPOINT if builtin else ONLY_THE_TEACHER_SPENDS}")
        return None
    if chosen != WRITTEN:
        return None
    used = prompts_in_use([SITUATE], {SITUATE.key: MODEL})
    prompts_fold(used)
    _forecast(bench, mark, forecast)
    return own_contexts(bench)


def own_contexts(bench: Workbench) -> ContextOptions:
    """How this session has contexts written: by its endpoint and its prompt."""
    used = prompts_in_use([SITUATE], {SITUATE.key: MODEL})
    return ContextOptions(session.chat_for_work(bench), edited_prompts(used).get(PROMPT, ""))


def _forecast(bench: Workbench, mark: Hashable, forecast: Callable[[str], ContextForecast] | None) -> None:
    if forecast is None:
        st.caption(":material/schedule: Choose files to see what it will take.")
        return
    model = session.chat_for_work(bench).name(bench.settings)
    kept: tuple[Hashable, ContextForecast] | None = st.session_state.get(_FORECASTS)
    if kept is None or kept[0] != (mark, model):
        try:
            with st.spinner("Counting…"):
                kept = ((mark, model), forecast(model))
        except LoupeError as error:
            st.warning(literal(str(error)))
            return
        st.session_state[_FORECASTS] = kept
    st.caption(f":material/schedule: {literal(said_forecast(kept[1]))}", help=FORECAST_HELP)
