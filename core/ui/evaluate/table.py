"""The table of an evaluation, drawn by a component of our own that never interprets text."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.charts.evaluation import EvaluationTable, Look
from core.ui.shell.assets import drawing
from core.ui.shell.safe import literal
from core.ui.shell.theme import reading_aid


def draw_table(table: EvaluationTable, look: Mapping[str, Look], key: str) -> None:
    """A column per setting, a row per metric.

    Args:
        table: What to show.
        look: Of each setting.
        key: Unique on the page and stable between redraws.
    """
    drawing("evaluation")(data=table.data(look), key=f"table-{key}")
    reading_aid(table.aid)
    for text in table.uncertain:
        st.caption(f":material/question_mark: {literal(text)}")
