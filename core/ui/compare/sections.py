"""The columns of a comparison beside one another: what they share and where they differ, one section at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

import streamlit as st

from core.cards.kind import Scene
from core.cards.stage import picture
from core.cards.texts import QUIET
from core.charts.answer_columns import answer_columns, to_embed
from core.charts.columns import Column
from core.charts.rank_flow import rank_flow
from core.charts.shared_evidence import evidence, evidence_grid, sentences_about
from core.charts.timeline import PLAYED_READING, timelines
from core.errors import LoupeError
from core.trace.gold import Gold
from core.ui.cards.parts import draw_parts
from core.ui.run import citations
from core.ui.run.embedding_map import cosines, draw_map
from core.ui.run.whole_run import draw_run
from core.ui.shell import address
from core.ui.shell.assets import drawing
from core.ui.shell.safe import literal
from core.ui.shell.widgets import choice, draw_chart, reading_aid

NO_EVIDENCE = "No column has found passages yet."


def _evidence(columns: Sequence[Column], gold: Sequence[Gold], key: str) -> None:
    only_given = st.toggle(
        "Only what was given to the answer",
        key=f"given-{key}",
        help="A strategy may find more passages than it gives to the answer.",
    )
    shared = evidence(columns, gold, given=only_given)
    if not shared.rows:
        st.caption(NO_EVIDENCE)
        return
    pairs = [
        {
            "first": columns[pair.first].mark,
            "second": columns[pair.second].mark,
            "share": pair.jaccard or 0.0,
            "text": f"share {pair.shared} of {pair.either}, Jaccard {pair.jaccard or 0.0:.2f}",
        }
        for pair in shared.overlaps
    ]
    st.markdown(
        "**Overlap**, pair by pair",
        help="Jaccard is the number of passages that two columns share, over all that either of them found: 1 is the "
        "same, 0 nothing in common.",
    )
    drawing("overlap")(data={"pairs": pairs}, key=f"overlap-{key}")
    st.markdown("  \n".join(map(literal, sentences_about(shared, columns, known=bool(gold)))))
    stars = " ★ marks passages that hold the evidence, according to the question's labels." if gold else ""
    st.markdown("**Who found what**", help=f"A cell holds the rank of the passage in its column.{stars}")
    draw_parts([evidence_grid(shared, columns, known=bool(gold)).drawing(QUIET, "evidence")], key)
    st.caption(f"{literal(', '.join(column.name for column in columns))}. Choose a row to read its passage.")


def _rank_flow(columns: Sequence[Column], gold: Sequence[Gold], key: str) -> None:
    shared = evidence(columns, gold)
    if not shared.rows:
        st.caption(NO_EVIDENCE)
        return
    stars = " Stars are passages that hold the evidence." if gold else ""
    draw_chart(
        rank_flow(shared, columns),
        f"rank-flow-{key}",
        "Rank of each passage in every column",
        "Follow a line from column to column: the higher, the better its rank. Where it ends, the next column did "
        f"not find the passage.{stars}",
    )


def _answers(columns: Sequence[Column], gold: Sequence[Gold], key: str) -> None:
    names = {column.mark: place for place, column in enumerate(columns)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        mark = st.segmented_control(
            "Mark what differs from", list(names), default="A", required=True, key=f"reference-{key}"
        )
        by_vectors = st.toggle(
            "Judge support by embeddings too",
            key=f"answers-vectors-{key}",
            help="Embeds every sentence and those of the passages that it cites; no chat model is asked.",
        )
    likeness = None
    if by_vectors:
        try:
            likeness = {place: cosines(*texts) for place, texts in to_embed(columns).items()}
        except LoupeError as error:
            st.caption(f":material/error: {literal(str(error))}")
    answers = answer_columns(columns, names[str(mark or "A")], likeness)
    drawing("answers")(data={"columns": list(map(asdict, answers))}, key=f"answers-{key}")
    method = "words in common and embeddings" if likeness is not None else "words in common"
    st.caption(f":material/rule: Support is judged by {method}: a hint for the eye, not proof.")
    reading_aid(
        f"Marked words are not in the answer of {mark} ({mark} itself is compared with the next column). "
        "● ◐ ○ say how much a sentence is like one of a passage that it cites. Choose a sentence to see which."
    )


def _timelines(columns: Sequence[Column], gold: Sequence[Gold], key: str) -> None:
    pace = f" {PLAYED_READING}" if any(column.record.totals.played for column in columns) else ""
    draw_chart(
        timelines(columns),
        f"timelines-{key}",
        "When the steps and model calls of every column took place",
        "One axis of seconds for all columns, each from its own start. Wide bars are steps in the column's colour, "
        f"narrow ones model calls; bars of one lane that overlap ran at the same time.{pace}",
    )


def _map(columns: Sequence[Column], gold: Sequence[Gold], key: str) -> None:
    if any(column.record.state == "running" for column in columns):
        st.caption("The map is drawn when all columns have ended.")
        return
    draw_map([column.record for column in columns], f"compare-{key}", columns)


def _pictures(columns: Sequence[Column], gold: Sequence[Gold], key: str) -> None:
    """Draw the picture of each strategy, beside one another."""
    with st.grid(len(columns), min_column_width=340, gap="medium"):
        for column in columns:
            with st.container(gap="small"):
                view = picture(Scene(column.record, column.colour, f"{key}-{column.mark}", gold or None))
                title = f" :gray[{view.title}]" if view else ""
                st.markdown(f"**{literal(column.name)}**{title}")
                if view is None:
                    st.caption("It searches once: its passages are all there is to see.")
                else:
                    draw_parts(view.parts, f"picture-{key}-{column.mark}")


def _all_steps(columns: Sequence[Column], gold: Sequence[Gold], key: str) -> None:
    marks = {column.mark: column for column in columns}
    names = {mark: literal(column.name) for mark, column in marks.items()}
    column = marks[choice("Column", names, f"whole-{key}")]
    if column.run:
        st.page_link(
            "pages/playground.py",
            label="Open in the Playground, to edit it and run on",
            icon=":material/open_in_new:",
            query_params={address.RUN: column.run},
        )
    draw_run(column.record, gold=gold or None)


SECTIONS: dict[str, tuple[str, Callable[[Sequence[Column], Sequence[Gold], str], None]]] = {
    "Passages": (":material/library_books:", _evidence),
    "Pictures": (":material/schema:", _pictures),
    "Rank flow": (":material/show_chart:", _rank_flow),
    "Answers": (":material/forum:", _answers),
    "Timelines": (":material/view_timeline:", _timelines),
    "Embedding map": (":material/scatter_plot:", _map),
    "Whole runs": (":material/article:", _all_steps),
}
"""Title -> its icon, and what draws it of the columns, the evidence and a key."""


def draw_sections(columns: Sequence[Column], gold: Sequence[Gold], key: str, whole_run: str = "") -> None:
    """Draw the choice of sections, and the one that is chosen; `gold` is the evidence, empty where it is unknown.

    `key` is unique on the page and stable between redraws; `whole_run` is the id of a run all of whose steps
    were asked for.
    """
    if whole_run:
        st.session_state[f"compare-section-{key}"] = "Whole runs"
        st.session_state[f"whole-{key}"] = next(
            (column.mark for column in columns if column.run == whole_run), columns[0].mark
        )
    titles = {name: f"{icon} {name}" for name, (icon, _) in SECTIONS.items()}
    chosen = choice("Look at", titles, f"compare-section-{key}")
    if chosen != "Whole runs":
        citations.close_all()
    _, draw = SECTIONS[chosen]
    draw(columns, gold, key)
