"""Moments as the browser's clock says them; in UTC, said so, where it does not say where it is."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"


def zone() -> tzinfo:
    """Return the browser's time zone; UTC where it is not known."""
    name = st.context.timezone
    try:
        return ZoneInfo(name) if name else UTC
    except (ValueError, OSError, KeyError):  # foreign text, and this machine may know fewer than a browser
        return UTC


def moment(when: datetime, form: str = MINUTE) -> str:
    """Return a moment in words, e.g. “2026-11-24 21:05”; “… UTC” where the browser's time zone is not known.

    `form` is as `strftime` reads it.
    """
    place = zone()
    words = f"{when.astimezone(place):{form}}"
    return f"{words} UTC" if place is UTC and "%H" in form else words


def column_of(word: str) -> str:
    """Return the title of a column of moments: “Asked”, or “Asked (UTC)”."""
    return f"{word} (UTC)" if zone() is UTC else word


def when() -> ColumnConfig:
    """Return the look of a column of moments."""
    return st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", width=150, timezone=str(zone()))
