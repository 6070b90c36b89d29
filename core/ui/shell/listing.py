"""A list of stored things: one table, a click opens one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

PINNED = "Pinned"
"""Title of a column of `pins`."""
PIN = st.column_config.Column(width=70, help="Pinned: shown to everybody.")
"""How it is drawn."""


def pins(found: Iterable[Any]) -> list[str]:
    """A mark for each that is `pinned`. Cells are drawn without the icon font."""
    return ["✓" if one.pinned else "" for one in found]


def pin_mark(*, pinned: bool) -> str:
    """What stands before the name of something pinned, as Markdown: an icon, for an emoji needs a font of its own."""
    return ":material/keep: " if pinned else ""


def numbers(values: Iterable[int | None]) -> pd.Series[int]:
    """A column of whole numbers, some of which are not known."""
    return pd.Series(list(values), dtype="Int64")


def listing(
    key: str,
    columns: Mapping[str, Iterable[object]],
    *,
    alt: str,
    hint: str,
    config: Mapping[str, ColumnConfig] | None = None,
) -> int | None:
    """Draw the table.

    Args:
        key: Of the widget.
        columns: Title -> a value for every row, raw: cells are drawn as text, so nothing needs escaping here.
        alt: What the table holds, for screen readers.
        hint: What a click does.
        config: Title -> how the column is drawn.

    Returns:
        The row that was clicked, from 0.
    """
    table = pd.DataFrame({title: _cells(values) for title, values in columns.items()})
    chosen = st.dataframe(
        table,
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-cell",
        column_config=dict(config or {}),
        alt=alt,
        placeholder="–",  # where nothing is known
    )["selection"]["cells"]
    st.caption(hint)
    # The table may have become shorter since the click.
    return chosen[0][0] if chosen and chosen[0][0] < len(table) else None


def _cells(values: Iterable[object]) -> Any:
    return values if isinstance(values, pd.Series) else list(values)
