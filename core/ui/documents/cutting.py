"""The cutting of documents into chunks: their size, the contexts that a model writes for them, and their borders."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

import streamlit as st

from core.corpora.entries import SENTENCES, SMALLEST_CHUNK, chunk_sizes
from core.errors import LoupeError
from core.runs.allowances import ONLY_THE_TEACHER_SPENDS
from core.runs.sources.context_forecast import ContextForecast, forecast_sentence
from core.runs.sources.context_writing import NEEDS_ENDPOINT, PROMPT, ContextOptions
from core.runs.workbench import Workbench
from core.skills.base import MODEL
from core.skills.situate import SITUATE
from core.trace.passages import Passage
from core.ui.forms.params import edited_prompts, prompts_fold, prompts_in_use
from core.ui.shell import session
from core.ui.shell.assets import drawing
from core.ui.shell.safe import literal
from core.ui.shell.widgets import reading_aid

CUTS = ("Chunks of a size", "Sentences")
NONE, WRITTEN = "None", "Written by the model"
CONTEXTS_HELP = (
    "One or two sentences that say what a chunk is about: who “he” is, which year, which section. They are searched "
    "together with the chunk; answers are given the chunk alone. They help where a chunk depends on the text before "
    "it, and cost a model call for up to twelve chunks of a document. A document of one chunk needs none."
)
FORECAST_HELP = (
    "Tokens sent are those of the documents with the prompt, as the embedding model counts them. Tokens written and "
    "time are judged by this model's earlier calls. Replies are kept: work that stops or fails goes on from there."
)


def size_sliders(bench: Workbench, key: str, first: tuple[int, int] | None = None) -> tuple[int, int]:
    """Draw the choice of size and overlap of chunks, in tokens within what the embedding model reads, or of sentences.

    `key` ends the keys of the widgets; `first` is chosen at first (None: the usual sizes).
    """
    most = bench.backends.embedder.max_tokens
    cut = st.segmented_control(
        "Cut into",
        CUTS,
        default=CUTS[first is not None and first[0] == SENTENCES],
        required=True,
        key=f"cut-{key}",
        help="Single sentences are found most precisely, and say least by themselves: have plain retrieval give them "
        "with their surroundings.",
    )
    if cut == CUTS[1]:
        return SENTENCES, 0
    usual, shared = first if first and SMALLEST_CHUNK <= first[0] <= most else chunk_sizes(most)
    left, right = st.columns(2)
    size = left.slider(
        "Chunk size (tokens)",
        SMALLEST_CHUNK,
        most,
        usual,
        key=f"size-{key}",
        help=f"At most what the embedding model reads: {most} tokens. Small chunks are found more "
        "precisely, large ones carry more of their context.",
    )
    overlap = right.slider(
        "Overlap (tokens)",
        0,
        max(1, size // 2),
        min(shared, size // 2),
        key=f"overlap-{key}",
        help="The part of a chunk's end that the next one repeats, in whole sentences, so that text at a border is "
        "found from both sides.",
    )
    return size, min(overlap, size // 2)


def contexts_choice(
    bench: Workbench, key: str, mark: Hashable, forecast: Callable[[str], ContextForecast] | None
) -> ContextOptions | None:
    """Draw the choice of contexts, with their prompt and their cost; returns None for no contexts.

    `key` ends the keys of the widgets. `forecast` reads documents, and returns the cost by the name of the model; None:
    none are chosen yet. `mark` is the same as long as the forecast is.
    """
    builtin = session.kind_for_work(bench).builtin
    may = bench.allowances.may_spend(session.user(bench), session.chat_for_work(bench))
    chosen = st.segmented_control(
        "Context for each chunk",
        [NONE, WRITTEN],
        default=NONE,
        required=True,
        key=f"contexts-{key}",
        help=CONTEXTS_HELP,
        disabled=builtin or not may,
    )
    if builtin or not may:
        st.caption(f":material/lock: {NEEDS_ENDPOINT if builtin else ONLY_THE_TEACHER_SPENDS}")
        return None
    if chosen != WRITTEN:
        return None
    prompts_fold(prompts_in_use({SITUATE.key: MODEL}))
    _draw_forecast(bench, mark, forecast)
    return own_contexts(bench)


def own_contexts(bench: Workbench) -> ContextOptions:
    """Return the way in which this session has contexts written: by its endpoint and its prompt."""
    prompts = prompts_in_use({SITUATE.key: MODEL})
    return ContextOptions(session.chat_for_work(bench), edited_prompts(prompts).get(PROMPT, ""))


def _draw_forecast(
    bench: Workbench, mark: Hashable, forecast: Callable[[str], ContextForecast] | None
) -> None:
    if forecast is None:
        st.caption(":material/schedule: Choose files to see the cost.")
        return
    model = session.chat_for_work(bench).name(bench.settings)

    def count() -> ContextForecast:
        with st.spinner("Counting…"):
            return forecast(model)

    try:
        cost = session.recall("context-forecasts", (mark, model), count)
    except LoupeError as error:
        st.warning(literal(str(error)))
        return
    st.caption(f":material/schedule: {literal(forecast_sentence(cost))}", help=FORECAST_HELP)


def draw_chunks(
    text: str, chunks: Sequence[Passage], key: str, *, offset: int = 0, chosen: int | None = None
) -> None:
    """Draw a text with a number where each chunk begins; the chosen chunk, by its number from 1, is scrolled to.

    A component of our own draws it, which never interprets text. The text may be a part of it, which begins at `offset`
    in the document; `start` and `end` of the chunks, which lie in it in order, count from the document's beginning.
    """
    spans = [
        (max(0, chunk.start - offset), min(len(text), chunk.end - offset), chunk.position + 1)
        for chunk in chunks
    ]
    borders = sorted({0, len(text), *(place for start, end, _ in spans for place in (start, end))})
    begins = {start: number for start, _, number in reversed(spans)}
    stretches = []
    for start, end in pairwise(borders):  # within a stretch, nothing begins or ends
        holders = [number for first, last, number in spans if first <= start and end <= last]
        stretches.append(
            {
                "text": text[start:end],
                "chunk": min(holders, default=None),  # None: white space between chunks
                "shared": len(holders) > 1,
                "begins": begins.get(start),
            }
        )
    drawing("chunks")(data={"stretches": stretches, "chosen": chosen}, key=f"chunks-{key}")
    reading_aid(
        "A number marks where a chunk begins, and neighbours differ in colour; "
        "striped text is in two chunks at once: their overlap."
    )
