"""The steps of a run as cards, one below the other; those of one layer side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.cards.groups import Row, Shown, card_of
from core.cards.kind import Scene, provenance
from core.cards.kinds.fusion import fusion_parts
from core.cards.kinds.hypothetical import Cosines, card, rankings_of, sources
from core.cards.parts import Card, Note, Prose
from core.cards.recorded import ICON, answer_mark
from core.cards.texts import drafted
from core.corpora.sentence_spans import sentences
from core.errors import LoupeError
from core.retrieval.fusion import fuse_again
from core.trace.artefacts import Answer, Fusion, HypotheticalDocuments, Ranking
from core.ui.cards.parts import ANY_MARK, draw_card, draw_mark, draw_parts, frame
from core.ui.run.edit import edit_cards
from core.ui.run.embedding_map import cosines
from core.ui.shell.safe import answer_markdown, literal


@st.fragment
def _fusion(own: Fusion, card: Card, scene: Scene, key: str) -> None:
    """k and first rank, picture and table. Moving one redraws this card alone; no model is asked."""
    with frame(card, key):
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        k = left.slider(
            "RRF constant k",
            1,
            200,
            max(1, own.k),
            key=f"rrf-k-{key}",
            help="In 1 / (k + rank): the larger k, the less it matters to be first in a list.",
        )
        first = right.segmented_control(
            "Ranks count from",
            [1, 0],
            default=own.first_rank,
            required=True,
            key=f"rrf-first-{key}",
            help="Cormack et al. count from 1, the tutorial's code from 0.",
        )
        changed = k != max(1, own.k) or first != own.first_rank
        if not changed:
            draw_parts(card.parts, key)
            return
        shown = fuse_again(own, k=k, first_rank=0 if first == 0 else 1)
        draw_parts((*fusion_parts(shown, own, scene), *provenance(own)), key)


@st.fragment
def _hypothetical(artefact: HypotheticalDocuments, plain: Card, scene: Scene, key: str) -> None:
    """The passages, what they found, and what that changed; `plain` is their card with words in common alone."""
    hyde, _ = rankings_of(artefact, scene.record.find(Ranking))
    with frame(plain, key):
        if not hyde or not artefact.texts:
            draw_parts(plain.parts, key)
            return
        by_vectors = st.toggle(
            "Compare by embeddings too",
            key=f"hyde-vectors-{key}",
            help="Embeds every sentence on both sides, here and now; no model is asked.",
        )
        likeness = _cosines(artefact, hyde) if by_vectors else None
        draw_parts(card(artefact, scene, likeness).parts, key)


def _cosines(artefact: HypotheticalDocuments, ranking: Ranking) -> Cosines | None:
    """Of every sentence that was written with every sentence that was found; None where they cannot be had."""
    pool = tuple(source.text for source in sources([hit.passage for hit in ranking.used]))
    texts = tuple(tuple(sentences(text)) for text in artefact.texts)
    if not pool or not any(texts):
        return None
    try:
        rows = cosines(tuple(sentence for text in texts for sentence in text), pool)
    except LoupeError as error:
        st.caption(f":material/error: {literal(str(error))}")
        return None
    by_text: list[list[list[float]]] = []
    for text in texts:
        by_text.append(rows[: len(text)])
        rows = rows[len(text) :]
    return by_text


ON_THE_PAGE: dict[str, Callable[[Any, Card, Scene, str], None]] = {
    "fusion": _fusion,
    "passages": _hypothetical,
}
"""Kinds whose card has something to move on the page."""


def draw_row(row: Row, scene: Scene, editing: str) -> None:
    """Cards of one group, each with a way to edit what a later step reads; `editing` as `run` of `edit_cards`."""
    if not row.beside:
        for shown in row.shown:
            _draw(shown, scene, editing)
        return
    with st.grid(2, min_column_width=300, gap="small"):
        for shown in row.shown:
            _draw(shown, scene, editing)


def _draw(shown: Shown, scene: Scene, editing: str) -> None:
    own = ON_THE_PAGE.get(shown.card.kind)
    if own:
        own(shown.items[0].artefact, shown.card, scene, shown.key)
    else:
        draw_card(shown.card, shown.key)
    edit_cards([(item.step.id, item.artefact) for item in shown.items], editing, shown.key)


def draw_draft(text: str, key: str, *, waits: bool = False) -> None:
    """Draw the answer of the run `key` as far as it has streamed, in a space reserved before the first word; with
    `waits`, no more comes for now."""
    shown, cursor = drafted(text), "" if waits else " ▍"
    with st.container(key=f"answer-text-{key}"):
        st.markdown(
            f"{answer_markdown(shown, ANY_MARK)}{cursor}" if shown else ":gray[The answer will appear here.]"
        )


def draw_answer(artefact: Answer, scene: Scene) -> None:
    """The final answer with its citations as chips, which open passages of the evidence; none is no headline."""
    text, *rest = card_of(artefact, scene).parts
    notes = [part for part in rest if isinstance(part, Note)]
    with st.container(key=f"answer-text-{'none-' if artefact.abstained else ''}{scene.key}"):
        if isinstance(text, Prose):
            draw_parts((text,), scene.key)
        else:
            st.markdown(":gray[The model replied with nothing.]")
    draw_parts([part for part in rest if part not in notes], scene.key)
    mark = answer_mark(scene.record)
    if mark and mark.icon == ICON:
        mark = None  # all of it was recorded, as the line of costs says
    if not (notes or mark):
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for note in notes:
            draw_parts((note,), scene.key)
        if mark:
            draw_mark(mark)
