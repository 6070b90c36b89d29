"""The answer, first in size, and its evidence: a citation opens the passage and marks the words used."""

from __future__ import annotations

import streamlit as st

from core.cards.evidence import SHOWN, Chip, answer_view, context_view
from core.trace.artefacts import Answer, Context
from core.ui.cards.passages import passages
from core.ui.run import citations
from core.ui.shell.safe import answer_markdown, literal
from core.ui.shell.theme import ICONS


def draw_draft(text: str, key: str) -> None:
    """The answer as far as it has streamed; its space is reserved before the first word."""
    with st.container(key=f"answer-text-{key}"):
        marks = range(1, 100)
        st.markdown(f"{answer_markdown(text, marks)} ▍" if text else ":gray[The answer will appear here.]")


def draw_answer(artefact: Answer, context: Context | None, key: str) -> None:
    """The final answer with its citations as chips.

    Args:
        artefact: The answer.
        context: The evidence it was made from; without it there are no citations.
        key: Unique on the page and stable between redraws.
    """
    view = answer_view(artefact, context)
    with st.container(key=f"answer-text-{key}"):
        marks = [chip.number for chip in view.chips]
        st.markdown(answer_markdown(view.text, marks) or ":gray[The model replied with nothing.]")
    if view.abstained:
        st.caption(
            ":material/do_not_disturb_on: No answer: nothing in the evidence was found to support one."
        )
    if view.chips:
        with st.container(horizontal=True, gap="small", key=f"citations-{key}"):
            for chip in view.chips:
                _chip(chip, key)


def _chip(chip: Chip, key: str) -> None:
    used = "1 sentence" if chip.uses == 1 else f"{chip.uses} sentences"
    st.button(
        f"**{chip.number}** {literal(chip.title, 40)}",
        key=f"cite-{key}-{chip.number}",
        help=f"Cited by {used} of the answer. Opens the passage and marks the words it was used for.",
        on_click=citations.choose,
        args=(key, chip.chunk),
    )


def draw_context(artefact: Context, answer: Answer | None, key: str, score_name: str) -> None:
    """The evidence in the strategy's order; what the answer used is marked.

    Args:
        artefact: The evidence.
        answer: The answer made from it, once it is there.
        key: The same as the answer's, so that its chips open passages here.
        score_name: What the scores are, e.g. `RRF`.
    """
    view = context_view(artefact, answer, score_name)
    opened, asked = citations.chosen(key)
    st.markdown(
        f"##### {ICONS['context']} Evidence :gray[:small[{len(view.given)} passages given to the answer]]"
    )
    if not view.given:
        missing = "No passage was judged relevant." if view.rest else "No passage was found."
        st.caption(f"{missing} Try another wording, another retriever, or a corpus that covers the topic.")
    passages(view.given, f"evidence-given-{key}", fold=SHOWN, opened=opened, asked=asked)
    if view.rest:
        with st.expander(f"{len(view.rest)} more found, not given to the answer", key=f"evidence-more-{key}"):
            passages(view.rest, f"evidence-rest-{key}", compact=True, opened=opened, asked=asked)
