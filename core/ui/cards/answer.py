"""The answer, first in size, and its evidence: they have a place of their own, without a frame."""

from __future__ import annotations

import streamlit as st

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.parts import Note, Prose
from core.cards.recorded import answer_mark
from core.cards.texts import drafted
from core.trace.artefacts import Answer
from core.ui.cards.parts import ANY_MARK, draw_mark, draw_parts
from core.ui.shell.safe import answer_markdown


def draw_draft(text: str, key: str, *, waits: bool = False) -> None:
    """The answer as far as it has streamed; its space is reserved before the first word.

    Args:
        text: What has come.
        key: Of the run.
        waits: Whether no more comes for now.
    """
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
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for note in notes:
            draw_parts((note,), scene.key)
        if mark := answer_mark(scene.record):
            draw_mark(mark)
