"""Embeddings on a page: the map of a run, and cosines of sentences; kept for as long as the process has room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import streamlit as st

from core.cards.kind import passage_list
from core.cards.passages import passage_card
from core.charts.columns import Column
from core.charts.embedding_map import EmbeddingMap, Method, embedding_map
from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.embedding_vectors import cosine_matrix
from core.runs.record import Record
from core.runs.vectors import Role, RunVectors, run_vectors, searched_texts
from core.ui.cards.parts import draw_drawing
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place, scroll_to
from core.ui.shell.session import workbench
from core.ui.shell.widgets import reading_aid

METHODS: dict[str, Method] = {"PCA": "pca", "t-SNE": "tsne"}
SHAPES: dict[Role, str] = {
    "query": "diamonds: other queries",
    "passage": "triangles: hypothetical passages",
    "mean": "cross: what was searched with",
}
KEPT_MAPS = 32


@st.fragment
def draw_embedding_map(record: Record, key: str) -> None:
    """The map of one run."""
    draw_map([record], key)


def draw_map(records: Sequence[Record], key: str, columns: Sequence[Column] = ()) -> None:
    """The map itself, of one run or of several of one question, which are then told apart by their columns."""
    chosen = st.segmented_control(
        "Method",
        list(METHODS),
        default="PCA",
        required=True,
        key=f"map-method-{key}",
        help="PCA shows the plane in which the vectors differ most. t-SNE keeps neighbours together, and nothing else.",
    )
    embedder = workbench().backends.embedder.key
    # What was searched with is part of the key: a replay grows, a run's id stays.
    texts = tuple(item.text for record in records for item in searched_texts(record))
    try:
        vectors = _vectors(key, texts, embedder, records)
        made = _drawn(key, texts, embedder, METHODS[str(chosen)], vectors, columns)
    except LoupeError as error:
        st.info(f"No map: {literal(str(error))}", icon=":material/scatter_plot:")
        return
    _explained(made, vectors, several=bool(columns))
    event = st.plotly_chart(
        made.figure,
        key=f"map-chart-{key}-{chosen}",
        on_select="rerun",
        selection_mode="points",
        config={"displayModeBar": False, "scrollZoom": True},
        alt="What was searched with, what was found and a sample of the corpus, in two dimensions",
    )
    _opened(made, vectors, cast(Any, event), key)


def _explained(made: EmbeddingMap, vectors: RunVectors, *, several: bool) -> None:
    if made.kept is None:
        st.caption(
            "t-SNE, with a fixed seed. Near neighbours belong together; the size of a group and the distance "
            "between groups mean nothing."
        )
    else:
        st.caption(
            f"PCA keeps **{made.kept:.0%}** of the variance of {len(vectors.searched_vectors[0]):,} dimensions. "
            "Distances in two dimensions can mislead: points that lie together here may be far apart, and the "
            "search itself uses all dimensions."
        )
    if vectors.gone:
        st.caption(f"{vectors.gone} of the chunks that were found are no longer in the corpus.")
    roles = {item.role for item in vectors.searched}
    shapes = ["ring: the question"]
    shapes += [shape for role, shape in SHAPES.items() if role in roles]
    finder = "column" if several else "text"
    reading_aid(
        f"{', '.join(shapes).capitalize()}. Squares: what was found, in the colour of the first {finder} that "
        f"found it, with lines from all that did. Grey: {len(vectors.others)} other chunks. Click on a chunk to "
        "read it."
    )


def _opened(made: EmbeddingMap, vectors: RunVectors, event: Any, key: str) -> None:
    """The passages of the points that were clicked, in space kept free for them."""
    known = {passage.chunk: passage for passage in (*vectors.hits, *vectors.others)}
    found = [
        made.chunk(int(point.get("curve_number", -1)), int(point.get("point_index", -1)))
        for point in event.selection.points
    ]
    cards = [
        replace(passage_card(known[chunk], 0, None, ""), rank="■")
        for chunk in dict.fromkeys(found)
        if chunk in known
    ]
    if cards and st.session_state.get(f"map-read-{key}") != found:
        scroll_to(f"map-{key}")
    st.session_state[f"map-read-{key}"] = found
    if cards:
        scroll_place(f"map-{key}")
        draw_drawing(passage_list(cards, "map", compact=False), key)
    elif found:
        st.caption("This point is a text of the run, not a chunk.")


@st.cache_resource(max_entries=KEPT_MAPS, show_spinner="Reading vectors…")
def _vectors(run: str, texts: tuple[str, ...], embedder: str, _records: Sequence[Record]) -> RunVectors:
    return run_blocking(run_vectors(workbench().corpora, _records), timeout=60)


@st.cache_resource(max_entries=KEPT_MAPS, show_spinner="Placing points…")
def _drawn(
    run: str,
    texts: tuple[str, ...],
    embedder: str,
    method: Method,
    _vectors: RunVectors,
    _columns: Sequence[Column],
) -> EmbeddingMap:
    return embedding_map(_vectors, method, _columns)


Cosines = list[list[float]]


def cosines(texts: tuple[str, ...], pool: tuple[str, ...]) -> Cosines:
    """Cosine of every text with every one of a pool, from -1 to 1; kept for as long as the process has room.

    Raises:
        LoupeError: They cannot be embedded.
    """
    return _embedded(texts, pool, workbench().backends.embedder.key)


@st.cache_data(max_entries=256, show_spinner="Embedding sentences…")
def _embedded(texts: tuple[str, ...], pool: tuple[str, ...], embedder: str) -> Cosines:
    """`embedder` is there for the cache alone: another model has other vectors."""
    vectors = run_blocking(workbench().backends.embedder.embed_documents([*texts, *pool]))
    made: Cosines = cosine_matrix(vectors[: len(texts)], vectors[len(texts) :]).tolist()
    return made
