"""Tables of passages by query; a chosen row shows its passage."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.ui.passages import passages
from core.ui.safe import literal
from core.views.passages import PassageCard
from core.views.union import heat

ROW_PIXELS = 36
LIST_PIXELS = 92


def matrix(
    table: pd.DataFrame, lists: Mapping[str, str], cards: Sequence[PassageCard], key: str, *, colour: str
) -> None:
    """Ranks of passages in lists, the better the stronger in colour.

    Args:
        table: Passages in rows; the columns named in `lists` hold ranks.
        lists: Column -> what it stands for.
        cards: The passages, in the order of the rows.
        key: Unique on the page and stable between redraws.
        colour: Colour of a cell with rank 1.
    """
    columns: list[Hashable] = list(lists)
    styled = table.style.map(lambda rank: heat(rank, colour), subset=columns).format(
        "{:.0f}", columns, na_rep=""
    )
    select(styled, lists, cards, key)


def select(
    table: Any,
    lists: Mapping[str, str],
    cards: Sequence[PassageCard],
    key: str,
    *,
    more: Mapping[str, Any] | None = None,
) -> None:
    """A table whose chosen row shows its passage. Cells are drawn as text, never interpreted."""
    config: dict[str, Any] = {
        name: st.column_config.Column(help=literal(meaning), width=LIST_PIXELS)
        for name, meaning in lists.items()
    }
    config["Passage"] = st.column_config.Column(
        width=190, pinned=True, help="Title of the document the passage is from."
    )
    state = st.dataframe(
        table,
        key=f"table-{key}",
        column_config=config | dict(more or {}),
        height=ROW_PIXELS * (min(len(cards), 12) + 1),
        row_height=ROW_PIXELS,
        on_select="rerun",
        selection_mode="single-row",
        alt="Passages in rows, queries in columns",
    )
    legend(lists)
    chosen = [row for row in state["selection"]["rows"] if row < len(cards)]
    if chosen:
        passages([cards[chosen[0]]], f"passage-{key}", opened=cards[chosen[0]].id, asked=chosen[0] + 1)


def legend(lists: Mapping[str, str]) -> None:
    """What the short column names stand for."""
    st.caption("  \n".join(f"**{literal(name)}** {literal(meaning, 140)}" for name, meaning in lists.items()))
