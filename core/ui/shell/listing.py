"""A list of stored things: one table, a click opens one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.ui.shell.local_time import column_of, when
from core.ui.shell.scrolling import scroll_to

PINNED = "Pinned"
"""Title of a column of `pins`."""
TALL = 70
"""Pixels of a row with three lines: from four times the size of a letter on, Streamlit wraps a cell."""
HIGHEST = 620
"""Pixels of a table of such rows: it scrolls by itself."""
PIN = st.column_config.Column(width=70, help="Pinned: shown to everybody.")
"""Its look."""
MARKS = {
    "finished": "✓ finished",
    "failed": "✗ failed",
    "stopped": "■ stopped",
    "running": "… running",
    "paused": "‖ paused",
    "interrupted": "! interrupted",
}
"""The states of a run, as a list says them."""


def pins(rows: Iterable[Any]) -> list[str]:
    """Return a mark for each row that is `pinned`. Cells are drawn without the icon font."""
    return ["✓" if row.pinned else "" for row in rows]


def pin_mark(*, pinned: bool) -> str:
    """Return the mark before a pinned name, as Markdown: an icon, for an emoji needs a font of its own."""
    return ":material/keep: " if pinned else ""


def numbers(values: Iterable[int | None]) -> pd.Series[int]:
    """Return a column of whole numbers, some of which are not known."""
    return pd.Series(list(values), dtype="Int64")


def listing(
    key: str,
    columns: Mapping[str, Iterable[object]],
    *,
    alt: str,
    hint: str,
    config: Mapping[str, ColumnConfig | int] | None = None,
    tall: bool = False,
) -> int | None:
    """Draw a table, and return the row that was clicked, from 0; the page scrolls to the place `key` (`scroll_place`).

    Columns have a title and a value for every row, raw: cells are drawn as text, so nothing needs escaping. `alt` says
    to screen readers what the table holds, `hint` what a click does. `config` is the look of columns by their titles,
    or their width; moments and `PINNED` have their own. In a `tall` table, long texts wrap.
    """
    table = pd.DataFrame(
        {
            title: values if isinstance(values, pd.Series) else list(values)
            for title, values in columns.items()
        }
    )
    looks = {
        title: st.column_config.Column(width=look) if isinstance(look, int) else look
        for title, look in (config or {}).items()
    }
    moments = {title: column_of(str(title)) for title in table.select_dtypes("datetimetz")}
    chosen = st.dataframe(
        table.rename(columns=moments),
        hide_index=True,
        key=key,
        on_select=partial(scroll_to, key),
        selection_mode="single-cell",
        column_config={PINNED: PIN, **dict.fromkeys(moments.values(), when()), **looks},
        row_height=TALL if tall else None,
        height=HIGHEST if tall and len(table) * TALL > HIGHEST else "auto",
        alt=alt,
        placeholder="–",  # where nothing is known
    )["selection"]["cells"]
    st.caption(hint)
    # The table may have become shorter since the click.
    return chosen[0][0] if chosen and chosen[0][0] < len(table) else None
