"""Moments as the browser's clock says them; in UTC, said so, where it does not say where it is."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"


def zone() -> tzinfo:
    """The browser's time zone; UTC where it is not known."""
    name = st.context.timezone
    try:
        return ZoneInfo(name) if name else UTC
    except (
        ValueError,
        OSError,
        KeyError,
    ):  # a name is foreign text, and this machine may know fewer than a browser
        return UTC


def moment(when: datetime, form: str = MINUTE) -> str:
    """A moment in words, e.g. “2026-11-24 21:05”; “… UTC” where the browser's time zone is not known.

    Args:
        when: With its time zone.
        form: As `strftime` reads it.
    """
    place = zone()
    said = f"{when.astimezone(place):{form}}"
    return f"{said} UTC" if place is UTC and "%H" in form else said


def column_of(word: str) -> str:
    """Title of a column of moments, from what happened then: “Asked”, or “Asked (UTC)”."""
    return f"{word} (UTC)" if zone() is UTC else word


def when() -> ColumnConfig:
    """How a column of moments is drawn."""
    return st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", width=150, timezone=str(zone()))
