"""The answer, first in size, and its evidence: they have a place of their own, without a frame."""

from __future__ import annotations

import streamlit as st

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.parts import Prose
from core.trace.artefacts import Answer, Context
from core.ui.cards.parts import ANY_MARK, draw_parts
from core.ui.shell.safe import answer_markdown, literal


def draw_draft(text: str, key: str) -> None:
    """The answer as far as it has streamed; its space is reserved before the first word."""
    with st.container(key=f"answer-text-{key}"):
        st.markdown(f"{answer_markdown(text, ANY_MARK)} ▍" if text else ":gray[The answer will appear here.]")


def draw_answer(artefact: Answer, scene: Scene) -> None:
    """The final answer with its citations as chips, which open passages of the evidence; none is no headline."""
    text, *rest = card_of(artefact, scene).parts
    with st.container(key=f"answer-text-{'none-' if artefact.abstained else ''}{scene.key}"):
        if isinstance(text, Prose):
            draw_parts((text,), scene.key)
        else:
            st.markdown(":gray[The model replied with nothing.]")
    draw_parts(rest, scene.key)


def draw_evidence(artefact: Context, scene: Scene) -> None:
    """The evidence in the strategy's order; what the answer used is marked."""
    card = card_of(artefact, scene)
    st.markdown(f"##### :material/{card.icon}: {card.title} :gray[:small[{literal(card.subtitle)}]]")
    draw_parts(card.parts, scene.key)
