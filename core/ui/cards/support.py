"""Draws what was written with what supports it, by a component of our own that never interprets text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from core.cards.support import SentenceSupport
from core.ui.shell.assets import asset, script

_component = st.components.v2.component(
    "rag_loupe.support", html='<div class="root"></div>', css=asset("support.css"), js=script("support.js")
)


def draw_support(written: Sequence[Sequence[SentenceSupport]], key: str) -> None:
    """Texts, sentence by sentence; a sentence opens to show the retrieved one that is nearest.

    Args:
        written: Each text's sentences.
        key: Unique on the page and stable between redraws.
    """
    texts = [[asdict(sentence) for sentence in sentences] for sentences in written]
    _component(data={"texts": texts}, key=key)
