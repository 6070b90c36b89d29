"""A lesson's picture: what the strategy did in a run of the gallery, before anything is run here."""

from __future__ import annotations

from functools import cache

import streamlit as st

from core.cards.kind import Scene
from core.cards.picture import Picture, picture
from core.errors import LoupeError
from core.runs.gallery import PIECES, read
from core.runs.record import Record, record
from core.strategies.base import AnyStrategy
from core.ui.cards.parts import draw_parts
from core.ui.shell.safe import literal


def draw_example_picture(strategy: AnyStrategy) -> None:
    """The strategy's picture of one of its runs in the gallery; nothing where there is none."""
    found = _run(strategy.key)
    if found is None or found.started is None:
        return
    made = _picture(strategy.key, strategy.colour)
    if made is None:
        return
    with st.container(border=True, key=f"lesson-picture-{strategy.key}", gap="small"):
        st.markdown(f":material/{made.icon}: **{literal(made.title)}** · “{literal(found.started.question)}”")
        draw_parts(made.parts, f"lesson-{strategy.key}")


@cache
def _run(strategy: str) -> Record | None:
    """The first run of a strategy in the gallery, as its file has it, and only then one of a comparison; None: there is
    none, or it cannot be read."""
    for piece in sorted(PIECES, key=lambda one: len(one.requests) > 1):
        asked = [request.strategy for request in piece.requests]
        if strategy in asked and piece.file.exists():
            try:
                _, runs = read(piece)
            except LoupeError:
                return None
            return record(runs[asked.index(strategy)])
    return None


@cache
def _picture(strategy: str, colour: str) -> Picture | None:
    found = _run(strategy)
    return picture(Scene(found, colour, f"lesson-{strategy}")) if found else None
